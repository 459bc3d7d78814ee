"""Sentences of units."""

from __future__ import annotations

import pytest

from hopefear.text.documents import DividedUnit, Document, joined


@pytest.mark.parametrize(
    ("name", "content", "sentences"),
    [
        ("a.html", "<p><b>One. Two.</b></p>", ["One.", "Two."]),
        ("a.html", "<p>One <b>two. Three</b> four. Five.</p>", ["One <b>two. Three</b> four.", "Five."]),
        ("a.html", "<p><img src='x.png'> One<br>Two <br></p>", ["One", "Two"]),
        ("a.md", "See `a. B` now. Then\ngo.", ["See `a. B` now.", "Then go."]),
        ("a.po", 'msgid "One.\\n  Two: three\\n"\nmsgstr ""\n', ["One.", "Two: three"]),
        ("a.csv", "One. Two.,\n", ["One.", "Two."]),
        ("a.txt", "***\n", []),
    ],
)
def test_sentences_of_a_unit(name: str, content: str, sentences: list[str]) -> None:
    (unit,) = Document.read(name, content.encode()).units
    divided = DividedUnit(unit)
    assert [divided.text(*place) for place in divided.places] == sentences


def test_a_sentence_is_a_unit_with_its_own_codes() -> None:
    (unit,) = Document.read("a.html", b"<p>One\n <a  href='x'>two</a>.\nThree <br> four.</p>").units
    divided = DividedUnit(unit)
    one, two, three = (divided.sentence(*place) for place in divided.places)
    assert [each.source for each in (one, two, three)] == ["One <a  href='x'>two</a>.", "Three", "four."]
    assert one.tags == ("<a  href='x'>", "</a>") and not two.codes
    assert joined(unit, divided.places, ["1", "2", "3"]) == "1\n2 <br> 3"

"""What a translation must keep as its source has it."""

from __future__ import annotations

import pytest

from hopefear.text.documents import Document, Unit, emptied


@pytest.mark.parametrize(
    ("name", "source", "target", "expected"),
    [
        ("a.md", "Die [neue Seite](x.md) hier.", "The [](x.md) new page.", ["[](x.md)"]),
        ("a.md", "Die [neue Seite](x.md) hier.", "The [page](x.md).", []),
        ("a.html", "<p>Das <a>Haus <b>am</b> See</a>.", "The <a><b></b></a> house.", ["<b>", "<a"]),
        ("a.html", "<p>Das <a id='x'><img src='y'></a> Haus.", "The <a id='x'><img src='y'></a> house.", []),
        ("a.html", "<p>Das <b>Haus</b> am See.", "The house on the lake.", []),
    ],
)  # fmt: skip
def test_pairs_that_hold_nothing(name: str, source: str, target: str, expected: list[str]) -> None:
    (unit,) = Document.read(name, source.encode()).units
    pairs = emptied(unit, target)
    assert len(pairs) == len(expected)
    assert all(mark in pair for mark, pair in zip(expected, pairs, strict=True))


def test_pairs_of_a_profile() -> None:
    unit = Unit("Das <b>Haus</b> hier.", profile="html")
    assert emptied(unit, "The <b></b> house.") == ["<b></b>"]
    assert emptied(unit, "The <b>house</b> here.") == []

"""A sentence that was translated before has the same translation, with its own pieces."""

from __future__ import annotations

import pytest

from hopefear.base.texts import split_words
from hopefear.plugins import Segment
from hopefear.text import Language, Profile, TextSystem
from hopefear.text.full_match import WrittenPair, full_match


def match(profile: str, source: str, target: str, sentence: str) -> tuple[str, list[str]] | None:
    text = TextSystem(Language("en"), Language("es"), Profile.named(profile))
    read = text.prepare(Segment((), text=source, references=(target,)))
    assert read.written is not None and read.tokens is not None
    pair = WrittenPair(read.tokens, split_words(read.references[0]), read.written.links[0], (source, target))
    found = full_match(pair, text.reads(sentence)[1])
    return None if found is None else (found.text, [found.text[slice(*place)] for place in found.places])


@pytest.mark.parametrize("target", ["  La CASA  “roja”…", "", "no ``b`` aquí", "«» . ."])
def test_the_same_sentence_has_the_same_letters(target: str) -> None:
    source = "The ``a`` “house”."
    found = match("rst", source, target, source)
    assert found is not None and found[0] == target


@pytest.mark.parametrize(
    ("profile", "source", "target", "sentence", "wanted"),
    [
        ("printf", "Open “%s” now.", "Abre  «%s» ya.", "Open “%(file)s” now.", "Abre  «%(file)s» ya."),
        ("rst", "``a`` and ``b``: a", "a: ``b`` y ``a``", "``x y`` and ``z``: a", "a: ``z`` y ``x y``"),
        ("plain", "It has 3.5 MB.", "Tiene 3.5 MB.", "It has 4.5 MB.", "Tiene 4.5 MB."),
        ("html", "<b>Use %s</b> a", "<b>Usa %s</b> a", "<b>Use %s</b> a", "<b>Usa %s</b> a"),
        ("printf", "Open “%s” now.", "Abre «%s» ya.", "open “%d” now.", None),  # another case
        ("printf", 'Open "%s" now.', "Abre «%s» ya.", "Open “%d” now.", None),
        ("printf", "Open %s now.", "Abre ya.", "Open %d now.", None),  # it loses a piece
        ("html", "<b>a</b> %s", "<b>a</b> %s", "<i>a</i> %d", None),
    ],
)
def test_other_pieces_take_their_places(
    profile: str, source: str, target: str, sentence: str, wanted: str | None
) -> None:
    found = match(profile, source, target, sentence)
    assert (None if found is None else found[0]) == wanted
    if found is not None:
        assert "".join(found[1]).replace(" ", "") in found[0].replace(" ", "").replace("<b>", "").replace(
            "</b>", ""
        )

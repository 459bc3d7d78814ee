"""A system that changes every word of a document, and leaves what a translation keeps."""

from __future__ import annotations

import re

from hopefear.text.documents import Document, Unit, marks_in, pieces

WORD = re.compile(r"[^\W\d_]+")


def with_changed_words(unit: Unit) -> str:
    """Return the source of a unit with an X at the end of each word outside codes and kept pieces."""
    out = list[str]()
    for text, code in pieces(unit.source, unit.codes):
        at = 0
        for begin, end in (
            [*marks_in(unit, text), (len(text), len(text))] if code is None else [(0, len(text))]
        ):
            out += [WORD.sub(r"\g<0>X", text[at:begin]), text[begin:end]]
            at = end
    return "".join(out)


def proven(name: str, content: bytes, language: str = "es") -> bytes:
    """Return a document with all words changed; what is written differs from the original in words only."""
    document = Document.read(name, content, language=language)
    same = {index: unit.source for index, unit in enumerate(document.units)}
    assert document.complaints(same) == []
    assert document.differences(document.translated(same, language=language), language=language) == []
    targets = {index: with_changed_words(unit) for index, unit in enumerate(document.units)}
    assert document.complaints(targets) == []
    written = document.translated(targets, language=language)
    assert document.differences(written, language=language) == []
    return written

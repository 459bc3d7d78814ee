"""Documents in XML are proven: whatever changes beside translations is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopefear.text.documents import Document

SAMPLES = Path(__file__).parent / "samples"
TARGETS = {"version1.xlf": 1, "version2.xliff": 0, "memory.tmx": 0}
"""A unit without a translation in each document."""


def written(name: str) -> tuple[Document, str]:
    document = Document.read(name, (SAMPLES / name).read_bytes(), language="es")
    target = document.units[TARGETS[name]].source.replace("green", "verde")
    return document, document.translated({TARGETS[name]: target}, language="es").decode()


@pytest.mark.parametrize("name", TARGETS)
def test_translations_are_no_difference(name: str) -> None:
    document, out = written(name)
    assert document.differences(out.encode()) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("version1.xlf", "<first>", "<other>", "the unit has another source, identity or note"),
        ("version1.xlf", "by hand", "by machine", "the document changes at <!>"),
        ("version1.xlf", "id='1'", "id='9'", "the unit has another source, identity or note"),
        ("version1.xlf", "more</source>", "mor</source>", "the unit has another source, identity or note"),
        ("version1.xlf", ">hecho</target>", "></target>", "the unit has no translation any more"),
        ("version1.xlf", ">hecho</target>", ">hecha</target>", "another translation is approved"),
        ("version1.xlf", "</xliff>", "</xlif>", "the written document is no XML"),
        ("version1.xlf", "datatype=", "datatyp=", "the document changes at <file>"),
        ("version2.xliff", '<pc id="1">verde</pc>', "verde", "the translation has not the tags"),
        ("version2.xliff", 'srcLang="en"', 'srcLang="fr"', "the document changes at <xliff>"),
        ("memory.tmx", '<bpt i="1">&lt;b></bpt>verde', "verde", "the translation has not the tags"),
        ("memory.tmx", "<tu tuid=", "<tu id=", "the unit has other translations"),
    ],
)
def test_what_else_changes_is_named(name: str, old: str, new: str, reason: str) -> None:
    document, out = written(name)
    assert out.replace(old, new) != out
    found = document.differences(out.replace(old, new, 1).encode())
    assert found and found[0].reason.startswith(reason), found


def test_a_segment_that_is_marked_may_lack_tags() -> None:
    document, _ = written("version2.xliff")
    out = document.translated({0: "casa"}, language="es")
    assert document.differences(out, document.complaints({0: "casa"})) == []

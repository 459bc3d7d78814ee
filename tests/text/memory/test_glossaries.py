"""Glossaries as files: their terms, in the direction of the system."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopefear.base import InputError
from hopefear.text.memory import read_glossary

SAMPLES = Path(__file__).parent / "samples"
TABLE = "print head\tcabezal\tnot: cabeza\nfile\tarchivo\nfile\tfichero\n"
OF_OMEGAT = "# Glossary in tab-separated format -*- coding: utf-8 -*-\n" + TABLE
TERMS = [("print head", "cabezal"), ("file", "archivo"), ("file", "fichero")]
OF_2008 = (SAMPLES / "terms_of_2008.tbx").read_text("utf-8")
OF_2019 = (SAMPLES / "terms_of_2019.tbx").read_text("utf-8")


def terms_of(path: Path, content: str, languages: tuple[str, str] | None = None) -> list[tuple[str, str]]:
    path.write_text(content, "utf-8")
    return [(term.source, term.target) for term in read_glossary(path, languages)]


@pytest.mark.parametrize(
    ("name", "content"),
    [("g.tsv", TABLE), ("glossary.txt", OF_OMEGAT), ("g.tbx", OF_2008), ("g.tbx", OF_2019)],
)
def test_each_form_gives_the_terms(tmp_path: Path, name: str, content: str) -> None:
    for languages in (("en", "es"), ("en-GB", "es"), None):
        assert terms_of(tmp_path / name, content, languages) == TERMS


@pytest.mark.parametrize("content", [OF_2008, OF_2019])
def test_tbx_has_no_direction(tmp_path: Path, content: str) -> None:
    """A term to avoid is still read where it is the source."""
    wanted = [("cabezal", "print head"), ("archivo", "file"), ("fichero", "file"), ("fila", "file")]
    assert terms_of(tmp_path / "g.tbx", content, ("es", "en")) == wanted


def test_a_term_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "g.tbx"
    path.write_text(OF_2008, "utf-8")
    assert [term.where for term in read_glossary(path)] == [f"{path}:4", f"{path}:7", f"{path}:7"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.tsv", "file\tarchivo\nfile\n", r"g\.tsv:2: expected source<TAB>target\[<TAB>note\], got 'file'"),
        ("g.tsv", "file\t \n", r"g\.tsv:1: expected source<TAB>target"),
        ("g.tsv", "a\tb\tc\td\n", r"g\.tsv:1: expected source<TAB>target"),
        ("g.tbx", "<martif>\n<text></martif>", r"g\.tbx:2: expected a TBX file: mismatched tag"),
        ("g.tbx", "<tmx/>", r"g\.tbx: expected a TBX file, got <tmx>"),
        ("g.tbx", OF_2008.replace("es", "fr"), r"g\.tbx: expected terms in en and es, got en, en-US, fr"),
        ("g.csv", TABLE, r"g\.csv: expected a file with one of the endings tsv, txt, tbx"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        terms_of(tmp_path / name, content, ("en", "es"))


def test_without_languages_a_file_must_have_two(tmp_path: Path) -> None:
    content = OF_2019.replace('xml:lang="es"><termSec><term>cabezal', 'xml:lang="fr"><termSec><term>tête')
    with pytest.raises(InputError, match="expected texts in two languages, source first"):
        terms_of(tmp_path / "g.tbx", content)


@pytest.mark.parametrize("content", ["", "source\ttarget\n", "# only a comment\n"])
def test_a_glossary_without_terms_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match=r"g\.tsv: expected terms, got an empty file"):
        terms_of(tmp_path / "g.tsv", content)

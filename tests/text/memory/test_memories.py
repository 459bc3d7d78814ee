"""Translation memories as files: their pairs, in the direction of the system."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from hopefear.base import InputError
from hopefear.text.documents import tmx
from hopefear.text.memory import read_memory

SAMPLES = Path(__file__).parent / "samples"
ES_EN = ("es", "en")
PAIRS = [("la casa", "the house"), ("¿dónde?", "where?")]
SEVERAL = (SAMPLES / "several_languages.tmx").read_text("utf-8")
PO = (SAMPLES / "catalogue.po").read_text("utf-8")
XLIFF = (SAMPLES / "units.xlf").read_text("utf-8")


def pairs_of(
    path: Path, content: str | bytes, languages: tuple[str, str] | None = None
) -> list[tuple[str, str]]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [(pair.source, pair.target) for pair in read_memory(path, languages)]


def test_a_memory_has_the_pairs_that_were_written(tmp_path: Path) -> None:
    for languages in (ES_EN, None):
        assert pairs_of(tmp_path / "m.tmx", tmx(PAIRS, ES_EN), languages) == PAIRS
    assert pairs_of(tmp_path / "m.tmx", tmx(PAIRS, ES_EN), ("en", "es")) == [(e, f) for f, e in PAIRS]
    assert pairs_of(tmp_path / "m.tmx.gz", gzip.compress(tmx(PAIRS, ES_EN)), ES_EN) == PAIRS
    table = "source\ttarget\n" + "".join(f"{f}\t{e}\n\n" for f, e in PAIRS)
    assert pairs_of(tmp_path / "m.tsv", table, ES_EN) == PAIRS


def test_of_several_languages_those_of_the_system_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "m.tmx"
    assert pairs_of(path, SEVERAL, ES_EN) == [("la casa", "the house"), ("verde", "green")]
    assert [pair.where for pair in read_memory(path, ES_EN)] == [f"{path}:3", f"{path}:6"]
    assert pairs_of(path, SEVERAL, ("en", "fr")) == [("the house", "la maison")]
    with pytest.raises(InputError, match=r"m\.tmx: expected texts in two languages.* got en-GB, fr, es-MX"):
        pairs_of(path, SEVERAL)
    with pytest.raises(
        InputError, match=r"m\.tmx: expected units in es and de, got EN, en, en-GB, es, es-MX"
    ):
        pairs_of(path, SEVERAL, ("es", "de"))


def test_without_languages_the_first_one_of_the_file_is_the_source(tmp_path: Path) -> None:
    turned = tmx(PAIRS, ES_EN).replace(b'srclang="es"', b'srclang="en"')
    assert pairs_of(tmp_path / "m.tmx", turned) == [(e, f) for f, e in PAIRS]
    every = tmx(PAIRS, ES_EN).replace(b'srclang="es"', b'srclang="*all*"')
    assert pairs_of(tmp_path / "m.tmx", every) == PAIRS


def test_a_catalogue_gives_what_is_translated(tmp_path: Path) -> None:
    wanted = [("the house", "la casa"), ("one file", "un archivo"), ("%d files", "%d archivos")]
    for languages in (("en", "es-MX"), None):
        assert pairs_of(tmp_path / "m.po", PO, languages) == wanted
    assert pairs_of(tmp_path / "m.po", PO, ("es", "en")) == [(e, f) for f, e in wanted]
    with pytest.raises(InputError, match=r"m\.po: expected texts in en and fr, got a language .* and es"):
        pairs_of(tmp_path / "m.po", PO, ("en", "fr"))


def test_xliff_gives_what_is_done(tmp_path: Path) -> None:
    assert pairs_of(tmp_path / "m.xlf", XLIFF, ES_EN) == [("la casa", "the house")]
    assert pairs_of(tmp_path / "m.xliff", XLIFF, ("en", "es")) == [("the house", "la casa")]


@pytest.mark.slow
def test_a_large_memory_is_read(tmp_path: Path) -> None:
    many = [(f"casa {n}", f"house {n}") for n in range(80_000)]  # more elements than a document may have
    assert pairs_of(tmp_path / "m.tmx", tmx(many, ES_EN), ES_EN) == many


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.tsv", "la casa\tthe house\nverde\n", r"m\.tsv:2: expected source<TAB>target, got 'verde'"),
        ("m.tsv", "a\tb\tc\n", r"m\.tsv:1: expected source<TAB>target, got"),
        ("m.tsv", b"a\tb\n\xff\tb\n", r"m\.tsv:2: expected UTF-8"),
        ("m.tmx", "<tmx><body>\n<tu></body></tmx>", r"m\.tmx:2: expected a TMX file: mismatched tag"),
        ("m.tmx", "<x/>", r"m\.tmx: expected a TMX file, got <x>"),
        ("m.tmx", '<!DOCTYPE tmx [<!ENTITY a "b">]><tmx/>', "without a document type declaration"),
        ("m.po", "msgid\n", r"m\.po:1: expected"),
        ("m.po", 'msgid "a"\nmsgstr "b\\000"\n', r"m\.po:1: expected text, got a zero byte"),
        ("m.txt", "a\tb\n", r"m\.txt: expected a file with one of the endings tmx, po, xlf, xliff, tsv"),
        ("m.tsv.gz", b"\x1f\x8b\x08", r"m\.tsv\.gz:1: expected a whole gz file"),
        ("m.tmx.gz", b"\x1f\x8b\x08", r"m\.tmx\.gz: expected a whole gz file"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pairs_of(tmp_path / name, content, ES_EN)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for name in ("m.tmx", "m.tsv"):
        with pytest.raises(InputError, match=r"m\.t.*: cannot be read: No such file"):
            list(read_memory(tmp_path / name))

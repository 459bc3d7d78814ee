"""The book: what is in it, and that the text of its system lacks its names."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from cut_book import BOOK, LINES

from hopefear.decoder import Decoder
from hopefear.grammars.sample import book_path
from hopefear.text import TextSystem

FOLDER = book_path()
NAMES = [
    "README.md", "book.en.written", "book.es", "book.es.written", "cdec.ini", "grammar.gz", "lm.arpa.gz",
    "text.json.gz", "weights", "written.ini",
]  # fmt: skip


def lines(path: Path) -> list[str]:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return content.decode().removesuffix("\n").split("\n")


def test_the_files_are_there_and_at_most_half_a_megabyte() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert sorted(sizes) == NAMES
    assert sum(sizes.values()) <= 500_000
    assert "public domain" in (FOLDER / "README.md").read_text("utf-8")


def test_the_tokens_are_those_of_the_written_sentences() -> None:
    text = TextSystem.load(FOLDER / "text.json.gz")
    written = lines(FOLDER / "book.es.written")
    assert len(written) == len(lines(FOLDER / "book.en.written")) == LINES
    assert [" ".join(text.reads(line)[0]) for line in written] == lines(FOLDER / "book.es")
    assert written[0].startswith(BOOK[0])


def test_the_rest_of_the_text_lacks_names_of_the_book(shared: Path) -> None:
    data = shared / "data" / "bible-es-en"
    written, tokens = (lines(folder / "train.es.gz") for folder in (data / "written", data))
    first, last = (next(i for i, line in enumerate(written) if line.startswith(text)) for text in BOOK)
    book = lines(FOLDER / "book.es")
    assert book == tokens[first : first + LINES]
    rest = {word for line in tokens[:first] + tokens[last:] for word in line.split()}
    new = Counter(word for line in book for word in line.split() if word not in rest)
    assert (len(new), new.total()) == (82, 182)
    assert new.most_common(3) == [("esther", 45), ("amán", 30), ("vasthi", 9)]
    sides = {line.split(" ||| ")[1] for line in lines(FOLDER / "grammar.gz")}
    assert sides.isdisjoint(new)
    assert "esther" not in TextSystem.load(FOLDER / "text.json.gz").target.casing.forms


@pytest.mark.parametrize("name", ["grammar.gz", "lm.arpa.gz", "text.json.gz"])
def test_compressed_files_hold_no_time_and_no_name(name: str) -> None:
    assert (FOLDER / name).read_bytes()[:8] == b"\x1f\x8b\x08" + bytes(5)


def test_written_text_is_translated_to_written_text() -> None:
    decoder = Decoder(FOLDER / "written.ini", weights=FOLDER / "weights")
    assert decoder.translate("Y el rey amó á Esther.").written() == "The king loved Esther."
    assert decoder.translate("en la casa del rey.").written() == "in the king’s house."
    shown = decoder.translate("Y dijo: luz").written()
    assert shown.startswith("And said, ") and not {*shown} & {*'"“”'}

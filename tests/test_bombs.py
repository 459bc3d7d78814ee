"""Files that unpack to a thousand times their size: each reader refuses them, with the name of the file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command import call
from support.world import ARPA

from hopefear import InputError
from hopefear.base import lines, unpacking
from hopefear.base.stored import read_arrays
from hopefear.experiments.archive import opened
from hopefear.pycdec.sa._sa import gzip_or_text
from hopefear.reports import read_sentences
from hopefear.text.documents import Document
from hopefear.text.memory import read_glossary, read_memory

SIZE = 2 << 20
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
GRAMMAR = "[X] ||| la ||| the ||| f=1\n"
FILES = {
    "cdec.ini": "formalism=scfg\ngrammar=grammar\nweights=weights\nfeature_function=KLanguageModel lm.arpa\n",
    "grammar": GRAMMAR,
    "lm.arpa": ARPA,
    "weights": "f 1\nLanguageModel 1\n",
    "in": "la\n",
    "reference": "the\n",
    "nbest": "0 ||| the ||| f=1 ||| 1\n",
}
DECODE = ["decode", "-c", "cdec.ini", "-i", "in"]
"""A good set-up."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let less than a bomb of a megabyte unpack freely."""
    monkeypatch.setattr(unpacking, "_INFLATED_FREELY", SIZE // 2)


@pytest.fixture(scope="module")
def large() -> bytes:
    """Return blanks and empty lines that are more than unpack freely."""
    return gzip.compress((b" " * 5000 + b"\n") * 14_000, 6, mtime=0)


def write(folder: Path) -> None:
    for name, content in FILES.items():
        (folder / name).write_text(content)


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("cdec.ini", DECODE),
        ("in", DECODE),
        ("reference", ["score", "-r", "reference", "-i", "in"]),
        ("reference", ["tune", "-c", "cdec.ini", "-s", "in", "-r", "reference", "-o", "run"]),
        ("nbest", ["tune", "--kbest", "nbest", "-r", "reference", "-o", "run"]),
    ],
)
def test_commands(tmp_path: Path, small: None, packing: str, file: str, command: list[str]) -> None:
    write(tmp_path)
    (tmp_path / file).write_bytes(PACKINGS[packing](FILES[file].encode() + b" " * SIZE))
    result = call(command, b"", tmp_path)
    assert result.returncode == 2, result.stderr
    assert f"{file}:" in result.stderr.decode() and "at most 200 times its size" in result.stderr.decode()


@pytest.mark.parametrize("file", ["grammar", "lm.arpa", "weights"])
def test_what_native_code_reads(tmp_path: Path, large: bytes, file: str) -> None:
    write(tmp_path)
    (tmp_path / file).write_bytes(gzip.compress(FILES[file].encode()) + large)
    result = call(DECODE, b"", tmp_path)
    assert result.returncode == 2, result.stderr
    assert f"{file}:" in result.stderr.decode() and "at most 200 times its size" in result.stderr.decode()


def test_what_native_code_has_unpacked(tmp_path: Path, small: None) -> None:
    write(tmp_path)
    (tmp_path / "grammar").write_bytes(lzma.compress(GRAMMAR.encode() + b" " * SIZE))
    result = call(DECODE, b"", tmp_path)
    assert (result.returncode, result.stderr.count(b"damaged")) == (2, 0)
    assert b"grammar:" in result.stderr and b"at most 200 times its size" in result.stderr


def archive_of(folder: Path) -> object:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo("plan.json")
        entry.size = SIZE
        archive.addfile(entry, io.BytesIO(bytes(SIZE)))
    (folder / "runs.tar.xz").write_bytes(lzma.compress(packed.getvalue()))
    with opened("plan", folder) as results:
        return results


def zipped(name: str, content: bytes = bytes(SIZE)) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


def sentences_of(folder: Path) -> object:
    (folder / "sentences.jsonl.gz").write_bytes(gzip.compress(bytes(SIZE)))
    return read_sentences(folder)


def known(name: str, read: Callable[[Path], object]) -> Callable[[Path], object]:
    def use(folder: Path) -> object:
        (folder / name).write_bytes(gzip.compress(b" " * SIZE))
        return read(folder / name)

    return use


READERS: dict[str, Callable[[Path], object]] = {
    "results of an experiment": archive_of,
    "docx": lambda folder: Document.read("a.docx", zipped("word/document.xml")),
    "odt": lambda folder: Document.read("a.odt", zipped("content.xml")),
    "numpy": lambda folder: read_arrays(io.BytesIO(zipped("a.npy"))),
    "sentences of a run": sentences_of,
    "memory": known("m.tmx.gz", lambda path: list(read_memory(path))),
    "glossary": known("g.tbx.gz", lambda path: list(read_glossary(path))),
    "table": known("m.tsv.gz", lambda path: list(read_memory(path))),
    "pycdec": known("a.gz", lambda path: gzip_or_text(str(path)).read()),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_readers(tmp_path: Path, small: None, read: Callable[[Path], object]) -> None:
    with pytest.raises(ValueError, match="at most 200 times its size"):
        read(tmp_path)


def test_what_repeats_itself_is_read(tmp_path: Path) -> None:
    text = b"la casa es verde " * 7 + b"\n"
    (tmp_path / "in.gz").write_bytes(gzip.compress(text * 100_000))
    assert sum(1 for _ in lines.each_line(tmp_path / "in.gz")) == 100_000


def test_lines_and_contents_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 1 << 20)
    monkeypatch.setattr(unpacking, "LARGEST_CONTENT", 1 << 20)
    (tmp_path / "in").write_bytes(b"a\n" + b"a" * SIZE)
    with pytest.raises(InputError, match="in:2: expected lines below 1 MB"):
        list(lines.each_line(tmp_path / "in"))
    with pytest.raises(InputError, match="in: expected at most 1 MB, unpacked"):
        unpacking.unpack(gzip.compress(bytes(SIZE)), "in")

"""Files that unpack to a thousand times their size: each reader refuses them, with the name of the file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import resource
import struct
import tarfile
import traceback
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from support.command import call
from support.world import ARPA

from hopefear import InputError, Weights, read_corpus
from hopefear.base import lines, stored, unpacking
from hopefear.base.stored import parse_json, read_arrays
from hopefear.experiments.archive import opened
from hopefear.experiments.plan import read_plan
from hopefear.plugins import read_classes
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


@pytest.mark.parametrize("packing", ["bz2", "xz"])
@pytest.mark.parametrize("file", ["grammar", "lm.arpa", "weights"])
def test_what_native_code_has_unpacked(tmp_path: Path, small: None, file: str, packing: str) -> None:
    write(tmp_path)
    (tmp_path / file).write_bytes(PACKINGS[packing](FILES[file].encode() + b" " * SIZE))
    result = call(DECODE, b"", tmp_path)
    assert (result.returncode, result.stderr.count(b"damaged")) == (2, 0)
    assert f"{file}:" in result.stderr.decode() and b"at most 200 times its size" in result.stderr


def archive_of(folder: Path) -> object:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo("plan.json")
        entry.size = SIZE
        archive.addfile(entry, io.BytesIO(bytes(SIZE)))
    (folder / "runs.tar.xz").write_bytes(lzma.compress(packed.getvalue()))
    with opened("plan", folder) as results:
        return results


def zipped(name: str, content: bytes | None = None, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr(name, bytes(SIZE) if content is None else content)
    return packed.getvalue()


def sentences_of(folder: Path) -> object:
    (folder / "sentences.jsonl.gz").write_bytes(gzip.compress(bytes(SIZE)))
    return read_sentences(folder)


def known(name: str, read: Callable[[Path], object]) -> Callable[[Path], object]:
    def use(folder: Path) -> object:
        (folder / name).write_bytes(PACKINGS[name.rpartition(".")[2]](b" " * SIZE))
        return read(folder / name)

    return use


def packed_as(packing: str) -> dict[str, Callable[[Path], object]]:
    reads: dict[str, Callable[[Path], object]] = {
        "memory.tmx": lambda path: list(read_memory(path)),
        "glossary.tbx": lambda path: list(read_glossary(path)),
        "memory.tsv": lambda path: list(read_memory(path)),
        "classes": read_classes,
        "weights": lambda path: Weights().read(path),
        "corpus": lambda path: read_corpus(path, [path]),
    }
    return {f"{name}.{packing}": known(f"{name}.{packing}", read) for name, read in reads.items()}


READERS: dict[str, Callable[[Path], object]] = {
    "results of an experiment": archive_of,
    "docx": lambda folder: Document.read("a.docx", zipped("word/document.xml")),
    "odt": lambda folder: Document.read("a.odt", zipped("content.xml")),
    "numpy": lambda folder: read_arrays(io.BytesIO(zipped("a.npy"))),
    "sentences of a run": sentences_of,
    "pycdec": known("a.gz", lambda path: gzip_or_text(str(path)).read()),
    **packed_as("gz"),
}


ALL = READERS | packed_as("bz2") | packed_as("xz")


@pytest.mark.parametrize("read", ALL.values(), ids=ALL.keys())
def test_readers(tmp_path: Path, small: None, read: Callable[[Path], object]) -> None:
    with pytest.raises(ValueError, match="at most 200 times its size") as refused:
        read(tmp_path)
    assert all(path.name in str(refused.value) for path in tmp_path.iterdir())


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


def resident() -> int:
    """Return the most memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def within(memory: int, use: Callable[[], object]) -> None:
    """Call something in a copy of this process, in which the most memory may grow by so many bytes."""
    child = os.fork()
    if not child:
        status = 1
        try:
            before = resident()
            use()
            status = 0 if resident() - before < memory else 2
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_memory_stays_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Path], object]
) -> None:
    """A bomb of 60 MB, of which 16 are unpacked; making it takes three copies."""
    monkeypatch.setattr(f"{__name__}.SIZE", 60 << 20)
    monkeypatch.setattr(lzma, "compress", partial(lzma.compress, preset=0))

    def refused() -> None:
        with pytest.raises(ValueError, match="at most 200 times its size"):
            read(tmp_path)

    within(250 << 20, refused)


def understated(packed: bytes) -> bytes:
    """Return an archive of one file that says it unpacks to 1000 bytes."""
    sizes = struct.pack("<I", SIZE)
    assert packed.count(sizes) == 2
    return packed.replace(sizes, struct.pack("<I", 1000))


def test_members_that_are_larger_than_they_say_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.SIZE", 60 << 20)
    packed = understated(zipped("content.xml"))

    def refused() -> None:
        with pytest.raises(InputError, match=r"a\.odt: expected an OpenDocument"):
            Document.read("a.odt", packed)

    within(30 << 20, refused)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_that_would_be_unpacked_at_once_are_refused(method: int) -> None:
    packed = zipped("content.xml", b"<a/>", method)
    with pytest.raises(InputError, match=r"a.odt: content.xml: expected a file that is stored or deflated"):
        Document.read("a.odt", packed)
    with pytest.raises(ValueError, match="stored or deflated"):
        read_arrays(io.BytesIO(zipped("a.npy", b"", method)))


def test_an_xz_file_may_not_ask_for_all_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its head says that 4 GB are needed to unpack it."""
    packed = bytearray(lzma.compress(b"la\n" * 1000, preset=0))
    end = 12 + 4 * (packed[12] + 1)
    packed[packed.index(b"\x21\x01", 12) + 2] = 40
    packed[end - 4 : end] = struct.pack("<I", zlib.crc32(packed[12 : end - 4]))
    (tmp_path / "in.xz").write_bytes(packed)

    def refused() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        with pytest.raises(InputError, match=r"in.xz:1: expected a compressed file that needs less memory"):
            list(lines.each_line(tmp_path / "in.xz"))

    within(100 << 20, refused)


@pytest.mark.parametrize(
    ("name", "part", "count"),
    [
        ("a.md", "a\n\n", 100_001),
        ("a.md", "|", 1_000_001),
        ("a.html", "<p>", 2_000_001),
        ("a.json", "[{},", 1_000_000),
        ("a.po", "\n", 2_000_001),
        ("a.srt", "\n", 2_000_001),
        ("a.csv", ",", 5_000_001),
        ("a.resx", "<a/>", 4_000_001),
        ("a.docx", "<a/>", 4_000_001),
    ],
)
def test_documents_have_a_number_of_parts(name: str, part: str, count: int) -> None:
    """Small files, whose parts would take gigabytes."""
    content = f"<a>{part * count}</a>" if part == "<a/>" else part * count

    def refused() -> None:
        with pytest.raises(InputError, match=rf"{name}:.* expected at most [0-9,]+00 "):
            packed = zipped("word/document.xml", content.encode(), zipfile.ZIP_STORED)
            Document.read(name, packed if name == "a.docx" else content.encode())

    within(500 << 20, refused)


@pytest.mark.parametrize("text", ["[" + "[]," * 600 + "1]", b"[" + b'{"a":1},' * 600 + b"1]"])
def test_json_has_a_number_of_values(monkeypatch: pytest.MonkeyPatch, text: str | bytes) -> None:
    assert len(parse_json(text)) == 601
    monkeypatch.setattr(stored, "_MOST_VALUES", 1000)
    with pytest.raises(ValueError, match="expected JSON of at most 1,000 values"):
        parse_json(text)


def test_sparse_files_of_an_archive_are_refused(tmp_path: Path) -> None:
    """Some bytes would be written as a file of 8 GB."""
    head = bytearray(tarfile.TarInfo("plan.json").tobuf(tarfile.GNU_FORMAT))
    head[156:157], head[483:495] = b"S", b"77777777777\0"  # the type, and the size
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    (tmp_path / "runs.tar.xz").write_bytes(lzma.compress(bytes(head) + bytes(1024)))
    with (
        pytest.raises(InputError, match=r"runs\.tar\.xz: .*expected a file of the archive's own"),
        opened("plan", tmp_path),
    ):
        pass


@pytest.mark.parametrize(
    "text", ["a" + ".a" * 5000 + " = 1", "[" + "a. 'b-c' ." * 5000 + "a]", "a = " + "[" * 5000]
)
def test_toml_is_not_nested_deeply(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(InputError, match=r"plan\.toml: .*nested too deeply"):
        read_plan(tmp_path / "plan.toml", tmp_path)


def test_html_names_characters_of_few_digits() -> None:
    with pytest.raises(
        InputError, match=r"a\.html:2: expected HTML: no character has the number &#9999999999…"
    ):
        Document.read("a.html", b"<p>a\n&#" + b"9" * 5000 + b";</p>")

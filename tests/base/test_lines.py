"""Text files read alike wherever lines are read."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.waiting import PATIENCE

from hopefear.base import InputError
from hopefear.base.lines import each_line, read_lines, read_texts, together
from hopefear.decoder import Decoder
from hopefear.grammars.bitext import Bitext
from hopefear.plugins.corpus import read_segments

Read = Callable[[Path], list[str]]
BOM = b"\xef\xbb\xbf"


def by_bitext(path: Path) -> list[str]:
    """The lines of one word each, as native code reads them."""
    links = path.with_name("links")
    links.write_text("\n" * len(list(read_lines(path))))
    bitext = Bitext.read(path, path, links)
    return [" ".join(bitext.source(i)) for i in range(len(bitext))]


READERS: dict[str, Read] = {
    "read_lines": lambda path: [line for _, line in read_lines(path)],
    "each_line": lambda path: list(each_line(path)),
    "read_texts": read_texts,
    "bitext": by_bitext,
}


@pytest.fixture(params=READERS)
def read(request: pytest.FixtureRequest) -> Read:
    return READERS[request.param]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"a\nb", ["a", "b"]),
        (b"a\r\n\r\nb\r\r\n", ["a", "", "b"]),
        (BOM + b"a\nb\n", ["a", "b"]),
        (BOM + b"\r\n", [""]),
        (BOM, [""]),
        (b"a\n" + BOM + b"b\n", ["a", "\ufeffb"]),  # only where a file begins
        (BOM + BOM + b"a\n", ["\ufeffa"]),
        ("é\u2028x\x85\n".encode(), ["é\u2028x\x85"]),
    ],
)
def test_lines(read: Read, tmp_path: Path, content: bytes, expected: list[str]) -> None:
    if read is read_texts:
        expected = [line.strip(" \t") for line in expected]
    for name, text in {
        "plain": content,
        "plain.gz": content,  # what a file holds tells, not its name
        "packed.gz": gzip.compress(content),
        "packed": gzip.compress(content),
    }.items():
        (tmp_path / name).write_bytes(text)
        assert read(tmp_path / name) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\0\n", ":2: expected text, got a zero byte"),
        (b"a\nb\xc3\n", ":2: expected UTF-8, got byte 0xc3 at byte 2"),
        (BOM + b"ab\xff\n", ":1: expected UTF-8, got byte 0xff at byte 3"),
        (b"a \xed\xa0\x80\n", ":1: expected UTF-8, got byte 0xed at byte 3"),
        (b"a \xf0\x9f\x98 b\n", ":1: expected UTF-8, got byte 0xf0 at byte 3"),
        (gzip.compress(b"a\n" * 99, mtime=0)[:-9], ":100: expected a whole gz file: "),
        (b"\x1f\x8b no gz", ":1: expected a whole gz file: "),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "text"
    path.write_bytes(content)
    for name in "read_lines", "each_line", "read_texts":
        with pytest.raises(InputError) as caught:
            READERS[name](path)
        assert str(caught.value).startswith(f"{path}{message}")
    if b"gz" not in content and not content.startswith(b"\x1f"):
        (tmp_path / "links").write_text("\n\n")
        with pytest.raises(InputError) as caught:
            Bitext.read(path, path, tmp_path / "links")
        assert str(caught.value) == f"{path}{message}"


def test_a_missing_file_is_told_at_once(tmp_path: Path) -> None:
    message = f"^{tmp_path / 'none'}: cannot be read: No such file or directory$"
    with pytest.raises(InputError, match=message):
        each_line(tmp_path / "none")
    with pytest.raises(InputError, match=message):
        next(read_lines(tmp_path / "none"))
    (error,) = read_segments(tmp_path / "none")
    assert isinstance(error, InputError)
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        each_line(tmp_path)


def test_a_segment_behind_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(BOM + b'<seg id="7">la casa</seg>\n')
    (segment,) = read_segments(tmp_path / "in")
    assert not isinstance(segment, InputError)
    assert (segment.id, segment.tokens) == (7, ("la", "casa"))


def test_set_ups_behind_byte_order_marks(tmp_path: Path) -> None:
    for name, text in {
        "cdec.ini": "formalism=scfg\ngrammar=grammar\nweights=weights\n",
        "grammar": "[X] ||| la ||| the ||| p=1\n",
        "weights": "p 2\n",
    }.items():
        (tmp_path / name).write_bytes(BOM + text.encode())
    decoder = Decoder(tmp_path / "cdec.ini")
    assert decoder.weights["p"] == 2
    assert decoder.translate("la").viterbi() == "the"


def test_a_line_from_a_pipe_is_given_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    given: list[str] = []
    more = threading.Event()

    def write() -> None:
        with open(tmp_path / "pipe", "wb", buffering=0) as pipe:
            pipe.write(b"one\n")
            more.wait(PATIENCE)
            pipe.write(b"two\n")

    writer = threading.Thread(target=write)
    writer.start()
    lines: Iterator[str] = each_line(tmp_path / "pipe")
    given.append(next(lines))
    assert not more.is_set()
    more.set()
    assert [*given, *lines] == ["one", "two"]
    writer.join()


def test_the_number_of_an_open_file_is_no_path() -> None:
    with pytest.raises(TypeError, match="int"):
        each_line(1)  # type: ignore[arg-type]


def test_files_that_belong_together_have_as_many_lines(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "fea"]
    for path, text in zip(paths, ("1\n2\n", "x\ny\n", "a\n"), strict=True):
        path.write_text(text)
    assert list(together(paths[:2], *map(each_line, paths[:2]))) == [("1", "x"), ("2", "y")]
    with pytest.raises(InputError, match="/a:2: expected as many lines as in the other files"):
        list(together(paths, *map(each_line, paths)))

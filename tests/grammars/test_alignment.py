"""Alignment files, and eflomal on text whose links are known."""

from __future__ import annotations

import gzip
import random
import re
from itertools import islice
from pathlib import Path

import pytest

from hopefear.base import InputError
from hopefear.grammars.alignment import align, read_alignment, write_alignment
from hopefear.grammars.symmetrisation import Link

LINKS: list[list[Link]] = [[(0, 0), (2, 1)], [], [(10, 3)]]


@pytest.mark.parametrize("name", ["links", "links.gz"])
def test_written_and_read(tmp_path: Path, name: str) -> None:
    write_alignment(tmp_path / name, LINKS)
    assert list(read_alignment(tmp_path / name)) == LINKS
    if name == "links":
        assert (tmp_path / name).read_text() == "0-0 2-1\n\n10-3\n"


def test_the_same_links_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_alignment(tmp_path / name, LINKS)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_other_white_space_is_read(tmp_path: Path) -> None:
    (tmp_path / "links").write_bytes(b" 0-0\t1-1 \r\n1-0  2-2\n")
    assert list(read_alignment(tmp_path / "links")) == [[(0, 0), (1, 1)], [(1, 0), (2, 2)]]


@pytest.mark.parametrize("line", ["0-0 1", "0-x", "0--1", "-1-0", "0-0-0", "0:1", "0-0 ?", "٠-٠", "0,1"])
def test_bad_lines_are_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "links").write_text(f"0-0\n{line}\n", "utf-8")
    place = re.escape(f"{tmp_path / 'links'}:2: expected links such as 0-0 1-2, got ")
    with pytest.raises(InputError, match=place):
        list(read_alignment(tmp_path / "links"))


def test_a_cut_gz_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "links.gz").write_bytes(gzip.compress(b"0-0\n" * 100)[:-9])
    with pytest.raises(InputError, match=r"links\.gz:\d+: expected a whole gz file"):
        list(read_alignment(tmp_path / "links.gz"))


def test_what_breaks_off_leaves_the_old_file(tmp_path: Path) -> None:
    write_alignment(tmp_path / "links", LINKS)
    with pytest.raises(ZeroDivisionError):
        write_alignment(tmp_path / "links", ([(1 // i, 0)] for i in (1, 0)))
    assert list(read_alignment(tmp_path / "links")) == LINKS
    assert [path.name for path in tmp_path.iterdir()] == ["links"]


@pytest.fixture
def reversed_text(tmp_path: Path) -> Path:
    """A text whose translation has the word of each word, in reverse order."""
    draw = random.Random(3)
    # A no-break space and an ideographic one are parts of words.
    words = [*"abcdefghijklmnop", "q\u00a0r", "s\u3000t"]
    sentences = [draw.sample(words, draw.randint(3, 7)) for _ in range(400)]
    (tmp_path / "f").write_text("".join(" ".join(s) + "\n" for s in sentences), "utf-8")
    (tmp_path / "e").write_text("".join(" ".join(w * 2 for w in s[::-1]) + "\n" for s in sentences), "utf-8")
    return tmp_path


@pytest.mark.parametrize("symmetrisation", ["grow-diag-final-and", "intersection", "union"])
def test_eflomal_finds_the_links(reversed_text: Path, symmetrisation: str) -> None:
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    output = reversed_text / "links"
    align(reversed_text / "f", reversed_text / "e", output, symmetrisation=symmetrisation)
    found = list(read_alignment(output))
    lengths = [len(line.split(" ")) for line in (reversed_text / "f").read_text("utf-8").splitlines()]
    expected = [{(i, n - 1 - i) for i in range(n)} for n in lengths]
    right = sum(len(e.intersection(f)) for e, f in zip(expected, found, strict=True))
    assert right > 0.95 * sum(map(len, expected))
    assert right > 0.9 * sum(map(len, found))


def test_an_empty_side_has_no_links(reversed_text: Path) -> None:
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    lines = (reversed_text / "e").read_text("utf-8").splitlines(keepends=True)
    (reversed_text / "e").write_text("".join(["\n", *lines[1:]]), "utf-8")
    align(reversed_text / "f", reversed_text / "e", reversed_text / "links")
    first, *others = read_alignment(reversed_text / "links")
    assert first == [] and all(others)


def test_a_long_pair_has_no_links_and_is_counted(reversed_text: Path) -> None:
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    for side in ("f", "e"):
        first, *others = (reversed_text / side).read_text("utf-8").splitlines(keepends=True)
        words = " ".join([first.strip()] * 40) if side == "e" else first.strip()
        (reversed_text / side).write_text("".join([words + "\n", *others]), "utf-8")
    with pytest.warns(UserWarning, match=r"left out 1 sentence that has more than 30 words \(the limit of"):
        align(reversed_text / "f", reversed_text / "e", reversed_text / "links", max_words=30)
    first, *links = read_alignment(reversed_text / "links")
    assert first == [] and all(links)


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("a\nb\n", "x\n", r"/e:2: expected as many lines as in the other files"),
        ("a\n", "x\ny\n", r"/f:2: expected as many lines as in the other files"),
        ("", "", r"/f: expected sentences, got an empty file"),
    ],
)
def test_bad_text_is_named(tmp_path: Path, source: str, target: str, message: str) -> None:
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    (tmp_path / "f").write_text(source)
    (tmp_path / "e").write_text(target)
    with pytest.raises(InputError, match=message):
        align(tmp_path / "f", tmp_path / "e", tmp_path / "links")
    assert not (tmp_path / "links").exists()


def test_an_unknown_symmetrisation(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"symmetrisation must be one of .*, got 'grow'"):
        align(tmp_path / "f", tmp_path / "e", tmp_path / "links", symmetrisation="grow")


@pytest.mark.slow
def test_near_another_aligner(shared: Path, tmp_path: Path) -> None:
    """Of the links that eflomal finds in both directions, fast_align has most."""
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    tanaka = shared / "data" / "tanaka"
    for name in ("train.ja", "train.en", "train.ja-en.align"):
        with gzip.open(tanaka / f"{name}.gz") as lines:
            (tmp_path / name).write_bytes(b"".join(islice(lines, 5_000)))
    align(tmp_path / "train.ja", tmp_path / "train.en", tmp_path / "links", symmetrisation="intersection")
    ours, theirs = (list(read_alignment(tmp_path / name)) for name in ("links", "train.ja-en.align"))
    common = sum(len(set(a).intersection(b)) for a, b in zip(ours, theirs, strict=True))
    assert common > 0.75 * sum(map(len, ours))
    assert common > 0.3 * sum(map(len, theirs))

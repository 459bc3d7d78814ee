from __future__ import annotations

import gzip
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.feature_extractors.distortion_table import LONGEST, SIZES, read_log_probabilities
from hopefear.grammars.distortion_table import DistortionCounter, count_distortion, write_distortion_table

Links = set[tuple[int, int]]


class Phrase(NamedTuple):
    """Source span [i, j) and target span [k, l)."""

    i: int
    j: int
    k: int
    l: int  # noqa: E741


def initial_phrases(source: int, target: int, links: Links, max_span: int) -> list[Phrase]:
    """All phrase pairs whose edges are linked and whose words are linked to each other only."""
    found = []
    for i, j in combinations(range(source + 1), 2):
        for k, l in combinations(range(target + 1), 2):  # noqa: E741
            inside = {(u, v) for u, v in links if i <= u < j and k <= v < l}
            touching = {(u, v) for u, v in links if i <= u < j or k <= v < l}
            edges = {i, j - 1} <= {u for u, _ in inside} and {k, l - 1} <= {v for _, v in inside}
            if inside == touching and edges and j - i <= max_span:
                found.append(Phrase(i, j, k, l))
    return found


def place(word: int, begin: int, gaps: list[tuple[int, int]]) -> int | None:
    """The position of a word in a rule's side, None where it is inside a nonterminal."""
    if any(i <= word < j for i, j in gaps):
        return None
    return word - begin - sum(j - i - 1 for i, j in gaps if j <= word)


def by_definition(
    source: int, target: int, links: Links, *, max_span: int, max_symbols: int, min_gap: int
) -> NDArray[np.int64]:
    """Writes every rule out, as symbols and links, and looks at it."""
    counts = np.zeros((LONGEST, 2), np.int64)
    phrases = initial_phrases(source, target, links, max_span)
    for phrase in phrases:
        smaller = [
            p for p in phrases
            if p != phrase and phrase.i <= p.i and p.j <= phrase.j and p.j - p.i >= min_gap
        ]  # fmt: skip
        for gaps in [*((p,) for p in smaller), *combinations(smaller, 2)]:
            ordered = sorted(gaps)
            if len(gaps) == 2 and ordered[0].j >= ordered[1].i:  # overlap or touch
                continue
            here, there = [(p.i, p.j) for p in ordered], [(p.k, p.l) for p in ordered]
            symbols = phrase.j - phrase.i - sum(j - i - 1 for i, j in here)
            word_links = [
                (place(u, phrase.i, here), place(v, phrase.k, there))
                for u, v in links
                if phrase.i <= u < phrase.j and place(u, phrase.i, here) is not None
            ]
            if symbols > max_symbols or not word_links:
                continue
            own = [
                (p.i - phrase.i - sum(j - i - 1 for i, j in here if j <= p.i),
                 p.k - phrase.k - sum(end - k - 1 for k, end in there if end <= p.k))
                for p in ordered
            ]  # fmt: skip
            for p, (s, t) in zip(ordered, own, strict=True):
                reordered = any((s < u) != (t < v) for u, v in [*own, *word_links] if (u, v) != (s, t))  # type: ignore[operator]
                counts[min(p.j - p.i, LONGEST) - 1, int(reordered)] += 1
    return counts


@st.composite
def pairs(draw: st.DrawFn) -> tuple[int, int, Links]:
    source, target = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    cells = list(product(range(source), range(target)))
    return source, target, draw(st.sets(st.sampled_from(cells), max_size=12)) if cells else set()


@settings(deadline=None)
@given(pairs(), st.integers(1, 10), st.integers(1, 6), st.integers(1, 3))
def test_against_rules_written_out(
    pair: tuple[int, int, Links], max_span: int, max_symbols: int, min_gap: int
) -> None:
    counter = DistortionCounter(max_span=max_span, max_symbols=max_symbols, min_gap=min_gap)
    expected = by_definition(*pair, max_span=max_span, max_symbols=max_symbols, min_gap=min_gap)
    assert counter.count(*pair).tolist() == expected.tolist()


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(st.permutations(range(13)), st.data())
def test_long_permutations_against_rules_written_out(order: list[int], data: st.DataObject) -> None:
    # Near the diagonal, where phrases are many.
    width = data.draw(st.integers(1, 4))
    near = sorted(range(13), key=lambda i: i + order[i] * width / 13)
    links = set(enumerate(near))
    limits = {"max_span": 12, "max_symbols": 5, "min_gap": 1}
    assert (
        DistortionCounter(**limits).count(13, 13, links).tolist()
        == by_definition(13, 13, links, **limits).tolist()
    )


def test_by_hand() -> None:
    # a b with b' a': the rules a [b] -> [b'] a' and [a] b -> b' [a'] reorder their nonterminals of one word.
    assert DistortionCounter().count(2, 2, [(0, 1), (1, 0)])[0].tolist() == [0, 2]
    assert DistortionCounter().count(2, 2, [(0, 0), (1, 1)])[0].tolist() == [2, 0]
    assert not DistortionCounter().count(3, 2, [(0, 0), (2, 1)])[2:].any()
    # The word between [a] and [c] is not linked: no link is left between words.
    assert DistortionCounter().count(3, 2, [(0, 0), (2, 1)])[0].tolist() == [2, 0]
    assert DistortionCounter().count(0, 0, []).sum() == 0


def test_long_nonterminals_are_of_one_size() -> None:
    counts = DistortionCounter().count(12, 12, [(i, i) for i in range(12)])
    expected = by_definition(12, 12, {(i, i) for i in range(12)}, max_span=15, max_symbols=5, min_gap=1)
    assert counts.tolist() == expected.tolist()
    # In the two phrases of eleven words: ten of them, one left on either side. In that of twelve: eleven,
    # likewise; ten, two left; ten, a word, and a nonterminal of one word, in either order.
    assert counts[9].tolist() == [2 * 2 + 2 + 3 + 2, 0]


def test_long_phrases() -> None:
    """They are counted block by block: memory does not grow with the limits."""
    words = 300
    counter = DistortionCounter(max_span=2**31 - 1, max_symbols=2)
    counts = counter.count(words, words, [(i, i) for i in range(words)])
    # Of each phrase of more than one word: all but the first word, and all but the last.
    sizes = [2 * (words - size) for size in range(1, words)]
    assert counts[:, 0].tolist() == [*sizes[:9], sum(sizes[9:])] and not counts[:, 1].any()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Sentences in which every size is there, in order and reversed."""
    words = " ".join("abcdefghijklmn")
    straight = " ".join(f"{i}-{i}" for i in range(14))
    reverse = " ".join(f"{i}-{13 - i}" for i in range(14))
    for name, lines in (("f", [words, words, ""]), ("e", [words, words, ""]), ("a", [straight, reverse, ""])):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress("".join(line + "\n" for line in lines).encode()))
    return tmp_path / "f.gz", tmp_path / "e.gz", tmp_path / "a.gz"


def test_files_and_table(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    counts = count_distortion(*files)
    straight = DistortionCounter().count(14, 14, [(i, i) for i in range(14)])
    assert counts.tolist() == (straight + straight[:, ::-1]).tolist()
    counts[2] = 3, 1
    write_distortion_table(counts, tmp_path / "table")
    assert [line.split()[0] for line in (tmp_path / "table").read_text().splitlines()[1:]] == list(SIZES)
    read = read_log_probabilities(tmp_path / "table")
    assert np.exp(read[:, 2]) == pytest.approx([0.75, 0.25])
    assert np.exp(read).sum(axis=0) == pytest.approx(1)


def test_only_the_first_sentences(files: tuple[Path, Path, Path]) -> None:
    with pytest.raises(
        InputError, match=r"a.gz: expected nonterminals of 1 words that are reordered, got none"
    ):
        count_distortion(*files, sentences=1)


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ("0-0 1", "a:1: expected links such as 0-0 1-2, got '1'"),
        ("0-0 x-1", "a:1: expected links such as 0-0 1-2, got 'x-1'"),
        ("0-0 2-1", "a:1: expected links between 2 and 3 words, got 2-1"),
        ("0-0\n0-0", "f:2: expected as many lines as in the other files"),
    ],
)
def test_errors_say_where(tmp_path: Path, links: str, message: str) -> None:
    for name, text in (("f", "a b"), ("e", "c d e"), ("a", links)):
        (tmp_path / name).write_text(text + "\n")
    with pytest.raises(InputError, match=f"(^|/){message}"):
        count_distortion(tmp_path / "f", tmp_path / "e", tmp_path / "a")


def test_no_break_spaces_are_parts_of_words(tmp_path: Path) -> None:
    for name, text in (("f", "a\u00a0b\tc"), ("e", "x y"), ("a", "2-0")):
        (tmp_path / name).write_text(text + "\n", "utf-8")
    with pytest.raises(InputError, match="a:1: expected links between 2 and 2 words"):
        count_distortion(tmp_path / "f", tmp_path / "e", tmp_path / "a")


def test_damaged_files(tmp_path: Path) -> None:
    (tmp_path / "good").write_text("a\na\n")
    (tmp_path / "links").write_text("0-0\n0-0\n")
    (tmp_path / "latin").write_bytes(b"a\n\xe9\n")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"0-0\n" * 1000)[:-12])
    with pytest.raises(InputError, match="latin:2: expected UTF-8"):
        count_distortion(tmp_path / "latin", tmp_path / "good", tmp_path / "links")
    with pytest.raises(InputError, match="missing: cannot be read: No such file"):
        count_distortion(tmp_path / "good", tmp_path / "missing", tmp_path / "links")
    with pytest.raises(InputError, match=r"cut.gz:\d+: expected a whole gz file"):
        count_distortion(tmp_path / "cut.gz", tmp_path / "cut.gz", tmp_path / "cut.gz")


def test_larger_nonterminals_are_reordered_less(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data/tanaka"
    counts = count_distortion(
        folder / "train.en.gz",
        folder / "train.ja.gz",
        _turned(folder / "train.ja-en.align.gz", tmp_path),
        sentences=3000,
    )
    share = counts[:, 1] / counts.sum(axis=1)
    assert (counts > 0).all()
    assert share[0] > share[4] > share[8]  # the paper's intuition: the larger, the more rarely reordered


def _turned(path: Path, folder: Path) -> Path:
    with gzip.open(path, "rt") as lines, open(folder / "turned", "w") as out:
        for line in lines:
            out.write(" ".join("-".join(link.split("-")[::-1]) for link in line.split()) + "\n")
    return folder / "turned"

"""Symmetrised alignments against the definition: Koehn's pseudo-code, written down as it stands."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hopefear.grammars.symmetrisation import HEURISTICS, Link, grow_diag_final_and, intersection, union

NEIGHBOURING = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def by_definition(e2f: set[Link], f2e: set[Link], f_words: int, e_words: int) -> set[Link]:
    """GROW-DIAG-FINAL-AND(e2f, f2e); points are (f, e)."""
    alignment = e2f & f2e

    def e_aligned(e: int) -> bool:
        return any(point[1] == e for point in alignment)

    def f_aligned(f: int) -> bool:
        return any(point[0] == f for point in alignment)

    added = True
    while added:
        added = False
        for e, f in product(range(e_words), range(f_words)):
            if (f, e) not in alignment:
                continue
            for down, right in NEIGHBOURING:
                e_new, f_new = e + down, f + right
                if (
                    (f_new, e_new) in e2f | f2e
                    and (f_new, e_new) not in alignment
                    and (not e_aligned(e_new) or not f_aligned(f_new))
                ):
                    alignment.add((f_new, e_new))
                    added = True
    for a in (e2f, f2e):
        for e_new, f_new in product(range(e_words), range(f_words)):
            if (f_new, e_new) in a and not e_aligned(e_new) and not f_aligned(f_new):
                alignment.add((f_new, e_new))
    return alignment


@st.composite
def pairs_of_alignments(draw: st.DrawFn) -> tuple[set[Link], set[Link], int, int]:
    f_words, e_words = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    links = st.sets(st.tuples(st.integers(0, f_words - 1), st.integers(0, e_words - 1)), max_size=16)
    shared = draw(links)
    return draw(links) | shared, draw(links) | shared, f_words, e_words


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(pairs_of_alignments())
@example(({(0, 0), (1, 1)}, {(0, 0), (1, 1)}, 2, 2))
@example((set(), set(), 1, 1))
def test_by_the_definition(case: tuple[set[Link], set[Link], int, int]) -> None:
    forward, reverse, f_words, e_words = case
    assert grow_diag_final_and(forward, reverse) == sorted(by_definition(forward, reverse, f_words, e_words))
    assert intersection(forward, reverse) == sorted(forward & reverse)
    assert union(forward, reverse) == sorted(forward | reverse)


@pytest.mark.parametrize(
    ("forward", "reverse", "expected"),
    [
        # Next to the shared 0-0: 1-0 links source word 1, then 1-1 links target word 1.
        ([(0, 0), (1, 1)], [(0, 0), (1, 0)], [(0, 0), (1, 0), (1, 1)]),
        # Far from what is shared: 2-2 joins two free words, 3-2 then does not.
        ([(0, 0), (2, 2)], [(0, 0), (3, 2)], [(0, 0), (2, 2)]),
        # Both words of 1-1 are linked when it is its turn.
        ([(0, 1), (1, 0), (1, 1)], [(0, 1), (1, 0)], [(0, 1), (1, 0)]),
        # Nothing is shared: forward's links come first.
        ([(0, 0)], [(0, 1), (1, 1)], [(0, 0), (1, 1)]),
    ],
)
def test_small_cases(forward: list[Link], reverse: list[Link], expected: list[Link]) -> None:
    assert grow_diag_final_and(forward, reverse) == expected


def test_names() -> None:
    assert list(HEURISTICS) == ["grow-diag-final-and", "intersection", "union"]


class Word(int):
    """A position that counts how often it is looked up."""

    asked = 0

    def __add__(self, other: int) -> Word:
        return Word(int(self) + other)

    def __hash__(self) -> int:
        Word.asked += 1
        return int(self)


def test_the_work_grows_with_the_number_of_words() -> None:
    # As two aligners give them: a link a word in each direction, most of them the same.
    asked = []
    for words in (250, 1000):
        draw = np.random.default_rng(5)
        forward = [
            (Word(source), Word(target)) for target, source in enumerate(draw.integers(0, words, words))
        ]
        change = draw.random(words) < 0.3
        reverse = [(t if c else s, t) for (s, t), c in zip(forward, change, strict=True)]
        Word.asked = 0
        grow_diag_final_and(forward, reverse)
        asked.append(Word.asked)
    assert 0 < asked[1] < 5 * asked[0]

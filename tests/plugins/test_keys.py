from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hopefear.plugins.keys import SequenceTable, number_keys, ranges, source_steps, take_rows

deterministic = settings(derandomize=True)
sequences = st.lists(st.lists(st.integers(0, 3) | st.integers(0, 2**31 - 1), max_size=4), max_size=12)


@deterministic
@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2)))
def test_keys(keys: list[int]) -> None:
    numbers, distinct = number_keys(np.array(keys, np.int64))
    assert distinct.tolist() == list(dict.fromkeys(keys))
    assert distinct[numbers].tolist() == keys


@deterministic
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4))))
def test_ranges(pairs: list[tuple[int, int]]) -> None:
    begins = np.array([begin for begin, _ in pairs], np.int32)
    indptr, indices = ranges(begins, begins + np.array([size for _, size in pairs], np.int32))
    rows = [indices[a:b].tolist() for a, b in pairwise(indptr)]
    assert rows == [list(range(begin, begin + size)) for begin, size in pairs]


@deterministic
@given(st.lists(sequences, max_size=4))
def test_sequences(calls: list[list[list[int]]]) -> None:
    table = SequenceTable()
    numbers: dict[tuple[int, ...], int] = {(): 0}
    for call in calls:
        rows = np.array([row for row, items in enumerate(call) for _ in items], np.int64)
        items = np.array([item for items in call for item in items], np.int32)
        found = table.numbers(len(call), rows, items)
        assert found.dtype == np.int32
        for sequence, number in zip(map(tuple, call), found.tolist(), strict=True):
            assert numbers.setdefault(sequence, number) == number
        indptr, items = table.items(found)
        assert [items[a:b].tolist() for a, b in pairwise(indptr)] == call
    assert len(set(numbers.values())) == len(numbers)
    assert max(numbers.values()) < len(table)


@pytest.mark.parametrize(
    ("n", "rows", "items", "message"),
    [
        (2, [1, 0], [5, 6], "expected rows in ascending order"),
        (2, [0, 2], [5, 6], "expected rows in ascending order"),
        (2, [-1, 0], [5, 6], "expected rows in ascending order"),
        (2, [0, 1], [5, -6], "expected items of at least 0"),
        (2, [0], [5, 6], "expected one row for each item"),
    ],
)
def test_sequences_that_are_refused(n: int, rows: list[int], items: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SequenceTable().numbers(n, np.array(rows), np.array(items, np.int32))


def test_unknown_sequences() -> None:
    for number in (-1, 1):
        with pytest.raises(IndexError, match="expected the number of a known sequence"):
            SequenceTable().items(np.array([number]))


@deterministic
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 9), st.floats(-2, 2)), max_size=4), min_size=1, max_size=6),
    st.data(),
    st.sampled_from([np.int32, np.int64]),
)
def test_some_rows_of_a_matrix(
    matrix: list[list[tuple[int, float]]], data: st.DataObject, kind: type[np.signedinteger[Any]]
) -> None:
    indptr = np.cumsum([0, *map(len, matrix)], dtype=kind)
    columns = np.array([column for row in matrix for column, _ in row], np.int32)
    values = np.array([value for row in matrix for _, value in row], np.float64)
    rows = data.draw(st.lists(st.integers(0, len(matrix) - 1)))
    begins, *taken = take_rows(indptr, columns, values, np.array(rows, np.int64))
    assert begins.dtype == kind
    entries = list(zip(*(array.tolist() for array in taken), strict=True))
    assert [entries[a:b] for a, b in pairwise(begins)] == [matrix[row] for row in rows]
    for row in (-1, len(matrix)):
        with pytest.raises(IndexError):
            take_rows(indptr, columns, values, np.array([row]))


@dataclass
class Groups:
    """Groups of rules without rules, each a span with the spans of its tails."""

    spans: list[tuple[int, int]]
    tails: list[list[tuple[int, int]]]

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def head_category(self) -> NDArray[np.int32]:
        return np.ones(len(self), np.int32)

    @property
    def span(self) -> NDArray[np.int32]:
        return np.array(self.spans, np.int32).reshape(-1, 2)

    @property
    def tail_indptr(self) -> NDArray[np.int32]:
        return np.cumsum([0, *map(len, self.tails)], dtype=np.int32)

    @property
    def tail_span(self) -> NDArray[np.int32]:
        return np.array([tail for tails in self.tails for tail in tails], np.int32).reshape(-1, 2)


@deterministic
@given(st.lists(st.lists(st.tuples(st.booleans(), st.integers(1, 3)), min_size=1, max_size=5), max_size=5))
def test_source_steps(rules: list[list[tuple[bool, int]]]) -> None:
    # A rule is a sequence of nonterminals (true), which cover some words, and of runs of words.
    spans, tails, expected = [], [], []
    for number, rule in enumerate(rules):
        at, ends, own = number, [], []  # spans do not all begin with the sentence
        for is_tail, width in rule:
            pieces = [(at, at + width)] if is_tail else [(i, i + 1) for i in range(at, at + width)]
            own += [(begin, end, is_tail) for begin, end in pieces]
            at += width
        spans.append((number, at))
        tails.append([(begin, end) for begin, end, is_tail in own if is_tail])
        ends = [end - 1 for _, end, _ in own]
        words = [(-1, last) for last, (_, _, is_tail) in zip(ends, own, strict=True) if not is_tail]
        pairs = [(*pair, tail) for pair, (_, _, tail) in zip(pairwise(ends), own[1:], strict=True)]
        expected.append(words + [(a, b) for a, b, _ in sorted(pairs, key=lambda pair: pair[2])])
    indptr, previous, place = source_steps(Groups(spans, tails))
    steps = list(zip(previous.tolist(), place.tolist(), strict=True))
    assert [steps[a:b] for a, b in pairwise(indptr)] == expected

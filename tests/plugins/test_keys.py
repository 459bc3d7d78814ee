from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopefear.plugins.keys import SequenceTable, number_keys, ranges

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

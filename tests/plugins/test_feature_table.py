from __future__ import annotations

from collections import UserList
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.plugins import FeatureTable, PluginError

cells = st.tuples(st.integers(0, 4), st.sampled_from("abc"), st.floats(-9, 9))


def table(**changes: Any) -> FeatureTable:
    """Rows {a: 1}, {}, {a: 2, b: 3} of four items."""
    parts = {
        "names": ("a", "b"),
        "indptr": np.array([0, 1, 1, 3], np.int32),
        "columns": np.array([0, 0, 1], np.int32),
        "values": np.array([1.0, 2.0, 3.0]),
        "row": np.array([2, -1, 0, 2], np.int32),
    }
    return FeatureTable(**{**parts, **changes})


def test_items_share_rows() -> None:
    table().check(4, "P")
    both = {"a": 2, "b": 3}
    assert [table().features_of(item) for item in range(4)] == [both, {}, {"a": 1}, both]


def test_without_row_each_item_has_its_own() -> None:
    own = table(row=None)
    own.check(3, "P")
    assert [own.features_of(item) for item in range(3)] == [{"a": 1}, {}, {"a": 2, "b": 3}]


def test_equal_names_and_repeated_columns_add_up() -> None:
    doubled = table(names=("a", "a"), columns=np.array([0, 1, 1], np.int32))
    doubled.check(4, "P")
    assert doubled.features_of(0) == {"a": 5}


def test_empty() -> None:
    for n in (0, 3):
        nothing = FeatureTable.empty(n)
        nothing.check(n, "P")
        assert [nothing.features_of(item) for item in range(n)] == [{}] * n


@given(st.lists(cells))
def test_from_pairs_adds_up(pairs: list[tuple[int, str, float]]) -> None:
    made = FeatureTable.from_pairs(5, pairs)
    made.check(5, "P")
    for item in range(5):
        expected: dict[str, float] = {}
        for where, name, value in pairs:
            if where == item:
                expected[name] = expected.get(name, 0.0) + value
        assert made.features_of(item) == pytest.approx(expected)


def test_from_pairs_without_values() -> None:
    made = FeatureTable.from_pairs(2, [(1, "x"), (0, "y"), (1, "x")])
    assert [made.features_of(0), made.features_of(1)] == [{"y": 1}, {"x": 2}]
    FeatureTable.from_pairs(0, []).check(0, "P")


@pytest.mark.parametrize("item", [-1, 2])
def test_from_pairs_refuses_other_items(item: int) -> None:
    with pytest.raises(
        IndexError, match=f"feature x: expected an item below 2, the number of items, got {item}"
    ):
        FeatureTable.from_pairs(2, [(item, "x")])


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float64])
def test_from_dense(dtype: type) -> None:
    row = np.array([1, 0, -1], np.int32)
    made = FeatureTable.from_dense(("x", "y"), np.array([[0, 1], [1, 1]], dtype), row)
    made.check(3, "P")
    assert [made.features_of(item) for item in range(3)] == [{"x": 1, "y": 1}, {"y": 1}, {}]


def test_from_dense_of_no_rows_or_names() -> None:
    FeatureTable.from_dense(("x",), np.zeros((0, 1))).check(0, "P")
    FeatureTable.from_dense((), np.zeros((3, 0))).check(3, "P")


def test_from_dense_refuses_another_shape() -> None:
    with pytest.raises(ValueError, match=r"expected a matrix of shape \(R, 2\), got \(3, 1\)"):
        FeatureTable.from_dense(("x", "y"), np.zeros((3, 1)))


def int32(*numbers: int) -> Any:
    return np.array(numbers, np.int32)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"indptr": [0, 1, 1, 3]}, "indptr must be .*int32 array, got list"),
        ({"indptr": np.array([0, 1, 1, 2**40], np.int64)}, "indptr must be .*, got int64 of shape"),
        ({"indptr": int32()}, "indptr must have at least one element"),
        ({"indptr": int32(0, 2, 1, 3)}, "indptr must ascend from 0 to the size of columns, 3"),
        ({"indptr": int32(1, 1, 1, 3)}, "indptr must ascend"),
        ({"indptr": int32(0, 1, 1, 2)}, "indptr must ascend"),
        ({"columns": int32(0, 0, 2)}, r"columns must be in 0\.\.1, because there are 2 names"),
        ({"columns": int32(0, -1, 1)}, r"columns must be in 0\.\.1"),
        ({"columns": int32(0, 0, 0, 0, 1, 1)[::2]}, "columns must be .*, got one with strides"),
        ({"values": np.ones(3, np.float32)}, "values must be .*float64 array, got float32"),
        ({"values": np.ones((3, 1))}, r"values must be a one-dimensional.*\(3, 1\)"),
        ({"values": np.ones(2)}, "columns and values must have the same size, got 3 and 2"),
        ({"values": np.array([1, 2, np.nan])}, "the value of b must be finite, got nan"),
        ({"values": np.array([1, -np.inf, 1])}, "the value of a must be finite, got -inf"),
        (
            {"values": np.array([1, -1e39, 1])},
            r"the value of a must be at most 3\.40282e\+38 in size, got -1e\+39",
        ),
        ({"row": int32(0, 0, 0)}, "expected 4 elements of row, one for each item, got 3"),
        ({"row": None}, "expected 4 rows, one for each item, got 3"),
        ({"row": int32(0, 0, 0, 3)}, r"row must be in -1\.\.2, got 0\.\.3"),
        ({"row": int32(0, 0, 0, -2)}, r"row must be in -1\.\.2, got -2\.\.0"),
        ({"names": "ab"}, "names must be a sequence of str, got str"),
        ({"names": {"a": 1}.keys()}, "names must be a sequence of str, got dict_keys"),
        ({"names": UserList(["a", 3])}, "names must be str, got 3"),
        ({"names": ("a", "")}, "a feature name must not be empty, got ''"),
        ({"names": ("a", "b\tc")}, r".*white space, got 'b\\tc'"),
    ],
)
def test_check_names_plugin_and_fault(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PluginError, match=f"^MyPlugin: {message}"):
        table(**changes).check(4, "MyPlugin")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": np.zeros(4)}, "columns to be of type .*, got 1-dimensional array of float64"),
        ({"row": np.zeros(4)}, "row to be of type .*, got 1-dimensional array of float64"),
        ({"names": {"a", "b"}}, "names to be of type .*, got set"),
        ({"names": ("a", 3)}, r"names\[1\] to be of type str, got int"),
    ],
)
def test_wrong_types_are_refused_where_a_table_is_made(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=f"expected {message}"):
        table(**changes)


def test_arrays_of_int64_become_int32_where_nothing_is_lost() -> None:
    row = np.arange(4) % 2
    table = FeatureTable.from_dense(("a", "b"), np.eye(2), row=row)
    assert table.row.dtype == np.int32 and table.features_of(3) == {"b": 1.0}
    table.check(4, "mine")
    lost = FeatureTable.from_dense(("a", "b"), np.eye(2), row=row + 2**33)
    with pytest.raises(PluginError, match=r"mine: row must be .* int32 array, got int64 of shape"):
        lost.check(4, "mine")

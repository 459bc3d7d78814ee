from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopefear.plugins import NameForm, NameTable, PairNames, PluginError, WordNames, WordTable

deterministic = settings(derandomize=True)


def read(names: Sequence[str], indptr: np.ndarray, columns: np.ndarray) -> list[list[str]]:  # type: ignore[type-arg]
    assert indptr.dtype == columns.dtype == np.int32
    assert indptr[0] == 0
    assert indptr[-1] == len(columns)
    return [[names[c] for c in columns[a:b]] for a, b in pairwise(indptr)]


def names_of(key: int) -> list[str]:
    return [f"{key}:{k}" for k in range(abs(key) % 3)]


@deterministic
@given(st.lists(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=20), max_size=6))
def test_names_of_keys(calls: list[list[int]]) -> None:
    asked: list[int] = []

    def note(key: int) -> list[str]:
        asked.append(key)
        return names_of(key)

    table = NameTable(note)
    for keys in calls:
        assert read(table, *table.columns(np.array(keys, np.int64))) == [names_of(key) for key in keys]
    distinct = list(dict.fromkeys(key for keys in calls for key in keys))
    assert asked == distinct
    assert list(table) == table[:] == [name for key in distinct for name in names_of(key)]


def test_many_keys() -> None:
    table = NameTable(lambda key: [f"a{key}", f"b{key}"])
    for begin in range(0, 10_000, 3_000):
        keys = np.arange(begin, begin + 3_000)
        indptr, columns = table.columns(keys)
        assert read(table, indptr, columns) == [[f"a{key}", f"b{key}"] for key in keys]
    assert len(table) == 24_000


@pytest.mark.parametrize("name", ["", "a b", " a", "a\t", "a\n"])
def test_names_that_are_refused(name: str) -> None:
    table = NameTable(lambda key: [name])
    with pytest.raises(PluginError, match=r"a feature name must not (be empty|contain white space)"):
        table.columns(np.zeros(1, np.int64))


def test_a_no_break_space_is_a_part_of_a_word() -> None:
    table = NameTable(lambda key: ["10\u00a0000"])
    assert read(table, *table.columns(np.zeros(1, np.int64))) == [["10\u00a0000"]]


def shared_by_threads(
    columns: Callable[[list[int]], list[list[str]]], names: Callable[[int], list[str]]
) -> None:
    def ask(thread: int) -> None:
        rng = np.random.default_rng(thread)
        for _ in range(100):
            keys = rng.integers(0, 2_000, 50).tolist()
            assert columns(keys) == [names(key) for key in keys]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))


def test_threads_share_a_name_table() -> None:
    table = NameTable(names_of)
    shared_by_threads(lambda keys: read(table, *table.columns(np.array(keys))), names_of)
    assert len(set(table)) == len(table)


TYPES = ["surface", "prefix", "suffix"]
WORDS = ["violate", "tnthk", "the", "a=b", "ab"]


def tables(types: Sequence[str], other_types: Sequence[str]) -> tuple[WordTable, WordTable]:
    first, second = WordTable(types), WordTable(other_types)
    first.numbers(WORDS)
    second.numbers(WORDS[::-1])
    return first, second


@deterministic
@given(
    st.lists(st.sampled_from(TYPES), min_size=1, unique=True),
    st.sampled_from(["same", "all"]),
    st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=10), max_size=4),
)
def test_names_of_pairs(types: list[str], combine: str, calls: list[list[tuple[int, int]]]) -> None:
    first, second = tables(types, types[::-1])
    names = PairNames("P:", first, second, combine)  # type: ignore[arg-type]

    def expected(f: int, e: int) -> list[str]:
        one, other = (
            dict(zip(types, first.texts(f), strict=True)),
            dict(zip(types[::-1], second.texts(e), strict=True)),
        )
        pairs = [(a, b) for a in types for b in types if combine == "all" or a == b]
        return sorted({f"P:{one[a]}_{other[b]}" for a, b in pairs})

    seen: set[tuple[int, int]] = set()
    for call in calls:
        pairs = np.array(call, np.int32).reshape(-1, 2)
        rows = read(names, *names.columns(pairs[:, 0], pairs[:, 1]))
        assert [sorted(row) for row in rows] == [expected(f, e) for f, e in call]
        seen.update(call)
    assert sorted(names) == sorted(name for f, e in seen for name in expected(f, e))


def test_pairs_in_all_types() -> None:
    names = PairNames("P:", *tables(["surface", "prefix"], ["suffix"]), combine="all")
    rows = read(names, *names.columns(np.array([0, 2], np.int32), np.array([3, 3], np.int32)))
    assert rows == [["P:violate_+nthk", "P:viol+_+nthk"], ["P:the_+nthk"]]
    assert list(names[1:3]) == ["P:viol+_+nthk", "P:the_+nthk"]
    assert (names[-1], len(names), len(names[:2]), names[1:][0]) == ("P:the_+nthk", 3, 2, "P:viol+_+nthk")
    for index in (3, -4):
        with pytest.raises(IndexError):
            names[index]


def test_names_in_forms() -> None:
    first, second = tables(["surface", "prefix"], ["surface"])
    forms = [NameForm("T:", separator=">", combine="all"), NameForm("D:", "first"), NameForm("I:", "second")]
    names = WordNames(forms, first, second)
    keys = names.keys(np.array([0, 0, 2, 0, 0]), np.array([0, 0, 0, 3, 0]), np.array([0, 1, 1, 2, 0]))
    both = [f"T:violate>{second.texts(0)[0]}", f"T:viol+>{second.texts(0)[0]}"]
    rows = [both, ["D:violate", "D:viol+"], ["D:the"], [f"I:{second.texts(3)[0]}"], both]
    assert read(names, *names.columns(keys)) == rows
    assert list(names) == [name for row in rows[:-1] for name in row]
    with pytest.raises(IndexError):
        names.columns(names.keys(np.zeros(1, np.int32), 0, 3))
    with pytest.raises(PluginError, match="prefix must not"):
        WordNames([NameForm("# ", "first")], first, second)


def test_types_that_do_not_go_together() -> None:
    with pytest.raises(PluginError, match="combine all, got surface,prefix and surface"):
        PairNames("P:", *tables(["surface", "prefix"], ["surface"]))


@pytest.mark.parametrize(("first", "second"), [(5, 0), (0, 5), (-1, 0), (0, -1)])
def test_words_that_are_not_there(first: int, second: int) -> None:
    names = PairNames("P:", *tables(["surface"], ["surface"]))
    with pytest.raises(IndexError):
        names.columns(np.array([first], np.int32), np.array([second], np.int32))
    assert len(names) == 0
    assert read(names, *names.columns(np.zeros(1, np.int32), np.zeros(1, np.int32))) == [["P:violate_ab"]]


def test_threads_share_names_of_pairs() -> None:
    words = WordTable(["surface"])
    words.numbers([f"w{n}" for n in range(2_000)])
    names = PairNames("P:", words, words)

    def columns(keys: list[int]) -> list[list[str]]:
        array = np.array(keys, np.int32)
        return read(names, *names.columns(array, array // 2))

    shared_by_threads(columns, lambda key: [f"P:w{key}_w{key // 2}"])
    assert len(set(names)) == len(names)

"""Groups of runs from the results, for tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..plan import OF_A_RUN
from ..results import Result

_SPEAKING = {"system", "tuner", "tuned_on", "tested_on", "metric", "signature", "cell"}
"""Columns whose values are shown without the column's name."""


def select(runs: Iterable[Result], where: Mapping[str, Sequence[Any]]) -> list[Result]:
    """Return the runs whose columns have one of the given values."""
    return [run for run in runs if all(getattr(run, name) in values for name, values in where.items())]


def not_found(runs: Sequence[Result], where: Mapping[str, Sequence[Any]]) -> list[str]:
    """Name the values in `where` that no run has, each with its column."""
    return [
        f"{spoken(column)} {value}"
        for column, values in where.items()
        for value in values
        if all(getattr(run, column) != value for run in runs)
    ]


def separating(runs: Iterable[Result], named: Sequence[str]) -> tuple[str, ...]:
    """Return the unnamed columns that separate test sets and metrics, over which no mean is taken."""
    runs = list(runs)
    columns = ["tested_on"] if len({run.tested_on for run in runs}) > 1 else []
    if "signature" not in named:
        metrics, signatures = ({getattr(run, name) for run in runs} for name in ("metric", "signature"))
        if len(signatures) > 1:
            columns.append("metric" if len(metrics) == len(signatures) else "signature")
    return tuple(column for column in columns if column not in named)


def groups(
    runs: Sequence[Result], columns: Sequence[str], where: Mapping[str, Sequence[Any]]
) -> dict[tuple[Any, ...], list[Result]]:
    """Group runs by values of columns, in the order of `where`; else numbers ascend, texts stay in order."""
    places = [{value: place for place, value in enumerate(_order(runs, c, where))} for c in columns]
    found: dict[tuple[Any, ...], list[Result]] = {}
    for run in runs:
        found.setdefault(tuple(getattr(run, column) for column in columns), []).append(run)
    ranks = {key: [place[value] for place, value in zip(places, key, strict=True)] for key in found}
    return {key: found[key] for key in sorted(found, key=ranks.__getitem__)}


def once_a_cell(runs: Iterable[Result]) -> list[Result]:
    """Return one row per tuning run, for values that depend on neither test set nor metric."""
    return list({run.cell: run for run in reversed(list(runs))}.values())[::-1]


def mean_over(groups_of_runs: Iterable[Sequence[Result]]) -> list[str]:
    """Name the columns that vary within groups."""
    parts = list(groups_of_runs)
    return [
        spoken(column)
        for column in OF_A_RUN
        if any(len({getattr(run, column) for run in runs}) > 1 for runs in parts)
    ]


def spoken(column: str) -> str:
    """Return a column's name in plain words."""
    return "CPU seconds" if column == "seconds" else column.replace("_", " ")


def label(column: str, value: Any) -> str:
    """Return a value with the column's name where the value alone is unclear."""
    return str(value) if column in _SPEAKING else f"{spoken(column)} {value}"


def _order(runs: Sequence[Result], column: str, where: Mapping[str, Sequence[Any]]) -> list[Any]:
    found = list(dict.fromkeys(getattr(run, column) for run in runs))
    if column in where:
        return list(dict.fromkeys(where[column]))
    return found if any(isinstance(value, str) for value in found) else sorted(found)

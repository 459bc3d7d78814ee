"""Results of experiments in SQLite: one row for each tuning run, test set and metric."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TypeVar

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.base.files import written_whole
from hopefear.base.stored import read_array

from .cell_file import checked, read_facts

Row = TypeVar("Row", "Result", "FailedRun")

RESULTS = "results.sqlite"

_TYPES = {"str": "TEXT NOT NULL", "int": "INTEGER NOT NULL", "float": "REAL NOT NULL"}


@dataclass(frozen=True, slots=True)
class Result:
    """How well one tuning run translates one test set, by one metric: a row of the table ``runs``."""

    cell: str
    system: str
    tuner: str
    tuned_on: str
    size: int
    draw: int
    seed: int
    tested_on: str
    sentences: int
    metric: str
    signature: str
    score: float
    features: int
    passes: int
    seconds: float
    statistics: str


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A tuning run that failed in every try: a row of the table ``failures``."""

    cell: str
    reason: str


def write_runs(folder: Path, runs: Iterable[Result], failures: Iterable[FailedRun] = ()) -> None:
    """Write the tables of all runs and of all failures; no partly written file is left."""
    with written_whole(folder / RESULTS) as path:
        try:
            with closing(sqlite3.connect(path)) as database, database:
                _write(database, "runs", Result, runs)
                _write(database, "failures", FailedRun, failures)
        except sqlite3.OperationalError as error:
            raise InputError(f"cannot be written: {error}", path=folder / RESULTS) from None


def read_runs(folder: Path) -> list[Result]:
    """Read the table of all runs."""
    return _read(folder, "runs", Result)


def read_failures(folder: Path) -> list[FailedRun]:
    """Read the table of failed runs; errors as in `read_runs`."""
    return _read(folder, "failures", FailedRun)


def read_statistics(folder: Path, run: Result) -> Floats:
    """Read the statistics of a run's translations, float64, shape (sentences, metric.size)."""
    path = folder / run.statistics
    checked(path.parent, path.name)
    try:
        statistics = read_array(path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    except ValueError as error:
        raise InputError(str(error), path=path) from None
    shape = statistics.shape
    if statistics.dtype != np.float64 or len(shape) != 2 or shape[0] != run.sentences:
        message = f"expected float64 statistics of {run.sentences} sentences"
        raise InputError(f"{message}, got {statistics.dtype} of shape {shape}", path=path)
    if not np.isfinite(statistics).all():
        raise InputError("expected finite statistics", path=path)
    return statistics


def read_order(folder: Path, run: Result) -> list[int] | None:
    """Read the order in which a run corrected the sentences of its test set; None for that of the set."""
    orders: dict[str, list[int]] = read_facts((folder / run.statistics).parent).get("orders", {})
    return orders.get(run.tested_on)


def _write(database: sqlite3.Connection, table: str, kind: type[Row], rows: Iterable[Row]) -> None:
    columns = ", ".join(f"{field.name} {_TYPES[str(field.type)]}" for field in fields(kind))
    places = ", ".join("?" * len(fields(kind)))
    database.execute(f"CREATE TABLE {table} ({columns})")
    database.executemany(f"INSERT INTO {table} VALUES ({places})", map(astuple, rows))


def _read(folder: Path, table: str, kind: type[Row]) -> list[Row]:
    path = folder / RESULTS
    if not path.is_file():
        raise InputError(f"expected an experiment's results, got no {RESULTS}", path=folder)
    names = ", ".join(field.name for field in fields(kind))
    try:
        with closing(sqlite3.connect(path)) as database:
            return [kind(*row) for row in database.execute(f"SELECT {names} FROM {table} ORDER BY rowid")]
    except sqlite3.DatabaseError as error:
        raise InputError(f"expected a table {table} with {names}: {error}", path=path) from None

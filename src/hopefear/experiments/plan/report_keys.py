"""The part of a plan file about the report: tables, curves, surfaces, slices and corpora."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from string import ascii_lowercase
from typing import Any

from ..results import Result
from .plan import SENTENCE, CorpusTable, Curve, Runs, Slices, Surface, Table, TunerChoice
from .toml_keys import Keys

_KINDS: dict[str, tuple[Any, str]] = {
    "str": (str, "text"),
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
}
_COLUMNS = {column.name: _KINDS[str(column.type)] for column in fields(Result)}
_NUMBERS = ("size", "draw", "seed", "features", "passes", "seconds")


def read_table(keys: Keys) -> Table:
    """Read an entry of ``[[tables]]``."""
    return Table(
        title=keys.text("title"),
        rows=_columns(keys, "rows", _COLUMNS),
        columns=_columns(keys, "columns", _COLUMNS, []),
        where=_values(keys, "where"),
        baseline=_baseline(keys),
        value=_value(keys, "difference"),
        extra=_columns(keys, "extra", _NUMBERS, []),
        note=keys.text("note", ""),
    )


def read_curve(keys: Keys, tuners: Mapping[str, TunerChoice]) -> Curve:
    """Read an entry of ``[[curves]]``."""
    x = keys.text("x", "size")
    grids = {name for tuner in tuners.values() for name in tuner.grid}
    keys.named("x", [x], ["size", "pass", SENTENCE, *grids])
    with keys.blamed("x"):
        for tuner in tuners.values():
            for value in tuner.grid.get(x, ()):
                float(value)
    over_sentences: dict[str, Any] = {}
    if x == SENTENCE:
        over_sentences = {"baseline": _baseline(keys), "window": keys.whole("window", 100, least=1)}
    return Curve(
        title=keys.text("title"),
        x=x,
        series=_columns(keys, "series", _COLUMNS),
        where=_values(keys, "where"),
        value="score" if x == SENTENCE else _value(keys),
        **over_sentences,
    )


def read_surface(keys: Keys, runs: Iterable[Runs]) -> Surface:
    """Read an entry of ``[[surfaces]]``."""
    features, tested_on = keys.texts("features"), _tested_on(keys, runs)
    if len(features) != 2:
        keys.fail("features", f"expected two features, got {list(features)}")
    return Surface(
        title=keys.text("title"),
        features=(features[0], features[1]),
        tested_on=tested_on,
        where=_values(keys, "where"),
        steps=keys.whole("steps", 41, least=2),
        width=keys.positive("width", 2.0),
    )


def read_slices(keys: Keys, runs: Iterable[Runs]) -> Slices:
    """Read an entry of ``[[slices]]``."""
    features = keys.some_texts("features")
    frequent, rare = keys.whole("frequent", 0), keys.whole("rare", 0)
    if frequent + rare > len(ascii_lowercase):
        keys.fail("frequent", f"expected at most {len(ascii_lowercase)} features, got {frequent + rare}")
    lam = keys.some("lam", float, "numbers with a point", [])
    if lam and (frequent or rare or len(features) > 1):
        keys.fail("lam", "expected one feature, and neither frequent nor rare, beside lam")
    if lam and min(lam) <= 0:
        keys.fail("lam", f"expected numbers above 0, got {list(lam)}")
    return Slices(
        title=keys.text("title"),
        features=features,
        tested_on=_tested_on(keys, runs),
        where=_values(keys, "where"),
        lam=lam,
        Q=keys.positive("Q", 1000.0),
        frequent=frequent,
        rare=rare,
        steps=keys.whole("steps", 201, least=2),
        width=keys.positive("width", 2.0),
    )


def read_corpora(keys: Keys, sets: Iterable[str]) -> CorpusTable:
    """Read an entry of ``[[corpora]]``."""
    names = keys.some_texts("sets")
    keys.named("sets", names, sets)
    return CorpusTable(keys.text("title"), names, keys.text("note", ""))


def _tested_on(keys: Keys, runs: Iterable[Runs]) -> str:
    """Read the name of a test set."""
    name: str = keys.text("tested_on")
    keys.named("tested_on", [name], dict.fromkeys(name for one in runs for name in one.test))
    return name


def _baseline(keys: Keys) -> dict[str, Any]:
    """Read the column values of the runs that others are compared with."""
    baseline = _values(keys, "baseline")
    for name, values in baseline.items():
        if len(values) != 1:
            keys.fail("baseline", f"expected one {name}, got {list(values)}")
    return {name: value for name, (value,) in baseline.items()}


def _values(keys: Keys, key: str) -> dict[str, tuple[Any, ...]]:
    """Read the values that a key allows for columns of the results."""
    found = keys.tables(key)
    keys.named(key, found, _COLUMNS)
    values = {name: tuple(v) if isinstance(v, list) else (v,) for name, v in found.items()}
    for name, own in values.items():
        kind, what = _COLUMNS[name]
        for value in own:
            if not isinstance(value, kind) or isinstance(value, bool):
                keys.fail(key, f"expected {what} for {name}, got {value!r}")
    return values


def _columns(keys: Keys, key: str, known: Iterable[str], default: Any = None) -> tuple[str, ...]:
    names = keys.texts(key, default)
    keys.named(key, names, known)
    return names


def _value(keys: Keys, *more: str) -> str:
    value: str = keys.text("value", "score")
    keys.named("value", [value], ("score", *_NUMBERS, *more))
    return value

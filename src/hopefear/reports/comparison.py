"""Several tuning runs in one page: their scores, sentences, curves and weights beside one another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hopefear.base.charts import COLOURS, Band, Line, line_chart
from hopefear.metrics import PairedBootstrap, compare_resampled

from .change import TEST, RunChange
from .curves import with_ends
from .pages import ROOM, number, packed, write_page
from .sentences import read_sentences
from .tuning_run import TuningRun

_OF_RUN = ("tuner", "command", "time")  # settings in which runs may differ without a word
_WEIGHTS = 30  # whose values differ most


def write_comparison(folders: Sequence[Path], path: Path) -> Path:
    """Compare runs in one page; give its path."""
    runs = dict(zip(differing_names(folders), map(TuningRun.read, folders), strict=True))
    changes = [run.change for run in runs.values() if run.change]
    return write_page(
        path,
        "comparison.html",
        "Comparison of tuning runs",
        runs=[_row(name, runs) for name in runs],
        warnings=_warnings(runs),
        sets=dict.fromkeys(f"{change.metric} of {change.where}" for change in changes),
        test=TEST,
        sentences=_sentences(runs),
        curves=_curves(runs),
        weights=_weights(runs),
    )


def differing_names(folders: Sequence[Path]) -> list[str]:
    """Name folders by their last parts, by so many that the names differ."""
    parts = [folder.resolve().parts[1:] for folder in folders]
    names: list[str] = []
    for size in range(1, max(map(len, parts)) + 1):
        names = ["/".join(own[-size:]) for own in parts]
        if len({*names}) == len({*parts}):
            break
    return [f"{name} ({number})" if names.count(name) > 1 else name for number, name in enumerate(names, 1)]


Runs = dict[str, TuningRun]


class _Row(NamedTuple):
    """What the table of runs says of one of them."""

    name: str
    tuner: str
    before: str
    after: str
    interval: str
    against: PairedBootstrap | None
    is_better: bool
    features: int


def _row(name: str, runs: Runs) -> _Row:
    """Say the scores of a run, and compare it with the first."""
    run, first = runs[name], next(iter(runs.values()))
    change, against, is_better = run.change, None, False
    before = after = interval = ""
    if change is not None:
        before, after = number(change.test.baseline.value), number(change.test.system.value)
        interval = _interval(change.test.system.lower, change.test.system.upper)
        if run is not first and first.change is not None and _are_comparable(change, first.change):
            against = compare_resampled(first.change.after, change.after)
            is_better = change.is_better(against.delta.value)
    elif series := run.log.curves().series:
        last = series[-1].points[-1]
        after, interval = number(last.score), _interval(*last.interval) if last.interval else ""
    features = sum(path[-1] != 0 for path in run.paths.values())
    return _Row(name, _tuner(run, runs), before, after, interval, against, is_better, features)


def _interval(lower: float, upper: float) -> str:
    return f"{number(lower)}–{number(upper)}"


def _are_comparable(change: RunChange, other: RunChange) -> bool:
    return (change.digest, change.signature) == (other.digest, other.signature)


def _warnings(runs: Runs) -> list[str]:
    changes = {name: run.change for name, run in runs.items()}
    missing = [name for name, change in changes.items() if change is None]
    known = [change for change in changes.values() if change is not None]
    texts = []
    if missing:
        names = ", ".join(missing)
        texts.append(f"No scores before and after, and no tests: {names}. The score is that of the log.")
    if len({change.digest for change in known}) > 1:
        texts.append(
            "The runs were tested on different sentences, or with different references: their scores cannot "
            "be compared; runs without a p were not tested on the sentences of the first."
        )
    if len({change.signature for change in known}) > 1:
        signatures = " and ".join(sorted({change.signature for change in known}))
        texts.append(f"The runs have different metrics: {signatures}.")
    return texts


def _tuner(run: TuningRun, runs: Runs) -> str:
    """Name the tuner of a run, and the settings in which runs of the tuner differ."""
    others = [other.settings for other in runs.values() if other.tuner == run.tuner]
    differ = [
        f"{name}={value}"
        for name, value in run.settings.items()
        if name not in _OF_RUN and len({other.get(name) for other in others}) > 1
    ]
    return ", ".join([run.tuner, *differ])


def _sentences(runs: Runs) -> str:
    """Pack the translations of runs of the same sentences and metric, of as many as there is room for."""
    changes = [run.change for run in runs.values() if run.change is not None]
    same = {name: run for name, run in runs.items() if run.change and _are_comparable(run.change, changes[0])}
    records = [read_sentences(run.folder) for run in same.values()]
    if len(same) < 2 or not all(len(own) == len(records[0]) > 0 for own in records):
        return ""
    rows: list[list[Any]] = []
    for own in zip(*records, strict=True):
        texts = [record["after"] for record in own]
        scores = [round(record["after_score"], 2) for record in own]
        one = own[0]
        rows.append([one["id"], one["source"], one["references"], one.get("written", False), texts, scores])
    about = {"metric": changes[0].metric, "lowerIsBetter": not changes[0].higher_is_better}
    while True:
        data = packed({"names": [*same], "rows": rows, **about})
        if len(data) <= ROOM or len(rows) < 2:
            return data
        rows = rows[: len(rows) // 2]


def _curves(runs: Runs) -> list[str]:
    """Draw the scores of all runs with the same metric on one pair of axes."""
    by_metric: dict[tuple[str, str], list[Line]] = {}
    for name, run in runs.items():
        curves = run.log.curves()
        for series in curves.series[-1:]:
            shown = with_ends(series, curves, run.change).points
            points = [(point.x, point.score) for point in shown]
            bands = [Band(point.x, *point.interval) for point in shown if point.interval is not None]
            line = Line(f"{name}: {series.name}", points, bands if len(runs) <= 2 else ())
            by_metric.setdefault((curves.metric, curves.x_name), []).append(line)
    return [
        line_chart(
            lines[begin : begin + COLOURS],
            title=f"{metric} of the runs",
            x_name=x_name,
            y_name=metric,
            height=340,
        )
        for (metric, x_name), lines in by_metric.items()
        for begin in range(0, len(lines), COLOURS)
    ]


def _weights(runs: Runs) -> list[tuple[str, list[float], float]]:
    """Return the features whose weights differ most at the end, their weights, and how far apart they are."""
    rows = []
    for name in sorted({name for run in runs.values() for name in run.paths}):
        values = [float(run.paths[name][-1]) if name in run.paths else 0.0 for run in runs.values()]
        rows.append((name, values, max(values) - min(values)))
    return sorted((row for row in rows if row[2] > 0), key=lambda row: -row[2])[:_WEIGHTS]

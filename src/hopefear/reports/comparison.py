"""Several tuning runs in one page: their scores, sentences, curves and weights beside one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hopefear.base.charts import COLOURS, Band, Line, line_chart
from hopefear.base.texts import BLANK, split_lines
from hopefear.metrics import PairedBootstrap, compare_resampled

from .change import TEST
from .common_sentences import CommonScores, common_scores, named
from .curves import with_ends
from .pages import ROOM, number, packed, write_page
from .tuning_run import TuningRun

_OF_RUN = ("tuner", "command", "time")  # settings in which runs may differ without a word
_WEIGHTS = 30  # whose values differ most


def write_comparison(folders: Sequence[Path], path: Path) -> Path:
    """Compare runs in one page; give its path."""
    runs = dict(zip(differing_names(folders), map(TuningRun.read, folders), strict=True))
    common = common_scores(runs)
    return write_page(
        path,
        "comparison.html",
        "Comparison of tuning runs",
        runs=[_row(name, runs, common) for name in runs],
        warnings=_warnings(runs, common),
        sets=_sets(runs, common),
        left_out={name: named(scores.left_out) for name, scores in common.items() if scores.left_out},
        test=TEST,
        differing=_differing(runs),
        sentences=_sentences(common),
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


def _row(name: str, runs: Runs, common: Mapping[str, CommonScores]) -> _Row:
    """Say the scores of a run, and compare it with the first."""
    run, first = runs[name], next(iter(runs))
    change, against, is_better = run.change, None, False
    before = after = interval = ""
    if change is not None:
        scores = common.get(name, change)
        found = scores.after.interval()
        before, after = number(scores.before.value), number(found.value)
        interval = _interval(found.lower, found.upper)
        if name != first and first in common and name in common:
            against = compare_resampled(common[first].after, scores.after)
            is_better = change.is_better(against.delta.value)
    elif series := run.log.curves().series:
        last = series[-1].points[-1]
        after, interval = number(last.score), _interval(*last.interval) if last.interval else ""
    features = sum(path[-1] != 0 for path in run.paths.values())
    return _Row(name, _tuner(run, runs), before, after, interval, against, is_better, features)


def _interval(lower: float, upper: float) -> str:
    return f"{number(lower)}–{number(upper)}"


def _warnings(runs: Runs, common: Mapping[str, CommonScores]) -> list[str]:
    changes = {name: run.change for name, run in runs.items()}
    missing = [name for name, change in changes.items() if change is None]
    known = [change for change in changes.values() if change is not None]
    texts = []
    if missing:
        names = ", ".join(missing)
        texts.append(f"No scores before and after the run, and no tests: {names}. The score is from the log.")
    first = next(iter(runs))
    others = [name for name, change in changes.items() if change is not None and name not in common]
    if changes[first] is not None and others:
        texts.append(
            f"Not compared with {first}: {', '.join(others)}, with other sentences, other references or "
            "another metric."
        )
    if len({change.signature for change in known}) > 1:
        signatures = " and ".join(sorted({change.signature for change in known}))
        texts.append(f"The runs have different metrics: {signatures}.")
    return texts


def _sets(runs: Runs, common: Mapping[str, CommonScores]) -> list[str]:
    """Say what the scores are of."""
    some = any(scores.left_out for scores in common.values())
    texts = []
    for name, run in runs.items():
        if run.change is not None:
            where = run.change.where
            if some and name in common:
                count = len(common[name].sentences)
                where = f"the {count:,} sentences of the {run.change.corpus} that all of these runs have"
            texts.append(f"{run.change.metric} of {where}")
    return list(dict.fromkeys(texts))


def _tuner(run: TuningRun, runs: Runs) -> str:
    """Name the tuner of a run, and the settings in which runs of the tuner differ."""
    others = [other.settings for other in runs.values() if other.tuner == run.tuner]
    differ = [
        f"{name}={value}"
        for name, value in run.settings.items()
        if name not in _OF_RUN and len({other.get(name) for other in others}) > 1
    ]
    return ", ".join([run.tuner, *differ])


def _differing(runs: Runs) -> list[tuple[str, list[str]]]:
    """Return the options, files and lines of the cdec.ini in which runs differ, with those of each run."""
    sessions = [run.session for run in runs.values()]
    known = [session for session in sessions if session is not None]
    if len(known) < len(sessions):
        return []
    rows = []
    for name in sorted({name for session in known for name in session.options}):
        rows.append((f"--{name}", [_listed(session.options.get(name)) for session in known]))
    for name in sorted({name for session in known for name in session.files} - {"config"}):
        files = [session.files.get(name, []) for session in known]
        rows.append(
            (f"--{name}", [_listed([f"{one.path} {one.sha256[:8]}" for one in own]) for own in files])
        )
    lines = [[line.rstrip(BLANK) for line in split_lines(one.configuration or "")] for one in known]
    shared = {*lines[0]}.intersection(*lines[1:])
    rows.append(("cdec.ini", ["\n".join(line for line in own if line not in shared) for own in lines]))
    return [(name, values) for name, values in rows if len({*values}) > 1]


def _listed(value: Any) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _sentences(common: Mapping[str, CommonScores]) -> str:
    """Pack the common sentences with the translations of each run, as many as there is room for."""
    records = [scores.sentences for scores in common.values()]
    if len(records) < 2 or not all(len(own) == len(records[0]) > 0 for own in records):
        return ""
    change = next(iter(common.values())).change
    rows: list[list[Any]] = []
    for own in zip(*records, strict=True):
        texts = [record["after"] for record in own]
        scores = [round(record["after_score"], 2) for record in own]
        one = own[0]
        rows.append([one["id"], one["source"], one["references"], one.get("written", False), texts, scores])
    about = {"metric": change.metric, "lowerIsBetter": not change.higher_is_better}
    while True:
        data = packed({"names": [*common], "rows": rows, **about})
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

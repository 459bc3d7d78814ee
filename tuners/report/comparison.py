"""Several tuning runs in one page: their scores, sentences, curves and weights beside one another."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from hopefear.base.charts import COLOURS, Band, Line, breakable, line_chart
from hopefear.base.files import written_whole
from hopefear.base.web_page import page
from hopefear.metrics import compare_resampled

from .change import TEST, Change
from .curves import with_ends
from .markup import number, table
from .sentence_view import embedded, packed, sentence_view
from .sentences import read_sentences
from .tuning_run import TuningRun

_OF_RUN = ("tuner", "command", "time")  # settings in which runs may differ without a word
_WEIGHTS = 30  # whose values differ most
_ROOM = 2_500_000  # bytes of the sentences in a page

_SENTENCES = """
<h2>Sentences</h2>
<p class="key">Translations by two of the runs, with scores of sentences by <span id="compare-metric"></span>;
words that only the <del>first</del> has, and that only the <ins>second</ins> has.</p>
<div class="tools"><label>First <select id="compare-first"></select></label>
<label>Second <select id="compare-second"></select></label></div>
"""


def write_comparison(folders: Sequence[Path], path: Path) -> Path:
    """Compare runs in one page; give its path."""
    runs = dict(zip(differing_names(folders), map(TuningRun.read, folders), strict=True))
    parts = [*_scores(runs), *_sentences(runs), *_curves(runs), *_weights(runs)]
    with written_whole(path) as beside:
        beside.write_text(page("Comparison of tuning runs", parts), "utf-8")
    return path


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


def _scores(runs: Runs) -> list[str]:
    first = next(iter(runs))
    columns = ("run", "before", "after", "95 % interval", f"against {first}", "p", "features with a weight")
    rows = []
    for name, run in runs.items():
        size = f"{sum(path[-1] != 0 for path in run.paths.values()):,}"
        what = f'{breakable(name)}<br><span class="less">{escape(_tuner(run, runs))}</span>'
        rows.append((what, *_cells(run, runs[first]), size))
    parts = [f'<p class="worse" role="alert">{escape(text)}</p>' for text in _warnings(runs)]
    parts.append(f'<div class="wide">{table([*map(escape, columns)], rows)}</div>')
    sets = dict.fromkeys(f"{run.change.metric} of {run.change.where}" for run in runs.values() if run.change)
    parts += [f'<p class="key">{escape(text)}.</p>' for text in (*sets, f"p: {TEST}")]
    return parts


def _cells(run: TuningRun, first: TuningRun) -> tuple[str, ...]:
    """Return score before and after, interval, and what compares the run with the first."""
    change = run.change
    if change is None:
        curves = run.log.curves()
        last = [point for series in curves.series[-1:] for point in series.points][-1:]
        interval = last[0].interval if last else None
        shown = "" if interval is None else f"{number(interval[0])}–{number(interval[1])}"
        return "", number(last[0].score) if last else "", shown, "", ""
    found = change.test
    scores = number(found.baseline.value), number(found.system.value)
    interval_text = f"{number(found.system.lower)}–{number(found.system.upper)}"
    if run is first or first.change is None or not _are_comparable(change, first.change):
        return (*scores, interval_text, "", "")
    against = compare_resampled(first.change.after, change.after)
    value = against.delta.value
    kind = "better" if change.is_better(value) else "worse" if round(value, 2) else ""
    bounds = f"[{number(against.delta.lower, signed=True)}, {number(against.delta.upper, signed=True)}]"
    difference = (
        f'<span class="{kind}">{number(value, signed=True)}</span> <span class="less">{bounds}</span>'
    )
    return (*scores, interval_text, difference, f"{against.p_value:.4f}")


def _are_comparable(change: Change, other: Change) -> bool:
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


def _sentences(runs: Runs) -> list[str]:
    """Show the translations of runs of the same sentences and metric, of as many as there is room for."""
    changes = [run.change for run in runs.values() if run.change is not None]
    same = {name: run for name, run in runs.items() if run.change and _are_comparable(run.change, changes[0])}
    records = [read_sentences(run.folder) for run in same.values()]
    if len(same) < 2 or not all(len(own) == len(records[0]) > 0 for own in records):
        return []
    rows: list[list[Any]] = []
    for own in zip(*records, strict=True):
        texts = [record["after"] for record in own]
        scores = [round(record["after_score"], 2) for record in own]
        one = own[0]
        rows.append([one["id"], one["source"], one["references"], one.get("written", False), texts, scores])
    about = {"metric": changes[0].metric, "lowerIsBetter": not changes[0].higher_is_better}
    while True:
        data = packed({"names": [*same], "rows": rows, **about})
        if len(data) <= _ROOM or len(rows) < 2:
            break
        rows = rows[: len(rows) // 2]
    script = (files(__package__) / "comparison.js").read_text("utf-8")
    return [_SENTENCES, sentence_view(), embedded("comparison-data", data), f"<script>{script}</script>"]


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
    parts = ["<h2>Scores</h2>"] if by_metric else []
    for (metric, x_name), lines in by_metric.items():
        for begin in range(0, len(lines), COLOURS):
            some = lines[begin : begin + COLOURS]
            parts.append(
                line_chart(some, title=f"{metric} of the runs", x_name=x_name, y_name=metric, height=340)
            )
    return parts


def _weights(runs: Runs) -> list[str]:
    """Show the features whose weights differ most at the end."""
    names = sorted({name for run in runs.values() for name in run.paths})
    final = {
        name: [float(run.paths[name][-1]) if name in run.paths else 0.0 for run in runs.values()]
        for name in names
    }
    apart = {name: max(values) - min(values) for name, values in final.items()}
    far = sorted((name for name in final if apart[name] > 0), key=lambda name: (-apart[name], name))
    rows = [
        (breakable(name), *(f"{value:.4g}" for value in final[name]), f"{apart[name]:.4g}")
        for name in far[:_WEIGHTS]
    ]
    if not rows:
        return []
    columns = ("feature", *map(breakable, runs), "difference")
    return ["<h2>Weights that differ most</h2>", f'<div class="wide">{table(columns, rows)}</div>']

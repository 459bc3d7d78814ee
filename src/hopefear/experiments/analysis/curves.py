"""Learning curves of an experiment (Hayashi et al. 2009, figure 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.reports import Panel, PanelLine, draw_panels
from hopefear.tuners.contract import RunFiles

from ..plan import OF_A_RUN, SENTENCE, Curve
from ..results import Result
from ..runs import CELLS
from .groups import groups, label, mean_over, once_a_cell, select, separating, spoken
from .marks import Marks


def draw_curve(
    path: Path, curve: Curve, runs: Sequence[Result], folder: Path, marks: Marks | None = None
) -> str | None:
    """Draw a learning curve: for each series the mean of its runs and a band of a standard deviation.

    Series without a value, such as weights that were not tuned over passes, are left out, of the legend too.

    Over the sentences of a test set, in the order in which a run corrected them, it is the score of the last
    `Curve.window` translations up to each place, less the score of the same sentences in the baseline's run.
    Over sizes it has a panel for each test set and metric that the series do not name. Over passes it is the
    score of the set that was learned from, as the passes of the tuners' logs have it, with its bootstrap
    interval where each series is of one run.
    """
    panels = curve_panels(curve, runs, folder, marks)
    if not panels:
        return None
    x_name = {"pass": "passes done", "size": "sentences learned from", SENTENCE: "sentences corrected"}
    over = _mean_over(curve, runs)
    draw_panels(path, panels, x_name[curve.x], ticks=curve.x not in ("pass", SENTENCE))
    if not over:
        known = any(line.intervals for panel in panels for line in panel.lines)
        return "One run a point" + (", the band its 95 % bootstrap interval." if known else ".")
    band = f"Mean of runs ({', '.join(over)}), the band one standard deviation to either side."
    return band if curve.x != "pass" else f"{band} A line ends where the first of its runs does."


def curve_panels(
    curve: Curve, runs: Sequence[Result], folder: Path, marks: Marks | None = None
) -> list[Panel]:
    """Return what `draw_curve` draws, whose parameters these are; nothing where there are no runs yet."""
    chosen = select(runs, curve.where)
    if curve.x == "size":
        panels = _over_sizes(curve, chosen)
    elif curve.x == SENTENCE:
        assert marks is not None
        panels = _over_sentences(curve, chosen, runs, marks)
    else:
        panels = [_over_passes(curve, chosen, folder)]
    bare = bool(_mean_over(curve, runs))  # then the bands show how runs differ
    found = []
    for panel in panels:
        lines = [line._replace(intervals={}) if bare else line for line in panel.lines if line.points]
        if lines:
            found.append(panel._replace(lines=lines))
    return found


def _mean_over(curve: Curve, runs: Sequence[Result]) -> list[str]:
    apart = {"size": ["size"], SENTENCE: ["tested_on", "metric"]}.get(curve.x, [])  # points or panels
    return mean_over(groups(select(runs, curve.where), [*curve.series, *apart], curve.where).values())


def draw_all_runs(path: Path, runs: Sequence[Result], folder: Path) -> str | None:
    """Draw the score of the sentences learned from after each pass, a line for each run, colours by tuner."""
    panels: dict[tuple[str, str, str], list[PanelLine]] = {}
    for run in once_a_cell(runs):
        if run.passes:
            log = RunFiles(folder / CELLS / run.cell).read_log("score")
            points = {point.x: [point.score] for point in log.scores().points}
            panels.setdefault((run.system, run.tuned_on, log.metric), []).append(PanelLine(run.tuner, points))
    if not panels:
        return None
    drawn = [
        Panel(f"{system}, {tuned_on}", metric, own) for (system, tuned_on, metric), own in panels.items()
    ]
    draw_panels(path, drawn, "passes done", ticks=False)
    return "A line for each run: the score of the sentences learned from, as the passes translated them."


def _over_sizes(curve: Curve, runs: list[Result]) -> list[Panel]:
    if curve.value != "score":
        lines = [
            _line(curve, key, own, curve.value)
            for key, own in groups(once_a_cell(runs), curve.series, curve.where).items()
        ]
        return [Panel("", spoken(curve.value), lines)]
    beside = separating(runs, curve.series)
    panels = []
    for names, inside in groups(runs, beside, curve.where).items():
        lines = [
            _line(curve, key, own, "score") for key, own in groups(inside, curve.series, curve.where).items()
        ]
        named = zip(beside, names, strict=True)  # the metric stands beside the axis
        title = ", ".join(label(column, name) for column, name in named if column != "metric")
        metrics = {run.metric for run in inside}
        panels.append(Panel(title, metrics.pop() if len(metrics) == 1 else "score", lines))
    return panels


def _over_sentences(curve: Curve, runs: list[Result], others: Sequence[Result], marks: Marks) -> list[Panel]:
    """Make a panel for each test set and metric that the series do not name."""
    compared = {_apart_from(curve, run): run for run in select(others, _values(curve.baseline))}
    beside = [name for name in ("tested_on", "metric") if name not in curve.series]
    panels = []
    for names, inside in groups(runs, beside, curve.where).items():
        lines = []
        for key, own in groups(inside, curve.series, curve.where).items():
            points: dict[float, list[float]] = {}
            for run in own:
                order = marks.order(run)
                scores = _recent(curve, run, marks, order)
                if curve.baseline:
                    before = compared.get(_apart_from(curve, run))
                    if before is None:
                        continue
                    scores = scores - _recent(curve, before, marks, order)
                for place, score in zip(_places(curve, run), scores.tolist(), strict=True):
                    points.setdefault(place, []).append(score)
            lines.append(PanelLine(_series_name(curve, key), points))
        of = dict(zip(beside, names, strict=True))
        what = f"{of.get('metric', 'score')}, last {curve.window} sentences"
        less = ", ".join(label(name, value) for name, value in curve.baseline.items())
        panels.append(Panel(str(of.get("tested_on", "")), f"{what}, less {less}" if less else what, lines))
    return panels


def _values(columns: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {name: (value,) for name, value in columns.items()}


def _apart_from(curve: Curve, run: Result) -> tuple[Any, ...]:
    """Identify a run, its test set and its metric by all but the columns of the baseline."""
    columns = (*OF_A_RUN, "tested_on", "signature")
    return tuple(getattr(run, name) for name in columns if name not in curve.baseline)


def _places(curve: Curve, run: Result) -> range:
    """Return the sentences, counted from 1, at which a score is shown."""
    first = min(curve.window, run.sentences)
    return range(first, run.sentences + 1, max(1, curve.window // 4))


def _recent(curve: Curve, run: Result, marks: Marks, order: Sequence[int] | None) -> Floats:
    """Score the last sentences up to each place in an order; None is that of the set."""
    rows = marks.statistics(run)
    if order is not None:
        rows = rows[order]
    sums = np.cumsum(np.vstack([np.zeros(marks.metric(run).size), rows]), axis=0)
    ends = np.array(_places(curve, run))
    return marks.metric(run).scores(sums[ends] - sums[ends - min(curve.window, run.sentences)])


def _line(curve: Curve, key: Sequence[Any], runs: list[Result], value: str) -> PanelLine:
    points: dict[float, list[float]] = {}
    for run in sorted(runs, key=lambda run: run.size):
        points.setdefault(run.size, []).append(float(getattr(run, value)))
    return PanelLine(_series_name(curve, key), points)


def _over_passes(curve: Curve, runs: list[Result], folder: Path) -> Panel:
    lines, metrics = [], set()
    for key, own in groups(runs, curve.series, curve.where).items():
        tuned = [run for run in once_a_cell(own) if run.passes]
        logs = [RunFiles(folder / CELLS / run.cell).read_log(curve.value) for run in tuned]
        metrics |= {log.metric for log in logs}
        together = list(zip(*(log.numbers().points for log in logs), strict=False))
        points = {first.x: [first.score, *(point.score for point in more)] for first, *more in together}
        intervals = {
            point.x: point.interval for point, *more in together if not more and point.interval is not None
        }
        lines.append(PanelLine(_series_name(curve, key), points, intervals))
    what = ", ".join(sorted(metrics)) if curve.value == "score" else spoken(curve.value)
    return Panel("", f"{what}, sentences learned from", lines)


def _series_name(curve: Curve, key: Sequence[Any]) -> str:
    return ", ".join(label(column, value) for column, value in zip(curve.series, key, strict=True))

"""The charts of a run: scores, length ratio and weights after each pass, and what families are worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from zlib import crc32

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.base.charts import COLOURS, Band, Interval, Line, interval_chart, line_chart
from hopefear.tuners.contract import LearningCurves, LearningLog, LearningPoint, Series

from .change import RunChange
from .families import FamilyWorth

_APART = 4.0
"""Weights this many times as large as all others have a chart of their own."""


def score_chart(curves: LearningCurves, change: RunChange | None = None) -> str:
    """Draw the scores after each pass, and those of before and after the run; nothing without scores."""
    series = [with_ends(one, curves, change) for one in curves.series]
    if change is not None and not any(_is_of(change, one) for one in series):
        series.insert(0, Series(f"{change.corpus}, before and after the run", _ends(curves, change)))
    if not series:
        return ""
    lines = [_line(one) for one in series]
    if curves.behind is not None:
        points = [(point.x, point.score) for point in curves.behind.points]
        lines.append(Line(curves.behind.name, points, faint=True))
    mark = None if curves.chosen is None else (curves.chosen.name, curves.chosen.x)
    return line_chart(
        lines, title=curves.title, x_name=curves.x_name, y_name=curves.metric, height=320, mark=mark
    )


def with_ends(series: Series, curves: LearningCurves, change: RunChange | None) -> Series:
    """Return scores of a set with those before and after the run, if these are of the whole set."""
    if change is None or not _is_of(change, series):
        return series
    known = {point.x for point in series.points}
    points = [*series.points, *(point for point in _ends(curves, change) if point.x not in known)]
    return Series(series.name, sorted(points, key=lambda point: point.x))


def _is_of(change: RunChange, series: Series) -> bool:
    """Tell whether the scores before and after are of the same sentences as a series."""
    return change.sentences == change.total and change.corpus == series.name


def _ends(curves: LearningCurves, change: RunChange) -> list[LearningPoint]:
    """Return the scores before the run, at 0, and after it."""
    last = max((point.x for one in curves.series for point in one.points), default=1.0)
    end = last if curves.chosen is None else curves.chosen.x
    points = []
    for x, resampled in ((0.0, change.before), (end, change.after)):
        found = resampled.interval()
        points.append(LearningPoint(x, found.value, (found.lower, found.upper)))
    return points


def _line(series: Series) -> Line:
    bands = [Band(point.x, *point.interval) for point in series.points if point.interval is not None]
    name = f"{series.name}, with 95 % CI" if bands else series.name
    return Line(name, [(point.x, point.score) for point in series.points], bands)


def ratio_chart(log: LearningLog) -> str:
    """Draw the length of translations to their references after each pass; nothing where it is not known."""
    ratios = log.length_ratios()
    if not ratios:
        return ""
    return line_chart(
        [Line("words per reference word", ratios)],
        title="Length of the translations to their references",
        x_name="passes done",
        y_name="length ratio",
        height=190,
        level=1.0,
    )


def weight_charts(
    paths: Mapping[str, Floats], points: Sequence[str], colours: Mapping[str, int] | None = None
) -> list[str]:
    """Draw the paths of at most `COLOURS` weights; much larger ones have a chart of their own.

    With `colours`, features have the colours of other charts.
    """
    labels = dict(enumerate(points))
    charts: list[str] = []
    shown = [*paths][:COLOURS]
    colours = colours_of(sorted(shown), colours)
    for names in _by_size({name: paths[name] for name in shown}):
        lines = [
            Line(name, [(float(x), float(y)) for x, y in enumerate(paths[name])], colour=colours[name])
            for name in names
        ]
        charts.append(
            line_chart(
                lines,
                title=f"Weights of {', '.join(names)}",
                x_name="",
                y_name="weight",
                height=280 if len(names) > 1 else 170,
                x_labels={float(x): text for x, text in labels.items()},
            )
        )
    return charts


def colours_of(names: Iterable[str], wishes: Mapping[str, int] | None = None) -> dict[str, int]:
    """Give each feature the colour of the wishes, else of its name, or the next that none before it has."""
    colours, wishes = dict[str, int](), wishes or {}
    for name in names:
        free = [number for number in range(COLOURS) if number not in colours.values()] or [*range(COLOURS)]
        wanted = wishes.get(name, crc32(name.encode("utf-8", "surrogatepass")) % COLOURS)
        colours[name] = min(free, key=lambda number: (number - wanted) % COLOURS)
    return colours


def _by_size(paths: Mapping[str, Floats]) -> list[list[str]]:
    """Divide weights at the greatest gap between their sizes, if it is wide enough; small ones come first."""
    sizes = {name: float(np.abs(path).max()) for name, path in paths.items()}
    names = sorted(sizes, key=sizes.__getitem__)
    gaps = [sizes[larger] / sizes[smaller] if sizes[smaller] else 0.0 for smaller, larger in pairwise(names)]
    if not gaps or max(gaps) < _APART:
        return [[*paths]] if paths else []
    small = {*names[: gaps.index(max(gaps)) + 1]}
    return [[name for name in paths if (name in small) is smaller] for smaller in (True, False)]


def family_chart(families: Sequence[FamilyWorth]) -> str:
    """Draw what the set loses without each family."""
    rows = [Interval(one.family, *one.loss) for one in families]
    name = f"{families[0].metric} lost without the family, with 95 % CI"
    return interval_chart(rows, title="The worth of each feature family", x_name=name)

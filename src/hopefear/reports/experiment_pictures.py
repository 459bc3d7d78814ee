"""Pictures of an experiment: curves of several runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from .figures import COLORS, draw_band, label_whole_numbers, new_figure, save

_MARKERS = "os^Dv<>P"
_LINES = ("-", "--", ":", "-.")

_ROOM = 0.07
"""Between labels, as a share of the axis."""

_FAR = 8
"""Sizes, or values of a setting, that differ by this factor are drawn on a logarithmic axis."""


class PanelLine(NamedTuple):
    """A line of a panel: at each x the values of the runs that have one there."""

    name: str
    points: dict[float, list[float]]
    intervals: Mapping[float, tuple[float, float]] = {}
    """95 % bootstrap intervals of values that stand alone, where they are known."""


class Panel(NamedTuple):
    """What is drawn beside one another: a test set and a metric."""

    title: str
    y_name: str
    lines: list[PanelLine]


def draw_panels(path: Path, panels: Sequence[Panel], x_name: str, *, ticks: bool) -> None:
    """Draw panels beside one another; with `ticks`, the axis names the values of the points only."""
    columns = min(len(panels), 2)
    rows = -(-len(panels) // columns)
    names = list(dict.fromkeys(line.name for panel in panels for line in panel.lines))
    legend = 0.7 + 0.085 * max(map(len, names)) if any(names) else 0.0
    width, height = (5.6 if columns == 1 else 9.0) + legend, max(3.6 * rows, 0.5 + 0.3 * len(names))
    figure, axes = new_figure(width, height, rows, columns)
    places = {x for panel in panels for line in panel.lines for x in line.points}
    handles: dict[str, Any] = {}
    for one, panel in zip(axes, panels, strict=False):
        for line in panel.lines:
            handles[line.name] = _draw_line(one, line, names.index(line.name))
        one.set_title(panel.title, loc="left", fontsize=10)
        one.set_ylabel(panel.y_name)
        one.set_xlabel(x_name)
        _scale(one, sorted(places), ticks)
    for one in axes[len(panels) :]:
        one.set_visible(False)
    if legend:
        lines = [handles[name] for name in names]
        figure.legend(lines, names, loc="outside right center", frameon=False, labelspacing=0.8)
    save(figure, path)


def _draw_line(axes: Any, line: PanelLine, number: int) -> Any:
    color = COLORS[number % len(COLORS)]
    x = list(line.points)
    means = [fmean(values) for values in line.points.values()]
    spreads = [stdev(values) if len(values) > 1 else 0.0 for values in line.points.values()]
    if any(spreads):
        around = zip(means, spreads, strict=True)
        draw_band(axes, x, [(mean - spread, mean + spread) for mean, spread in around], color)
    if line.intervals:
        draw_band(axes, line.intervals, line.intervals.values(), color)
    style = {
        "color": color,
        "marker": _MARKERS[number % len(_MARKERS)],
        "linestyle": _LINES[number // len(COLORS) % len(_LINES)],
    }
    return axes.plot(x, means, linewidth=1.8, markersize=4.5, **style)[0]


def _scale(axes: Any, places: list[float], ticks: bool) -> None:
    from matplotlib.ticker import NullLocator

    if not ticks:
        label_whole_numbers(axes)
        return
    if places[-1] >= _FAR * places[0] > 0:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    places = [place for place in places if place == places[-1] or _apart(axes, place, places)]
    axes.set_xticks(places, [f"{place:,g}" for place in places])


def _apart(axes: Any, place: float, places: list[float]) -> bool:
    """Whether there is room for a label before those of greater places."""
    after = next(other for other in places if other > place)
    where = axes.transAxes.inverted().transform(axes.transData.transform([(place, 0), (after, 0)]))[:, 0]
    return bool(where[1] - where[0] > _ROOM)

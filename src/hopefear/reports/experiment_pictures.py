"""Pictures of an experiment: curves of several runs, error surfaces and slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np

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


@dataclass(frozen=True, slots=True)
class MeasuredSurface:
    """An error surface as it is drawn: lists of numbers, which JSON can hold."""

    features: tuple[str, str]
    x: list[float]
    y: list[float]
    scores: list[list[float]]
    learned: tuple[float, float]
    score: float
    slices: list[tuple[list[float], list[float]]]
    metric: str
    higher_is_better: bool
    caption: str


def draw_surface(path: Path, surface: MeasuredSurface) -> str:
    """Draw an error surface, and beside it the two slices; return the caption."""
    figure, axes = new_figure(9.6, 4.6, 2, 2)
    places = axes[0].get_gridspec()
    for one in (axes[0], axes[2]):
        one.remove()
    left = figure.add_subplot(places[:, 0])
    left.grid(visible=False)
    colors = "viridis" if surface.higher_is_better else "viridis_r"
    mesh = left.pcolormesh(
        surface.x, surface.y, surface.scores, cmap=colors, shading="nearest", rasterized=True
    )
    figure.colorbar(mesh, ax=left, label=surface.metric, pad=0.02)
    star = {"marker": "*", "color": "white", "markeredgecolor": "#24292f"}
    left.plot(*surface.learned, markersize=16, **star)
    left.set_xlabel(surface.features[0])
    left.set_ylabel(surface.features[1])
    for which, (one, (weights, scores)) in enumerate(zip((axes[1], axes[3]), surface.slices, strict=True)):
        one.plot(weights, scores, color=COLORS[0], linewidth=1.4)
        one.plot(surface.learned[which], surface.score, markersize=12, **star)
        one.set_xlabel(surface.features[which])
        one.set_ylabel(surface.metric)
    save(figure, path)
    return surface.caption


@dataclass(frozen=True, slots=True)
class Slice:
    """What depends on one weight."""

    feature: str
    weights: list[float]
    scores: list[float]
    objectives: list[tuple[float, list[float]]]


@dataclass(frozen=True, slots=True)
class MeasuredSlices:
    """Slices as they are drawn: lists of numbers, which JSON can hold."""

    kinds: dict[str, list[Slice]]
    named: bool
    metric: str
    Q: float
    caption: str


def draw_slices(path: Path, slices: MeasuredSlices) -> str:
    """Draw slices: the metric, and below it the objective if there is one; return the caption."""
    features = {kind: [one.feature for one in cuts] for kind, cuts in slices.kinds.items()}
    # Pictures have no letters for most languages: features of rules are named in the caption.
    names = {} if slices.named else feature_letters(features)
    objectives = any(one.objectives for cuts in slices.kinds.values() for one in cuts)
    figure, axes = new_figure(9.6, 3.6, 1, 1 + objectives if len(slices.kinds) == 1 else len(slices.kinds))
    for one, (kind, cuts) in zip(axes, slices.kinds.items(), strict=False):
        for place, found in enumerate(cuts):
            feature = found.feature
            style = {"color": COLORS[place % len(COLORS)], "label": names.get(feature, feature)}
            one.plot(found.weights, found.scores, linewidth=1.4, **style)
            for i, (lam, values) in enumerate(found.objectives):
                shape = (np.array(values) - min(values)) / (np.ptp(values) or 1.0)
                style = {"color": COLORS[i % len(COLORS)], "linestyle": _LINES[i % len(_LINES)]}
                axes[-1].plot(found.weights, shape, linewidth=1.4, label=f"λ = {lam:g}", **style)
                least = int(np.argmin(values))
                axes[-1].plot(found.weights[least], shape[least], "o", markersize=6, color=style["color"])
        one.set_title(kind, loc="left", fontsize=10)
        several = bool(names) or len(cuts) > 1
        one.set_xlabel("weight" if several else cuts[0].feature)
        one.set_ylabel(slices.metric)
        if several:
            one.legend(frameon=False, fontsize=7)
    if objectives:
        axes[-1].set_title(f"1-slack objective, Q = {slices.Q:g}", loc="left", fontsize=10)
        axes[-1].set_xlabel(next(iter(features.values()))[0])
        axes[-1].set_ylabel("from its least to its greatest value")
        axes[-1].legend(frameon=False)
    save(figure, path)
    return slices.caption


def feature_letters(kinds: dict[str, list[str]]) -> dict[str, str]:
    """Name the features of all panels by letters."""
    chosen = dict.fromkeys(feature for features in kinds.values() for feature in features)
    return dict(zip(chosen, ascii_lowercase, strict=False))

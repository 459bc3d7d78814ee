"""Pictures: how the score grows while learning, where hypotheses lie, how reliable confidence is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hopefear.tuners.contract import LearningCurves, Series

from .figures import COLORS, draw_band, label_whole_numbers, new_figure, save

BLUE, ORANGE, GREEN, LIGHT_GREEN, RED = "#2f6db5", "#e08214", "#2b8a4b", "#7bc043", "#c0392b"
GREY = "#8a93a0"

_FEW = 30
"""Points that have room for markers."""

_SHOWN = (0.05, 0.95)
"""Quantiles of the scores that are drawn behind: so much of them is inside the frame."""

_AREA = 400.0  # of the largest point, in square points

_COLORS, _MARKERS = (BLUE, ORANGE, GREEN), "osD"


def plot_learning(path: Path, curves: LearningCurves) -> None:
    """Draw scores of whole sets with their intervals, what changes meanwhile faintly behind."""
    figure, (axes,) = new_figure(7.2, 4.6)
    _draw_learning(figure, axes, curves)
    save(figure, path)


def _draw_learning(figure: Any, axes: Any, curves: LearningCurves) -> None:
    """Draw learning curves into a figure with one pair of axes."""
    if curves.behind is not None:
        _draw_behind(axes, curves.behind)
    for color, marker, series in zip(_COLORS, _MARKERS, curves.series, strict=False):
        _draw_series(axes, series, color, marker)
    if curves.chosen is not None:
        line = {"color": RED, "linestyle": "--", "linewidth": 1.3, "zorder": 1.5}
        axes.axvline(curves.chosen.x, label=curves.chosen.name, **line)
    _set_limits(axes, curves)
    axes.set_title(curves.title, loc="left", fontweight="bold")
    axes.set_ylabel(curves.metric)
    axes.set_xlabel(curves.x_name)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower left", frameon=False, ncols=1)


def _draw_behind(axes: Any, series: Series) -> None:
    x, y = [point.x for point in series.points], [point.score for point in series.points]
    marker = "." if len(x) < _FEW else ""
    axes.plot(x, y, color=GREY, linewidth=0.8, marker=marker, alpha=0.4, zorder=1, label=series.name)


def _draw_series(axes: Any, series: Series, color: str, marker: str) -> None:
    points = series.points
    known = [(point.x, *point.interval) for point in points if point.interval is not None]
    name = f"{series.name}, with 95 % CI" if known else series.name
    are_dots = bool(known) and len(points) <= 2  # a line between two would tell more than is known
    if known:
        places, lower, upper = zip(*known, strict=True)
        if not are_dots:
            draw_band(axes, places, zip(lower, upper, strict=True), color, zorder=2)
        axes.vlines(places, lower, upper, color=color, alpha=0.5, linewidth=1.2, zorder=2)
    x, y = [point.x for point in points], [point.score for point in points]
    style = {"color": color, "marker": marker, "markersize": 5, "zorder": 3, "label": name}
    axes.plot(x, y, linewidth=2, linestyle="none" if are_dots else "-", **style)


def _set_limits(axes: Any, curves: LearningCurves) -> None:
    """Show all scores of whole sets; what is behind may reach beyond the frame, since it varies more."""
    label_whole_numbers(axes)
    points = [point for series in curves.series for point in series.points]
    values = [value for point in points for value in (point.score, *(point.interval or ()))]
    if curves.behind is not None:
        scores = [point.score for point in curves.behind.points]
        values += np.quantile(scores, _SHOWN).tolist()
    values = [value for value in values if np.isfinite(value)]
    if values:
        room = 0.06 * (max(values) - min(values)) or 1.0
        axes.set_ylim(min(values) - room, max(values) + room)
    places = [point.x for point in points]
    if curves.behind is not None:
        places += [point.x for point in curves.behind.points]
    if curves.chosen is not None:
        places.append(curves.chosen.x)
    if places:
        room = 0.04 * (max(places) - min(places)) or 0.5
        axes.set_xlim(min([0.0, *places]) - room, max(places) + room)


def plot_hypotheses(
    path: Path, lists: Mapping[str, tuple[ArrayLike, ArrayLike]], *, title: str, words: float
) -> None:
    """Draw hypotheses by model score and BLEU (Chiang, Marton & Resnik 2008, figure 1)."""
    figure, (axes,) = new_figure(6.4, 4.8)
    styles = ((GREEN, "^"), (LIGHT_GREEN, "s"), (BLUE, "o"), (RED, "v"))
    for (color, marker), (name, (model, B)) in zip(styles, lists.items(), strict=False):
        bleu = 100 * np.asarray(B, dtype=np.float64) / words
        axes.scatter(model, bleu, s=42, color=color, marker=marker, alpha=0.75, linewidth=0, label=name)
    axes.set_xlabel("model score  h(e) · w")
    axes.set_ylabel("BLEU in the context of the pseudo-document")
    axes.set_title(title, loc="left", fontweight="bold")
    axes.legend(frameon=False, loc="best")
    save(figure, path)


def plot_reliability(path: Path, bins: Sequence[tuple[float, float, int, float, float]]) -> None:
    """Draw the share of kept words by confidence; where both are equal, confidence is right."""
    figure, (axes,) = new_figure(4.8, 4.6)
    axes.plot([0, 1], [0, 1], color=COLORS[-1], linewidth=1, linestyle="--")
    most = max(words for _, _, words, _, _ in bins)
    x, y = [mean for *_, mean, _ in bins], [share for *_, share in bins]
    axes.plot(x, y, color=COLORS[0], linewidth=1.2)
    axes.scatter(x, y, s=[_AREA * words / most for _, _, words, _, _ in bins], color=COLORS[0], alpha=0.6)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="confidence", ylabel="share of words kept")
    axes.set_title("Reliability", loc="left", fontweight="bold")
    save(figure, path)

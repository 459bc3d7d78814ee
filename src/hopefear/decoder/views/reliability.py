"""A picture of how reliable the confidence of words is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hopefear.base.figures import COLORS, new_figure, save

_AREA = 400.0  # of the largest point, in square points


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

"""Pictures: how BLEU grows, and where the hypotheses of a sentence lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hopefear.decoder.files import written_whole

BLUE, ORANGE, GREEN, LIGHT_GREEN, RED = "#2f6db5", "#e08214", "#2b8a4b", "#7bc043", "#c0392b"

PSEUDO_DOCUMENT, POOL = "pseudo-document", "pooled k-best lists"
"""What the scores of a learning curve are of: online tuners' updates, batch tuners' passes."""

MEAN_OF = 50
"""Updates that a smooth curve is the mean of."""


def plot_learning(
    path: Path,
    updates: Sequence[int],
    pseudo: Sequence[float],
    held_out: Sequence[tuple[int, float]] = (),
    *,
    title: str,
    held_out_name: str = "test set",
    metric: str = "BLEU",
    curve: str = PSEUDO_DOCUMENT,
) -> None:
    """Draw the score by update, or pass: of what is learned from, and of a set that is not.

    Parameters
    ----------
    updates, pseudo : sequences of the same length
        Number of each update, and the score after it, of what `curve` says.
    held_out : sequence of (update, score)
        Update 0 is before learning.
    """
    figure, panels = _figure(7.2, 5.2 if held_out else 3.6, rows=2 if held_out else 1)
    upper, lower = panels[0], panels[-1]
    upper.plot(updates, pseudo, color=BLUE, linewidth=1, alpha=0.35)
    if len(pseudo) > MEAN_OF:
        mean = _smoothed(pseudo, MEAN_OF)
        upper.plot(updates[MEAN_OF - 1 :], mean, color=BLUE, linewidth=2, label=f"mean of {MEAN_OF}")
        upper.legend(frameon=False, loc="lower right")
    upper.set_title(title, loc="left", fontweight="bold")
    upper.set_ylabel(f"{metric}, {curve}")
    if held_out:
        x, y = zip(*held_out, strict=True)
        lower.plot(x, y, color=ORANGE, linewidth=2, marker="o", markersize=5)
        for (place, value), shift in ((held_out[0], -16), (held_out[-1], 8)):
            lower.annotate(
                f"{value:.1f}", (place, value), (0, shift), textcoords="offset points", ha="center"
            )
        lower.margins(y=0.2)
        lower.set_ylabel(f"{metric}, {held_out_name}")
    lower.set_xlabel("passes" if curve == POOL else "updates")
    _save(figure, path)


def plot_hypotheses(
    path: Path, lists: Mapping[str, tuple[ArrayLike, ArrayLike]], *, title: str, words: float
) -> None:
    """Draw hypotheses by model score and BLEU (Chiang, Marton & Resnik 2008, figure 1).

    Parameters
    ----------
    lists : mapping of str to (model scores, B), shapes (k,)
        Lists by name, hope first and fear last.
    words : float
        What B is divided by to give BLEU in the context of the pseudo-document.
    """
    figure, (axes,) = _figure(6.4, 4.8)
    styles = ((GREEN, "^"), (LIGHT_GREEN, "s"), (BLUE, "o"), (RED, "v"))
    for (color, marker), (name, (model, B)) in zip(styles, lists.items(), strict=False):
        bleu = 100 * np.asarray(B, dtype=np.float64) / words
        axes.scatter(model, bleu, s=42, color=color, marker=marker, alpha=0.75, linewidth=0, label=name)
    axes.set_xlabel("model score  h(e) · w")
    axes.set_ylabel("BLEU in the context of the pseudo-document")
    axes.set_title(title, loc="left", fontweight="bold")
    axes.legend(frameon=False, loc="best")
    _save(figure, path)


def _smoothed(values: Sequence[float], width: int) -> list[float]:
    """Means of all runs of `width` values."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    means: list[float] = ((sums[width:] - sums[:-width]) / width).tolist()
    return means


def _figure(width: float, height: float, rows: int = 1) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    panels = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e4e6ea", linewidth=0.8)
        axes.set_axisbelow(True)
    return figure, panels


def _save(figure: Any, path: Path) -> None:
    with written_whole(path) as beside:
        figure.savefig(beside, format="png")

"""The board as a page that asks for itself again and again."""

from __future__ import annotations

from collections.abc import Sequence

from hopefear.reports import page, render, score_chart, weight_charts

from .places import RunState, State
from .words import heading, progress, score


def board_page(title: str = "Runs") -> str:
    """Return the page, without what it shows, which it asks for at ``board``."""
    return page("board.html", title)


def board_html(states: Sequence[State]) -> str:
    """Return what the page shows of runs and experiments."""
    words = {"heading": heading, "progress": progress, "score": score}
    return str(render("board_states.html", states=states, charts=_charts, **words))


def _charts(run: RunState) -> list[str]:
    of_weights = weight_charts(run.paths, run.points) if len(run.points) > 1 and run.paths else []
    return [score_chart(run.curves, run.change), *of_weights]

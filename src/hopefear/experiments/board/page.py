"""The board as a page that asks for itself again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from hopefear.reports import colours_of, page, render, score_chart, weight_charts

from .places import ExperimentState, RunState, State
from .words import heading, progress, score


def board_page(title: str = "Runs") -> str:
    """Return the page, without what it shows, which it asks for at ``board``."""
    return page("board.html", title)


def board_html(states: Sequence[State]) -> str:
    """Return what the page shows of runs and experiments."""
    words = {"heading": heading, "progress": progress, "score": score}
    runs = [
        run for state in states for run in (state.running if isinstance(state, ExperimentState) else [state])
    ]
    shown = Counter(name for run in runs for name in run.paths)
    charts = partial(_charts, colours=colours_of(sorted(shown, key=lambda name: (-shown[name], name))))
    return str(render("board_states.html", states=states, charts=charts, **words))


def _charts(run: RunState, colours: Mapping[str, int]) -> list[str]:
    of_weights = weight_charts(run.paths, run.points, colours) if len(run.points) > 1 and run.paths else []
    return [score_chart(run.curves, run.change), *of_weights]

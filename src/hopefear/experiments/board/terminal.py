"""The board as text."""

from __future__ import annotations

from collections.abc import Sequence

from .places import ExperimentState, RunState, State
from .words import heading, progress, score

_BLOCKS = "▁▂▃▄▅▆▇█"
_WIDTH = 40


def board_text(states: Sequence[State]) -> str:
    """Return the board as lines of text."""
    return "\n\n".join(
        "\n".join(_experiment(one) if isinstance(one, ExperimentState) else _run(one)) for one in states
    )


def _run(run: RunState) -> list[str]:
    lines = [f"{heading(run)}  [{run.status}]  {score(run)}"]
    if run.share is not None:
        lines.append(_bar(run.share))
    lines += filter(None, [progress(run), run.error])
    curves = run.curves
    drawn = [*curves.series, *([curves.behind] if curves.behind is not None else [])]
    width = max((len(series.name) for series in drawn), default=0)
    for series in drawn:
        values = [point.score for point in series.points]
        lines.append(f"  {series.name:{width}}  {sparkline(values)}  {values[-1]:.2f}")
    width = max(map(len, run.paths), default=0)
    for name, path in run.paths.items():
        lines.append(f"  {name:{width}}  {path[-1]:.4g}")
    if run.now is not None and run.now.sentence is not None:
        lines += [f"  {name:11}  {text}" for name, text in run.now.sentence.texts()]
    return lines


def _experiment(state: ExperimentState) -> list[str]:
    lines = [
        f"{heading(state)}  {score(state)}",
        _bar(state.done / max(len(state.cells), 1)),
        progress(state),
    ]
    width = max((len(one.cell.name) for one in state.cells), default=0)
    lines += [f"  {one.cell.name:{width}}  {one.status}  {one.text}".rstrip(" ") for one in state.cells]
    return [line for line in lines if line]


def _bar(share: float) -> str:
    done = round(share * _WIDTH)
    return f"  {'█' * done}{'░' * (_WIDTH - done)} {100 * share:3.0f} %"


def sparkline(values: Sequence[float]) -> str:
    """Draw values as blocks of eight heights; of many, so many that they fit."""
    step = -(-len(values) // _WIDTH) or 1
    shown = values[::-1][::step][::-1]
    low, high = min(shown), max(shown)
    scale = (len(_BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BLOCKS[round((value - low) * scale)] for value in shown)

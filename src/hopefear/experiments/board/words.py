"""What the board says of a run or an experiment in a few words, in the page and in the terminal."""

from __future__ import annotations

from .places import ExperimentState, State


def heading(state: State) -> str:
    """Name a run by its folder and its tuner, an experiment by its title."""
    if isinstance(state, ExperimentState):
        return state.grid.title
    place = state.folder.resolve()
    return " · ".join(filter(None, ("/".join((place.parent.name, place.name)), state.tuner)))


def score(state: State) -> str:
    """Say the last score, and the first one; of an experiment, how many runs are finished."""
    if isinstance(state, ExperimentState):
        return f"{state.done} of {len(state.cells)} runs"
    if state.change is not None:
        found = state.change.test
        return f"{state.change.metric} {found.baseline.value:.2f} → {found.system.value:.2f}"
    curves = state.log.curves()
    points = [point for series in curves.series[-1:] for point in series.points]
    behind = curves.behind.points if curves.behind is not None else []
    if points:
        return f"{curves.metric} {points[-1].score:.2f}"
    return f"pseudo-document {behind[-1].score:.2f}" if behind else "no score yet"


def progress(state: State) -> str:
    """Say how much is done, and how long the rest takes."""
    if isinstance(state, ExperimentState):
        running = sum(one.status == "running" for one in state.cells)
        failed = sum(one.status == "failed" for one in state.cells)
        parts = [f"{running} running" if running else "", f"{failed} failed" if failed else ""]
        return ", ".join(filter(None, [*parts, _left(None if state.is_over else state.left)]))
    now = state.now
    if now is None:
        passes = len(state.log.pass_numbers)
        return f"{passes} pass{'es' * (passes != 1)} done" if passes else ""
    of = f" of {now.sentences:,}" if now.sentences else ""
    parts = [f"pass {now.passes + 1} of at most {now.most}", f"sentence {now.position:,}{of}"]
    updates = state.log.updates
    parts += [f"{updates:,} updates"] if updates else []
    return ", ".join([*parts, f"{duration(now.seconds)} so far", _left(now.left)]).removesuffix(", ")


def _left(seconds: float | None) -> str:
    return "" if seconds is None else f"about {duration(seconds)} left"


def duration(seconds: float) -> str:
    """Write a time such as ``1:02:03`` or ``2:03``."""
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

"""The background work of a session: named tasks, done one by one when no request waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, auto


class Task(IntEnum):
    """The kinds of background work, in the order in which they are done."""

    PREPARE = auto()
    """Find the rules for the sentence after the one that is shown."""
    KEEP = auto()
    """Write to the log what the machine said of sentences that are not corrected."""
    FORESEE = auto()
    """Translate the prepared sentence with the untouched system."""
    MEASURE = auto()
    """Measure a correction against what was shown."""
    SAVE = auto()
    """Save the state, so that fewer corrections are learned once more after a restart."""


Rest = Callable[[], object]
"""The rest of a task, which any thread may do."""


@dataclass(frozen=True)
class Step:
    """A task that was done, up to its rest if it has one."""

    name: str
    rest: Rest | None


class WorkQueue:
    """Tasks that wait; one that raises an error waits on, and the next step tries it again."""

    def __init__(self) -> None:
        self._tasks: dict[Task, dict[str, Callable[[], Rest | None]]] = {kind: {} for kind in Task}

    def add(self, kind: Task, work: Callable[[], Rest | None], name: str = "") -> None:
        """Add a task; it takes the place of one of the same kind and name."""
        self._tasks[kind][name] = work

    def pending(self) -> list[str]:
        """List the names of the tasks that wait, the next one first."""
        return [_name(kind, name) for kind, tasks in self._tasks.items() for name in tasks]

    def step(self) -> Step | None:
        """Do the next task; None if none waits."""
        kind = next((kind for kind, tasks in self._tasks.items() if tasks), None)
        return None if kind is None else self._do(kind)

    def run(self, kind: Task, leave: int = 0) -> None:
        """Do the tasks of a kind until no more than so many wait."""
        while len(self._tasks[kind]) > leave:
            self._do(kind)

    def _do(self, kind: Task) -> Step:
        name, work = next(iter(self._tasks[kind].items()))
        rest = work()
        del self._tasks[kind][name]
        return Step(_name(kind, name), rest)


def _name(kind: Task, name: str) -> str:
    return f"{kind.name.lower()} {name}".strip(" ")

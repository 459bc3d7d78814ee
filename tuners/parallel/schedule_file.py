"""The schedule of a run of parallel training in a file.

Each line is a turn: the number of the learner, and the number of its next sentences if that is not 1.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import append_whole, written_whole
from hopefear.base.texts import split_words

from .schedules import Replay, Schedule, Turn


def read_schedule(path: str | os.PathLike[str], *, whole: bool = True) -> list[Turn]:
    """Read turns, one a line."""
    try:
        text = Path(path).read_text("utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    lines = text.split("\n")
    if lines[-1] == "" or not whole:
        lines.pop()
    for number, line in enumerate(lines, 1):
        if not re.fullmatch("[0-9]{1,9}( [1-9][0-9]{0,8})?", line):
            raise InputError(
                f"expected the number of a worker and a number of sentences (default 1), got {line!r}",
                path=path,
                line=number,
            )
    return [Turn(*map(int, split_words(line))) for line in lines]


def _rest(found: list[Turn], turns: list[Turn], path: str | os.PathLike[str]) -> list[Turn]:
    if found[: len(turns)] != turns:
        raise InputError("expected the schedule of the checkpoint, got another schedule", path=path)
    return found[len(turns) :]


def _line(turn: Turn) -> str:
    return f"{turn.worker}\n" if turn.sentences == 1 else f"{turn.worker} {turn.sentences}\n"


class ScheduleFile:
    """The file to which a run writes its turns."""

    def __init__(self, path: Path | None, turns: list[Turn], replay: str = "") -> None:
        self._path, self._turns = path, turns
        self._replay: Replay | None = None
        self._known = 0  # turns to come that are in the file
        ahead: list[Turn] = []
        if replay:
            self._replay = Replay(_rest(read_schedule(replay), turns, replay), None, replay, len(turns))
        elif path is not None and turns and path.exists():
            ahead = _rest(read_schedule(path, whole=False), turns, path)
        self._ahead = ahead
        if path is not None:
            with written_whole(path) as beside:
                beside.write_text("".join(map(_line, (*turns, *ahead))))
            self._known = len(ahead)

    def before(self, schedule: Schedule) -> Schedule:
        """Return a schedule that begins with the turns to repeat."""
        if self._replay is not None:
            return self._replay
        if self._path is not None and self._ahead:
            return Replay(self._ahead, schedule, self._path, len(self._turns))
        return schedule

    def check_end(self) -> None:
        """Warn if not all turns of the other run were taken."""
        if self._replay is not None and not self._replay.at_end:
            warnings.warn(f"{self._replay.path}: the run ended before the end of this schedule", stacklevel=3)

    def add(self, turn: Turn) -> None:
        """Write a turn, unless it is written already."""
        self._turns.append(turn)
        if self._known:
            self._known -= 1
        elif self._path is not None:
            append_whole(self._path, _line(turn).encode())

"""The schedule of a run of parallel training in a file.

A line for each turn: the number of the worker that was done, and, if not one, how many sentences it got then.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

from hopefear.decoder import InputError
from hopefear.decoder.files import written_whole

from .schedules import Replay, Schedule, Turn


def read_schedule(path: str | os.PathLike[str], *, whole: bool = True) -> list[Turn]:
    """Read turns, one a line.

    Parameters
    ----------
    whole : bool
        Else the last line, where it has no end, is left out: somebody was stopped while writing it.

    Raises
    ------
    InputError
        The file cannot be read, or a line is no turn.
    """
    try:
        text = Path(path).read_text("utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    lines = text.split("\n")
    if lines[-1] == "" or not whole:
        lines.pop()
    for number, line in enumerate(lines, 1):
        if not re.fullmatch("[0-9]+( [1-9][0-9]*)?", line):
            raise InputError(
                f"expected a worker's number, and how many sentences it got if not one, got {line!r}",
                path=path,
                line=number,
            )
    return [Turn(*map(int, line.split())) for line in lines]


def _line(turn: Turn) -> str:
    return f"{turn.worker}\n" if turn.sentences == 1 else f"{turn.worker} {turn.sentences}\n"


class ScheduleFile:
    """The file in which a run writes down its schedule as it goes.

    Parameters
    ----------
    path : Path or None
        The file; without one, turns are kept in memory alone.
    turns : list of Turn
        What is known to have been written, to which turns are added; what stands behind it in the file was
        done by the run that is gone on with after its last checkpoint.

    Raises
    ------
    InputError
        The file is of another run.
    OSError
        It cannot be written; the error names it.
    """

    def __init__(self, path: Path | None, turns: list[Turn]) -> None:
        self._path, self._turns = path, turns
        self._ahead: list[Turn] = []
        self._file: io.FileIO | None = None
        if path is None:
            return
        if turns and path.exists():
            written = read_schedule(path, whole=False)
            if written[: len(turns)] != turns:
                raise InputError("expected the schedule of the checkpoint, got another", path=path)
            self._ahead = written[len(turns) :]
        with written_whole(path) as beside:
            beside.write_text("".join(map(_line, (*turns, *self._ahead))))
        self._known = len(self._ahead)
        self._file = path.open("ab", buffering=0)

    def before(self, schedule: Schedule, replay: str) -> Schedule:
        """Put before a schedule what is to be kept to.

        Parameters
        ----------
        replay : str
            The file of another run, if this one is to keep to its order.

        Raises
        ------
        InputError
            It cannot be read, or has a line that is no turn.
        """
        done = len(self._turns)
        if replay:
            return Replay(read_schedule(replay)[done:], None, replay, done)
        if self._path is not None and self._ahead:
            return Replay(self._ahead, schedule, self._path, done)
        return schedule

    def add(self, turn: Turn) -> None:
        """Write down what was next, unless it is written already."""
        self._turns.append(turn)
        if self._file is None:
            return
        if self._known:
            self._known -= 1
            return
        try:
            self._file.write(_line(turn).encode())
        except OSError as error:
            error.filename = str(self._path)
            raise

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

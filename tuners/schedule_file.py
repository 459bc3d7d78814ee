"""The schedule of a run of parallel training in a file: the number of a worker on each line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hopefear.decoder import InputError
from hopefear.decoder.files import written_whole


def read_schedule(path: str | os.PathLike[str], *, whole: bool = True) -> list[int]:
    """Read the numbers of workers, one a line.

    Parameters
    ----------
    whole : bool
        Else the last line, where it has no end, is left out: somebody was stopped while writing it.

    Raises
    ------
    InputError
        The file cannot be read, or a line is no number.
    """
    try:
        text = Path(path).read_text("utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    lines = text.split("\n")
    if lines[-1] == "" or not whole:
        lines.pop()
    for number, line in enumerate(lines, 1):
        if not (line.isascii() and line.isdigit()):
            raise InputError(f"expected the number of a worker, got {line!r}", path=path, line=number)
    return [int(line) for line in lines]


class ScheduleFile:
    """The file in which a run writes down its schedule, a line a sentence, as it goes.

    Parameters
    ----------
    path : Path
        The file.
    done : sequence of int
        What is known to have been written; what stands behind it in the file is `ahead`.

    Attributes
    ----------
    ahead : list of int
        What was done by the run that is gone on with after its last checkpoint.

    Raises
    ------
    InputError
        The file is of another run.
    OSError
        It cannot be written; the error names it.
    """

    def __init__(self, path: Path, done: Sequence[int]) -> None:
        self.path = path
        self.ahead: list[int] = []
        if done and path.exists():
            written = read_schedule(path, whole=False)
            if written[: len(done)] != list(done):
                raise InputError("expected the schedule of the checkpoint, got another", path=path)
            self.ahead = written[len(done) :]
        with written_whole(path) as beside:
            beside.write_text("".join(f"{worker}\n" for worker in (*done, *self.ahead)))
        self._known = len(self.ahead)
        self._file = path.open("ab", buffering=0)

    def add(self, worker: int) -> None:
        """Write down who was next, unless it is written already."""
        if self._known:
            self._known -= 1
            return
        try:
            self._file.write(b"%d\n" % worker)
        except OSError as error:
            error.filename = str(self.path)
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

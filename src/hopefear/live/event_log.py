"""The log of a session: a file of events that only grows, for one process at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import append_whole, cut_to_lines, locked
from hopefear.base.lines import read_lines

from .events import Event


class EventLog:
    """The events of a session in a file, which is created if it is missing.

    The rest of a line that a kill has left at the end of the file is removed.

    Parameters
    ----------
    path : Path
        The file.
    taken : InputError
        The error for the case that another process uses the file.

    Raises
    ------
    InputError
        It is `taken`.
    OSError
        The file cannot be opened.
    """

    def __init__(self, path: Path, taken: InputError) -> None:
        self.path = path
        self._open = ExitStack()
        self._file = self._open.enter_context(locked(path, taken))
        cut_to_lines(path)

    def close(self) -> None:
        """Let other processes use the file."""
        self._open.close()

    @property
    def is_empty(self) -> bool:
        """Whether nothing has happened yet."""
        return os.fstat(self._file.fileno()).st_size == 0

    def append(self, event: Event) -> None:
        """Append an event; it is on the disk, unless it can be derived from others.

        Raises
        ------
        InputError
            The event has a text that is no valid Unicode, or a value that cannot be written.
        OSError
            The event cannot be written; the log stays as it was.
        """
        try:
            line = event.line()
        except (TypeError, ValueError) as error:
            raise InputError(f"expected what a log can hold: {error}", path=self.path) from None
        append_whole(self.path, line, sync=not event.derived)

    def sync(self) -> None:
        """Have all events on the disk."""
        os.fsync(self._file.fileno())

    def __iter__(self) -> Iterator[tuple[str, Event]]:
        """Iterate over the events, each with its file and line.

        Raises
        ------
        InputError
            A line is damaged.
        """
        for where, line in read_lines(self.path):
            try:
                yield where, Event.parse(line)
            except ValueError as error:
                message = f"expected an event of a session; missing or wrong: {error}"
                raise InputError(message, path=where) from None

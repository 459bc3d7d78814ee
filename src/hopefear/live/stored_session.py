"""A session whose events and state are in files: a kill loses nothing that was accepted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import append_whole, cut_to_lines, locked
from hopefear.base.lines import read_lines
from hopefear.tuners.contract.checkpoint import read_checkpoint, resuming, write_checkpoint

from .events import Event
from .session import LiveSession

JOURNAL = ".journal"
"""What the name of the log ends in, after the name of the state's file."""


class StoredSession:
    """A session, the log of its events, and the file of its state, which spares learning from all of them.

    An event is in the log before anybody is told of it, and before it has any effect. A session that was
    ended in any way goes on from the state, and learns once more from the events after it: it is then as if
    it had never been ended. One process at a time uses the files.

    Parameters
    ----------
    session : LiveSession
        A new session; it has its readers.
    path : Path
        The file of the state. The log is beside it.
    resume : bool
        Whether to go on from the files. A new session refuses files that exist.

    Attributes
    ----------
    session : LiveSession
    replayed : int
        Corrections that were learned from once more.

    Raises
    ------
    ValueError
        Something has happened in the session already.
    InputError
        The files exist, or, to resume, are missing or damaged, or of another system or tuner; or another
        process uses them.
    OSError
        The files cannot be written.
    """

    def __init__(self, session: LiveSession, path: Path, *, resume: bool = False) -> None:
        self.session, self._path, self.replayed = session, path, 0
        self._journal = path.with_name(path.name + JOURNAL)
        if session.events:
            raise ValueError(f"expected a new session, got one of {session.events} events")
        if not resume and path.exists():
            raise InputError("expected a new file, got one that exists: resume it, or remove it", path=path)
        if resume and not path.exists():
            raise InputError("no such file; expected a session to resume", path=path)
        taken = InputError("another session uses this file", path=path)
        with ExitStack() as opened:
            self._log = opened.enter_context(locked(self._journal, taken))
            cut_to_lines(self._journal)
            if resume:
                with resuming(path):
                    self.replayed = session.resume(read_checkpoint(path), self._events())
            elif self._journal.stat().st_size:
                raise InputError("expected no events of another session: remove them", path=self._journal)
            self.save()
            session.log = self._append
            self._opened = opened.pop_all()

    def __enter__(self) -> StoredSession:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes use the files; the session goes on without a log."""
        self.session.log = None
        self._opened.close()

    def save(self) -> None:
        """Save the state.

        Raises
        ------
        TuningError, OSError
            The state cannot be saved; the file stays as it is.
        """
        os.fsync(self._log.fileno())
        write_checkpoint(self._path, self.session.get_state())

    def _append(self, event: Event) -> None:
        try:
            line = event.line()
        except (TypeError, ValueError) as error:
            raise InputError(f"expected what a log can hold: {error}", path=self._journal) from None
        append_whole(self._journal, line, sync=not event.derived)

    def _events(self) -> Iterator[tuple[str, Event]]:
        for where, line in read_lines(self._journal):
            try:
                yield where, Event.parse(line)
            except ValueError as error:
                message = f"expected an event of a session; missing or wrong: {error}"
                raise InputError(message, path=where) from None

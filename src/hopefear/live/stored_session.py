"""A session whose events and state are in files: a kill loses nothing that was accepted."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from hopefear.base import InputError
from hopefear.tuners.contract.checkpoint import read_checkpoint, resuming, write_checkpoint

from .event_log import EventLog
from .session import LiveSession

JOURNAL = ".journal"
"""What the name of the log ends in, after the name of the state's file."""


class StoredSession:
    """A session, the log of its events, and the file of its state, which spares learning from all of them.

    An event is written to the log before anybody is told of it, and before it has any effect. A session that
    was ended in any way goes on from the state, and from the events after it, from which it learns once more:
    it is then as if it had never been ended. One process at a time uses the files.

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
        self.session, self._path = session, path
        self.replayed = 0
        if session.events:
            raise ValueError(f"expected a new session, got one of {session.events} events")
        if not resume and path.exists():
            raise InputError("expected a new file, got one that exists: resume it, or remove it", path=path)
        if resume and not path.exists():
            raise InputError("expected a session to resume, but there is no such file", path=path)
        self._log = EventLog(
            path.with_name(path.name + JOURNAL), InputError("another session uses this file", path=path)
        )
        try:
            if resume:
                with resuming(path):
                    self.replayed = session.resume(read_checkpoint(path), self._log)
            elif not self._log.is_empty:
                raise InputError("expected no events of another session: remove them", path=self._log.path)
            session.log = self._log
            self.save()
        except BaseException:
            self._log.close()
            raise

    def __enter__(self) -> StoredSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes use the files; the session goes on without a log."""
        self.session.log = None
        self._log.close()

    def save(self) -> None:
        """Save the state.

        Raises
        ------
        TuningError, OSError
            The state cannot be saved; the file stays as it is.
        """
        self._log.sync()
        write_checkpoint(self._path, self.session.get_state())

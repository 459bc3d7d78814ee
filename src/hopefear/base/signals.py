"""Stopping at a safe point when SIGINT, SIGTERM or SIGHUP comes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Stopped(BaseException):
    """A signal came while the command was waiting."""


class Terminated(BaseException):
    """SIGTERM came."""


@contextmanager
def closing_on_sigterm() -> Iterator[None]:
    """Raise SIGTERM as an exception within this context, so that resources are closed."""
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)  # a second signal must not interrupt closing
        raise Terminated

    signal.signal(signal.SIGTERM, handle)
    try:
        yield
    except Terminated:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


class StopSignals:
    """Make SIGINT, SIGTERM and SIGHUP within this context requests to stop, which interrupt only waiting."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._waiting = False
        self._before: dict[signal.Signals, Any] = {}

    @property
    def exit_status(self) -> int:
        """The exit status that shells give for a program ended by the signal."""
        return 128 + (self.signal or 0)

    def __enter__(self) -> StopSignals:
        """Install the signal handlers."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:  # under nohup
                continue
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *error: object) -> None:
        """Restore the former signal handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Raise `Stopped` within this context when a signal comes, or if one came before."""
        self._waiting = True
        try:
            if self.signal is not None:
                raise Stopped
            yield
        finally:
            self._waiting = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.signal = number
        if self._waiting:
            self._waiting = False
            raise Stopped

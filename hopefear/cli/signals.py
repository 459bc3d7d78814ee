"""Stopping at a safe point when SIGINT or SIGTERM comes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any


class Stopped(BaseException):
    """A signal came while nothing was under way."""


class Terminated(BaseException):
    """SIGTERM came."""


@contextmanager
def closing_on_sigterm() -> Iterator[None]:
    """Within this context SIGTERM is raised as an exception, so that what is open is closed.

    The process ends as SIGTERM ends it elsewhere, when the context is left. Nothing is done where somebody
    handles the signal already.
    """
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)  # closing takes a while
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
    """Within this context SIGINT and SIGTERM ask to stop, and interrupt nothing but waiting.

    Attributes
    ----------
    signal : int or None
        The signal that came.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._waiting = False
        self._before: dict[signal.Signals, Any] = {}

    @property
    def exit_status(self) -> int:
        """What shells give for a program that the signal ended."""
        return 128 + (self.signal or 0)

    def __enter__(self) -> StopSignals:
        """Take over the signals."""
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give them back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Mark what may be interrupted: `Stopped` is raised in it when a signal comes, or came before."""
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

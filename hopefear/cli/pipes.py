"""A reader that has read enough, such as ``head``, ends a command quietly."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import typer

CLOSED_PIPE = 128 + signal.SIGPIPE
"""The exit status, that of a program which the signal SIGPIPE ended."""


@contextmanager
def ending_quietly() -> Iterator[None]:
    """Write all output; where nobody reads standard output or standard error any more, end with no message.

    Raises
    ------
    typer.Exit
        With status `CLOSED_PIPE`: the reader of an output closed the pipe.
    BrokenPipeError
        Another pipe broke, such as that to a program which this process started.
    """
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        closed = [stream for stream in (sys.stdout, sys.stderr) if _is_closed(stream)]
        if not closed:
            raise
        for stream in closed:  # what Python writes at its end goes nowhere
            with open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())
        raise typer.Exit(CLOSED_PIPE) from None


def _is_closed(stream: TextIO) -> bool:
    """Tell whether the stream is a pipe that nobody reads."""
    poll = select.poll()
    poll.register(stream.fileno(), 0)  # errors are reported unasked
    return any(event & select.POLLERR for _, event in poll.poll(0))

"""End a command without a message if the reader of its output, such as ``head``, stops."""

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
"""The exit status of a program that the signal SIGPIPE ended."""


@contextmanager
def ending_quietly() -> Iterator[None]:
    """Flush all output; if the reader of standard output or standard error stopped, end without a message.

    Raises
    ------
    typer.Exit
        The reader of an output closed the pipe; the status is `CLOSED_PIPE`.
    BrokenPipeError
        Another pipe broke, such as that to a program started by this process.
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
        for stream in closed:  # discards the last output of Python
            with open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())
        raise typer.Exit(CLOSED_PIPE) from None


def _is_closed(stream: TextIO) -> bool:
    """Tell whether the stream is a pipe whose reader has closed it."""
    poll = select.poll()
    poll.register(stream.fileno(), 0)  # errors are reported unasked
    return any(event & select.POLLERR for _, event in poll.poll(0))

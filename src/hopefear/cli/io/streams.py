"""The standard streams of a process: closed from the beginning, full, or pipes whose reader has stopped."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

CLOSED_PIPE = 128 + signal.SIGPIPE
"""The exit status of a program that the signal SIGPIPE ended."""

CANNOT_WRITE = 2
"""The exit status of a command whose standard output cannot be written."""


class OutputFailed(BaseException):
    """Standard output cannot be written, or nobody reads it or standard error any more.

    It is no `OSError`, which would be taken for that of a file.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output: cannot be written: {error.strerror}")
        self.is_closed_pipe = error.errno == errno.EPIPE


class _Output(io.FileIO):
    """Standard output."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OutputFailed(error) from None


class _Messages(io.FileIO):
    """Standard error: messages that cannot be written are lost, since there is nobody to tell."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise OutputFailed(error) from None
            return len(memoryview(data))


@contextmanager
def standard_streams() -> Iterator[None]:
    """Run a process whose standard streams may be closed, full, or read by ``head``.

    Reading a closed standard input and writing a closed standard output fail as those of other programs do,
    and no file that is opened later takes the place of a closed stream.

    Raises
    ------
    SystemExit
        An output failed. There is a message, and the status is `CANNOT_WRITE`; if the reader of a pipe
        stopped, there is none, and the status is `CLOSED_PIPE`.
    """
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest number that is free; in this mode it cannot be used
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8")
    sys.stdout = _text(_Output(1, "w", closefd=False), sys.stdout)
    sys.stderr = _text(_Messages(2, "w", closefd=False), sys.stderr, errors="backslashreplace")
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OutputFailed as failed:
        with open(os.devnull, "wb") as nowhere:  # for the last output of Python
            os.dup2(nowhere.fileno(), 1)
            if failed.is_closed_pipe:
                os.dup2(nowhere.fileno(), 2)
        if failed.is_closed_pipe:
            raise SystemExit(CLOSED_PIPE) from None
        print(f"hopefear: {failed}", file=sys.stderr)
        raise SystemExit(CANNOT_WRITE) from None


def _text(file: io.FileIO, before: TextIO | None, errors: str = "strict") -> TextIO:
    """Open a stream as Python did; with UTF-8 where it did not."""
    encoding, errors = (before.encoding, before.errors or errors) if before else ("utf-8", errors)
    line_buffering = file.isatty() or isinstance(file, _Messages)
    buffered = io.BufferedWriter(file)
    return io.TextIOWrapper(buffered, encoding=encoding, errors=errors, line_buffering=line_buffering)

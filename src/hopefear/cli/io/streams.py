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


class _Output(io.BufferedWriter):
    """Standard output."""

    def write(self, data: Any) -> int:
        with self._failures():
            return super().write(data)

    def flush(self) -> None:
        with self._failures():
            super().flush()

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputFailed(error) from None


class _Messages(_Output):
    """Standard error: messages that cannot be written are lost, since there is nobody to tell."""

    def write(self, data: Any) -> int:
        with self._failures():
            super().write(data)
        return len(memoryview(data))

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise OutputFailed(error) from None
            _discard(2)


def _discard(number: int) -> None:
    """Let what is written to a stream from now on get lost, also what its buffer has."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), number)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Run a process whose standard streams may be closed, full, or read by ``head``.

    Reading a closed standard input and writing a closed standard output fail as those of other programs do,
    and no file that is opened later takes the place of a closed stream.
    """
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest number that is free; in this mode it cannot be used
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8")
    sys.stdout = _text(_Output(io.FileIO(1, "w", closefd=False)), sys.stdout, "surrogateescape")
    sys.stderr = _text(_Messages(io.FileIO(2, "w", closefd=False)), sys.stderr, "backslashreplace")
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OutputFailed as failed:
        _discard(1)
        if failed.is_closed_pipe:
            _discard(2)
            raise SystemExit(CLOSED_PIPE) from None
        print(f"hopefear: {failed}", file=sys.stderr)
        raise SystemExit(CANNOT_WRITE) from None


def _text(file: _Output, before: TextIO | None, errors: str) -> TextIO:
    """Open a stream as Python did, with UTF-8 where it did not; names of files may have any bytes."""
    encoding = before.encoding if before else "utf-8"
    line_buffering = file.isatty() or isinstance(file, _Messages)
    return io.TextIOWrapper(file, encoding=encoding, errors=errors, line_buffering=line_buffering)

"""Read the lines of files and of standard input, with the file and line of each.

A file is UTF-8 text, which may be compressed. A byte order mark and line ends are not part of a line.
"""

from __future__ import annotations

import os
import stat
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from io import BufferedReader
from itertools import zip_longest
from pathlib import Path
from typing import Any

from .errors import InputError
from .texts import BLANK
from .unpacking import DAMAGED, PEEKED, packing_of

STANDARD_INPUT = "standard input"

LONGEST = 256 << 20
"""The most bytes of a line."""


def each_line(path: str | os.PathLike[str]) -> Iterator[str]:
    """Open a file, or standard input for ``-``, and iterate over its lines."""
    return (decoded(line, name, number) for name, number, line in raw_lines(path))


def read_lines(path: str | Path) -> Iterator[tuple[str, str]]:
    """Iterate over lines as `each_line` does, with the place of each line."""
    for name, number, line in raw_lines(path):
        yield f"{name}:{number}", decoded(line, name, number)


def count_lines(path: str | os.PathLike[str]) -> int | None:
    """Count the lines of a file, or of standard input for ``-``, and leave them to be read."""
    try:
        with open(0, "rb", closefd=False) if str(path) == "-" else open(path, "rb") as file:
            number = file.fileno()
            if not stat.S_ISREG(os.fstat(number).st_mode):
                return None
            position, lines, last = os.lseek(number, 0, os.SEEK_CUR), 0, b""
            if packing_of(os.pread(number, PEEKED, position)) is not None:
                return None
            while part := os.pread(number, 1 << 20, position):
                position, lines, last = position + len(part), lines + part.count(b"\n"), part
            return lines + (last[-1:] not in (b"", b"\n"))
    except OSError:
        return None


def read_texts(path: str | Path) -> list[str]:
    """Read the lines of a file, blanks around them removed."""
    return [line.strip(BLANK) for _, line in read_lines(path)]


def together(paths: Sequence[str | os.PathLike[str]], *files: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Iterate over the lines of several files together; all must have as many."""
    for number, row in enumerate(zip_longest(*files), 1):
        if None in row:
            ended = paths[row.index(None)]
            raise InputError("expected as many lines as in the other files", path=ended, line=number)
        yield row


def raw_lines(path: str | os.PathLike[str]) -> Iterator[tuple[str, int, bytes]]:
    """Open a file, or standard input for ``-``, and iterate over its lines as bytes, without line ends."""
    path = os.fspath(path)  # a number would be an open file, which would be closed
    lines = _opened(STANDARD_INPUT if path == "-" else path, path)
    next(lines)
    return lines


def _opened(name: str, path: str | os.PathLike[str]) -> Iterator[tuple[str, int, bytes]]:
    number, packing = 0, None
    try:
        # Not sys.stdin: Python cannot exit while a thread waits in it, as a thread of `Executor.map` does.
        with open(0, "rb", closefd=False) if str(path) == "-" else open(path, "rb") as file:
            yield name, 0, b""  # the file is open; it is closed with this generator
            packing = packing_of(file.peek(PEEKED)) if isinstance(file, BufferedReader) else None
            lines = packing.unpacking(file) if packing else file
            # readline, not iteration: a line from a pipe is yielded at once.
            for number, line in enumerate(iter(partial(lines.readline, LONGEST), b""), 1):
                if len(line) == LONGEST:
                    raise InputError(f"expected lines below {LONGEST >> 20} MB", path=name, line=number)
                yield name, number, line.removeprefix(BOM_UTF8 if number == 1 else b"").rstrip(b"\r\n")
    except InputError as error:
        if error.path is not None:
            raise
        raise InputError(str(error), path=name, line=number + 1) from None
    except DAMAGED as error:
        kind = packing.name if packing else "gz"
        raise InputError(f"expected a whole {kind} file: {error}", path=name, line=number + 1) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None


def decoded(line: bytes, name: str, number: int) -> str:
    """Decode a line of `raw_lines`."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        message = f"expected UTF-8, got byte 0x{line[error.start]:02x} at byte {error.start + 1}"
        raise InputError(message, path=name, line=number) from None
    if "\0" in text:
        raise InputError("expected text, got a zero byte", path=name, line=number)
    return text

"""Read the lines of files and of standard input, with the file and line of each.

A file is UTF-8 text, plain, gz, bz2 or xz, which its first bytes show. A byte order mark and line ends are
not part of a line.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from .errors import InputError
from .texts import BLANK

STANDARD_INPUT = "standard input"

DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
"""What Python raises for a compressed file that is damaged; of bz2 also OSError and ValueError."""

PEEKED = 6
"""The number of bytes at the begin of a file that tell how it is compressed."""


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


def raw_lines(path: str | os.PathLike[str]) -> Iterator[tuple[str, int, bytes]]:
    """Open a file, or standard input for ``-``, and iterate over its lines as bytes, without line ends."""
    lines = _opened(STANDARD_INPUT if str(path) == "-" else str(path), path)
    next(lines)
    return lines


def _opened(name: str, path: str | os.PathLike[str]) -> Iterator[tuple[str, int, bytes]]:
    number, packing = 0, None
    try:
        # Not sys.stdin: Python cannot exit while a thread waits in it, as a thread of `Executor.map` does.
        with open(0, "rb", closefd=False) if str(path) == "-" else open(path, "rb") as file:
            yield name, 0, b""  # the file is open; it is closed with this generator
            packing = packing_of(file.peek(PEEKED)) if isinstance(file, BufferedReader) else None
            lines = packing.open(file) if packing else file
            # readline, not iteration: a line from a pipe is yielded at once.
            for number, line in enumerate(iter(lines.readline, b""), 1):
                yield name, number, line.removeprefix(BOM_UTF8 if number == 1 else b"").rstrip(b"\r\n")
    except DAMAGED as error:
        kind = packing.name if packing else "gz"
        raise InputError(f"expected a whole {kind} file: {error}", path=name, line=number + 1) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None


class Packing(NamedTuple):
    """A way to compress files."""

    name: str
    open: Callable[[Any], Any]


_GZ = Packing("gz", gzip.open)
_BZ2 = Packing("bz2", bz2.open)
_XZ = Packing("xz", lzma.open)


def packing_of(begin: bytes) -> Packing | None:
    """Return how a file that begins so is compressed; None if it is not."""
    if begin.startswith(b"\x1f\x8b"):
        return _GZ
    if begin.startswith(b"BZh") and begin[4:6] in (b"1A", b"\x17\x72"):
        return _BZ2
    return _XZ if begin.startswith(b"\xfd7zXZ\0") else None


def unpacked(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file to read what is in it, for the native readers."""
    with open(path, "rb") as file:
        packing = packing_of(file.read(PEEKED))
    return cast(BinaryIO, packing.open(path)) if packing else open(path, "rb")


def unpack(content: bytes, path: str | os.PathLike[str]) -> bytes:
    """Return what is in a file of that content, which may be compressed."""
    packing = packing_of(content[:PEEKED])
    if packing is None:
        return content
    try:
        return bytes(packing.open(BytesIO(content)).read())
    except (*DAMAGED, OSError, ValueError) as error:
        raise InputError(f"expected a whole {packing.name} file: {error}", path=path) from None


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

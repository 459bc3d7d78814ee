"""The lines of the files that go with the input."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from .errors import InputError


def each_line(path: Path | str) -> Iterator[str]:
    """Open a UTF-8 file, plain or gzip, and go through its lines, without their ends.

    Raises
    ------
    InputError
        At once: the file is missing. When the line's turn comes: it is damaged or not in UTF-8.
    """
    lines = _lines(path)
    next(lines)
    return lines


def _lines(path: Path | str) -> Iterator[str]:
    try:
        with open(path, "rb") as file:
            yield ""  # the file is open, and closed when the generator goes
            packed = file.peek(2)[:2] == b"\x1f\x8b"
            for number, raw in enumerate(gzip.GzipFile(fileobj=file) if packed else file, 1):
                yield _decoded(raw, path, number)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {reason}", path=path) from error


def _decoded(raw: bytes, path: Path | str, number: int) -> str:
    try:
        return raw.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        message = f"expected UTF-8, got byte 0x{raw[error.start]:02x} at byte {error.start + 1}"
        raise InputError(message, path=path, line=number) from None

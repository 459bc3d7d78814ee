"""JSON and arrays in files that may be damaged, a `ValueError` whatever is wrong with them; checksums."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from hashlib import sha256
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .unpacking import check_members

_MOST_VALUES = 20_000_000
"""Of JSON: one may take 200 bytes of memory."""


def digest(file: BinaryIO) -> str:
    """Return the SHA-256 of a file's content, from here to its end, in hexadecimal."""
    total = sha256()
    while block := file.read(1 << 20):
        total.update(block)
    return total.hexdigest()


def parse_json(text: str | bytes, *, finite: bool = False) -> Any:
    """Parse JSON as `json.loads` does."""
    if len(text) > _MOST_VALUES:
        counts = map(text.count, "[{," if isinstance(text, str) else (b"[", b"{", b","))  # type: ignore[arg-type]
        if sum(counts) > _MOST_VALUES:
            raise ValueError(f"expected JSON of at most {_MOST_VALUES:,} values")
    try:
        number = _finite if finite else None
        return json.loads(text, parse_float=number, parse_constant=number)
    except RecursionError:
        raise ValueError("expected JSON, got JSON that is nested too deeply") from None


def json_bytes(value: Any) -> bytes:
    """Write JSON for people, in UTF-8; bytes of file names that are not UTF-8 are read back as they were."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"expected finite numbers, got {text}")
    return number


def read_arrays(file: str | os.PathLike[str] | BinaryIO) -> dict[str, NDArray[Any]]:
    """Read all arrays of an npz archive."""
    arrays: dict[str, Any] = _loaded(file, _members)
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise ValueError(f"expected an array, got another content of {name}")
    return arrays


def _members(archive: Any) -> dict[str, Any]:
    check_members(archive.zip)
    return {name: archive[name] for name in archive.files}


def read_array(file: str | os.PathLike[str] | BinaryIO) -> NDArray[Any]:
    """Read an npy file; errors as in `read_arrays`."""
    array = _loaded(file, lambda array: array)
    if not isinstance(array, np.ndarray):
        raise ValueError("expected a numpy array, got an archive")
    return array


def _loaded(file: str | os.PathLike[str] | BinaryIO, use: Callable[[Any], Any]) -> Any:
    if isinstance(file, (str, os.PathLike)):
        with open(file, "rb") as opened:  # numpy would leave a damaged archive open
            return _loaded(opened, use)
    try:
        return use(np.load(file, allow_pickle=False))
    except OSError:
        raise
    except Exception as error:  # numpy, zipfile, zlib and tokenize have errors of a dozen types
        raise ValueError(f"expected numpy arrays, got other or damaged content: {error}") from None

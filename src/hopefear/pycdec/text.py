"""Texts and names of files that are either str or UTF-8 bytes."""

from __future__ import annotations

import os
from pathlib import Path

FilePath = str | bytes | os.PathLike[str]


def as_text(data: str | bytes) -> str:
    """Convert str or UTF-8 bytes to str."""
    if isinstance(data, bytes):
        return data.decode("utf-8")
    if isinstance(data, str):
        return data
    raise TypeError(f"cannot convert {type(data).__name__} to str")


def as_path(name: FilePath) -> Path:
    """Return the path of a file."""
    return Path(os.fsdecode(name))

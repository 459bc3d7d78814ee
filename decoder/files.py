"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path beside the file to write to; it takes the file's place when all went well.

    Raises
    ------
    OSError
        The file cannot be replaced.
    """
    target = Path(path)
    beside = target.with_name(target.name + ".part")
    try:
        yield beside
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)

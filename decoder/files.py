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
        The file cannot be written or replaced. The error names it, where the system's names the path beside
        it, or none as when the disk is full.
    """
    target = Path(path)
    beside = target.parent / f"{target.name}.part"
    try:
        yield beside
        os.replace(beside, target)
    except OSError as error:
        if error.filename is None or str(error.filename) == str(beside):
            error.filename = str(target)
        raise
    finally:
        beside.unlink(missing_ok=True)

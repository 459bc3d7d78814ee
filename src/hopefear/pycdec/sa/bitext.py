"""The lines of parallel texts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.lines import read_lines

FilePath = str | os.PathLike[str]

_SEPARATOR = " ||| "


def bitext_lines(path: FilePath, side: str | None) -> Iterator[str]:
    """Iterate over the lines of a text, or over one side of lines ``source ||| target``."""
    if side not in (None, "source", "target"):
        raise ValueError(f"side must be 'source' or 'target', got {side!r}")
    for where, line in read_lines(Path(path)):
        if side is not None:
            # a side without words has no blank before or after it
            sides = f" {line} ".split(_SEPARATOR)
            if len(sides) != 2:
                raise InputError(f"expected source ||| target, got {line[:80]!r}", path=where)
            line = sides[side == "target"]
        yield line

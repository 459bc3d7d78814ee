"""The lines of parallel texts."""

from __future__ import annotations

from collections.abc import Iterator

from hopefear.base import InputError
from hopefear.base.lines import read_lines
from hopefear.pycdec.text import FilePath, as_path, as_text

_SEPARATOR = " ||| "


def bitext_lines(path: FilePath, side: str | bytes | None) -> Iterator[str]:
    """Iterate over the lines of a text, or over one side of lines ``source ||| target``."""
    side = None if side is None else as_text(side)
    if side not in (None, "source", "target"):
        raise ValueError(f"side must be 'source' or 'target', got {side!r}")
    for where, line in read_lines(as_path(path)):
        if side is not None:
            # a side without words has no blank before or after it
            sides = f" {line} ".split(_SEPARATOR)
            if len(sides) != 2:
                raise InputError(f"expected source ||| target, got {line[:80]!r}", path=where)
            line = sides[side == "target"]
        yield line

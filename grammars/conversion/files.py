"""Files that a foreign configuration names."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.lines import raw_lines

_SIZE = re.compile(rb"ngram\s+([0-9]{1,2})\s*=")


def find_file(name: str, config: Path, line: int) -> Path:
    """Return a file that a line names, in the configuration's or the working folder, perhaps with .gz."""
    for folder in (config.parent, Path()):
        for ending in ("", ".gz"):
            if name and (path := folder / (name + ending)).exists():
                return path
    raise InputError(f"expected a file, got {name[:200]!r}, which does not exist", path=config, line=line)


def arpa_order(path: Path) -> int | None:
    """Return the order of an n-gram model in ARPA form; None for another form."""
    order = None
    for _, number, line in islice(raw_lines(path), 200):
        text = line.strip()
        if number == 1 and (text.startswith((b"mmap lm", b"blm")) or b"\0" in line):
            return None
        if size := _SIZE.match(text):
            order = int(size[1])
        elif text.endswith(b"-grams:"):
            break
    return order

"""A foreign configuration while it is read, and the files that it names."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.lines import raw_lines
from hopefear.base.texts import BLANK, is_whole

from .system import System

_SIZE = re.compile(rb"ngram\s+([0-9]{1,2})\s*=")


class Configuration:
    """What was read of a configuration, with errors and notices that name its lines."""

    def __init__(self, path: Path, system: System) -> None:
        self.path, self.name, self.system = path, str(path), system

    def _wrong(self, message: str, line: int | None) -> InputError:
        return InputError(message, path=self.name, line=line)

    def _notice(self, line: int, message: str) -> None:
        self.system.notices.append(f"{self.name}:{line}: {message}")

    def _whole(self, line: int, value: str) -> int:
        if not is_whole(value):
            raise self._wrong(f"expected a whole number, got {value[:80]!r}", line or None)
        return int(value)


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
        text = line.strip(BLANK.encode())
        if number == 1 and (text.startswith((b"mmap lm", b"blm")) or b"\0" in line):
            return None
        if size := _SIZE.match(text):
            order = int(size[1])
        elif text.endswith(b"-grams:"):
            break
    return order

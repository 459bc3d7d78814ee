"""Sentences that fail and are skipped, in a file."""

from __future__ import annotations

from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import append_whole, cut_to_lines
from hopefear.decoder import Segment
from hopefear.plugins.corpus import BadLine

from ..errors import warn


class Skipped:
    """The skipped sentences, and their file.

    Each line has id, error and line of input, separated by tabs. Only the line of input may contain tabs.

    Parameters
    ----------
    path : Path
        The file, created at once.
    append : bool
        Keep the present content of the file.
    """

    def __init__(self, path: Path, *, append: bool = False) -> None:
        self.path = path
        self._ids: set[tuple[int, str]] = set()
        with path.open("a" if append else "w") as file:
            if append and file.seekable():
                cut_to_lines(path)

    def add(self, item: Segment | BadLine, error: InputError) -> None:
        """Write a sentence to the file when it fails for the first time."""
        line, name = (item.text, item.index) if isinstance(item, BadLine) else (item.line, item.id)
        where = (item.index, line)
        if where in self._ids:
            return
        self._ids.add(where)
        row = "\t".join((*(" ".join(str(text).split()) for text in (name, error)), line)) + "\n"
        append_whole(self.path, row.encode("utf-8", "surrogateescape"))

    def report(self) -> None:
        """Print the number of skipped sentences to standard error."""
        if self._ids:
            count = f"{len(self._ids)} sentence{'s' if len(self._ids) > 1 else ''}"
            warn(f"skipped {count}; {self.path} has id, error and line of each")

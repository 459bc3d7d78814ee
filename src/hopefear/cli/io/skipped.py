"""Sentences that fail and are skipped, in a file."""

from __future__ import annotations

import fcntl
import os
import stat
import weakref
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import append_whole, cut_to_lines
from hopefear.base.texts import join_words, split_words
from hopefear.decoder import Segment
from hopefear.plugins.corpus import BadLine

from ..errors import warn


class Skipped:
    """The skipped sentences, and their file.

    Each line has id, error and line of input, separated by tabs. Only the line of input may contain tabs.
    """

    def __init__(self, path: Path, *, append: bool = False) -> None:
        self.path = path
        self._ids: set[tuple[int, str]] = set()
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        weakref.finalize(self, os.close, number)
        if stat.S_ISREG(os.fstat(number).st_mode):
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError("another process is writing this", path=path) from None
            if append:
                cut_to_lines(path)
            else:
                os.truncate(number, 0)

    def add(self, item: Segment | BadLine, error: InputError) -> None:
        """Write a sentence to the file when it fails for the first time."""
        line, name = (item.text, item.index) if isinstance(item, BadLine) else (item.line, item.id)
        where = (item.index, line)
        if where in self._ids:
            return
        self._ids.add(where)
        row = "\t".join((*(join_words(split_words(str(text))) for text in (name, error)), line)) + "\n"
        append_whole(self.path, row.encode("utf-8", "surrogateescape"))

    def report(self) -> None:
        """Print the number of skipped sentences to standard error."""
        if self._ids:
            count = f"{len(self._ids)} sentence{'s' if len(self._ids) > 1 else ''}"
            warn(f"skipped {count}; {self.path} has id, error and line of each")

"""Sentences that fail: ``--on-error skip`` writes them to a file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import append_whole, cut_to_lines
from hopefear.decoder import Segment
from hopefear.plugins.corpus import BadLine

from ..command import option
from ..errors import warn


class OnError(str, Enum):
    """What to do if a line of input is wrong or a plugin fails on it."""

    stop = "stop"
    skip = "skip"


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


@dataclass(frozen=True, kw_only=True)
class Failures:
    """The options of what happens to sentences that fail."""

    on_error: OnError = option(
        "If a line of input is wrong or a plugin fails: stop, or skip the sentence.", default=OnError.stop
    )
    errors: Path | None = option(
        "Write skipped sentences to this file: id, error and line, separated by tabs.",
        default=None,
        shown="hopefear-errors.tsv; hopefear tune: errors.tsv in the output folder",
    )

    @property
    def skip(self) -> bool:
        """Whether sentences that fail are skipped."""
        return self.on_error is OnError.skip

    def open(self, usual: Path, *, append: bool = False) -> Skipped | None:
        """Make what takes the skipped sentences; None if the first error ends the command.

        Parameters
        ----------
        usual : Path
            The file where the options name none.
        append : bool
            As for `Skipped`.
        """
        if self.skip:
            return Skipped(self.errors or usual, append=append)
        if self.errors is not None:
            raise InputError("--errors needs --on-error skip")
        return None

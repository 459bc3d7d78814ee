"""Sentences that fail: ``--max-words``, and ``--on-error skip``, which writes them to a file."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from hopefear.base import InputError
from hopefear.base.files import append_whole, cut_to_lines
from hopefear.decoder import Segment
from hopefear.plugins.corpus import BadLine

from ..errors import warn


class OnError(str, Enum):
    """What to do if a line of input is wrong or a plugin fails on it."""

    stop = "stop"
    skip = "skip"


OnErrorOption = Annotated[
    OnError,
    typer.Option(
        "--on-error", help="If a line of input is wrong or a plugin fails: stop, or skip the sentence."
    ),
]
ErrorsOption = Annotated[
    Path | None,
    typer.Option(
        "--errors",
        help="Write skipped sentences to this file: id, error and line, separated by tabs.",
        show_default="hopefear-errors.tsv; hopefear tune: errors.tsv in the output folder",
    ),
]

MaxWords = Annotated[
    int,
    typer.Option(
        "--max-words",
        min=1,
        help="The most words in a sentence, or edges in a lattice; a longer one is wrong input.",
    ),
]


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


def make_skipped(
    on_error: OnError, errors: Path | None, default: Path, *, append: bool = False
) -> Skipped | None:
    """Make what the options ask for; None if the first error ends the command."""
    if on_error is OnError.skip:
        return Skipped(errors or default, append=append)
    if errors is not None:
        raise InputError("--errors needs --on-error skip")
    return None

"""``--on-error skip``: sentences that went wrong are written to a file, and the others go on."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from hopefear.decoder import Decoder, Hypergraph, InputError, ParseFailed, Segment
from hopefear.decoder.lines import BadLine

from .errors import warn


class OnError(str, Enum):
    """What becomes of a sentence on which a plugin fails, or that is wrong itself."""

    stop = "stop"
    skip = "skip"


OnErrorOption = Annotated[
    OnError,
    typer.Option("--on-error", help="Where a plugin or a line of input fails: stop, or skip the sentence."),
]
ErrorsOption = Annotated[
    Path | None,
    typer.Option(
        "--errors",
        help="Where skipped sentences are written: id, error, line, tabs between.",
        show_default="hopefear-errors.tsv; hopefear tune: errors.tsv in the output folder",
    ),
]


class Skipped:
    """The sentences that were skipped, and their file.

    A line for each: id, error and line of input with tabs between them; only the last may hold tabs itself.

    Parameters
    ----------
    path : Path
        The file, made at once.
    append : bool
        Keep what it holds.
    """

    def __init__(self, path: Path, *, append: bool = False) -> None:
        self.path = path
        self._ids: set[tuple[int, str]] = set()
        with path.open("a" if append else "w"):
            pass

    def add(self, item: Segment | BadLine, error: InputError) -> None:
        """Write a sentence down, the first time that it goes wrong."""
        line, name = (item.text, item.index) if isinstance(item, BadLine) else (item.line, item.id)
        where = (item.index, line)
        if where in self._ids:
            return
        self._ids.add(where)
        with self.path.open("a", encoding="utf-8", errors="surrogateescape") as file:
            file.write("\t".join((*(" ".join(str(text).split()) for text in (name, error)), line)) + "\n")

    def report(self) -> None:
        """Say on standard error how many there are."""
        if self._ids:
            count = f"{len(self._ids)} sentence{'s' if len(self._ids) > 1 else ''}"
            warn(f"skipped {count}: id, error and line of each are in {self.path}")

    def guard(self, decoder: Decoder) -> None:
        """Make a sentence that goes wrong, once written down, one that has no translation for the decoder."""
        translate = decoder.translate

        def attempt(source: Any, *arguments: Any, **options: Any) -> Hypergraph:
            try:
                return translate(source, *arguments, **options)
            except ParseFailed:
                raise
            except InputError as error:
                self.add(Segment.from_input(source), error)
                raise ParseFailed(str(error)) from error

        decoder.translate = attempt  # type: ignore[method-assign]


def make_skipped(
    on_error: OnError, errors: Path | None, default: Path, *, append: bool = False
) -> Skipped | None:
    """Do as the options say; None where the first error ends the command.

    Raises
    ------
    InputError
        A file is named, but nothing is skipped.
    """
    if on_error is OnError.skip:
        return Skipped(errors or default, append=append)
    if errors is not None:
        raise InputError("--errors wants --on-error skip")
    return None

"""Read segments from files and standard input, and corpora with references."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hopefear.base.errors import InputError
from hopefear.base.lines import decoded, raw_lines, read_texts
from hopefear.base.signatures import check_exports
from hopefear.base.texts import expect_several

from .segment import Segment, parse_line


class BadLine(InputError):
    """A malformed line of input."""

    def __init__(self, error: InputError, index: int, text: str) -> None:
        super().__init__(str(error))
        self.index = index
        self.text = text


def read_segments(
    path: str | Path, *, go_on: bool = False, grammars_under: str | os.PathLike[str] | None = None
) -> Iterator[Segment | InputError]:
    """Iterate over the segments of an input file.

    An error is yielded as an item, and ends the input, so that the segments before it can be translated. A
    malformed line, or one that names a grammar outside the folder `grammars_under`, is yielded as a
    `BadLine`; with `go_on` it does not end the input.
    """
    lines = None
    while True:
        try:
            lines = lines or raw_lines(path)
            item = next(lines, None)
        except InputError as error:
            yield error
            return
        if item is None:
            return
        name, number, line = item
        try:
            text, where = decoded(line, name, number), f"{name}:{number}"
            yield parse_line(text, index=number - 1, where=where, grammars_under=grammars_under)
        except InputError as error:
            yield BadLine(error, number - 1, line.decode(errors="surrogateescape"))
            if not go_on:
                return


def read_corpus(
    source: str | Path,
    references: Sequence[str | Path],
    *,
    grammars_under: str | os.PathLike[str] | None = None,
) -> list[Segment]:
    """Read a corpus: a source file, and a file for each set of references, or references after ``|||``.

    Raises
    ------
    InputError
        A line is wrong or names a grammar outside the folder `grammars_under`, the files differ in length, or
        a sentence has no reference; `references` is one path that is not in a sequence.
    """
    expect_several("references", references)
    segments = []
    for item in read_segments(source, grammars_under=grammars_under):
        if isinstance(item, InputError):
            raise item
        segments.append(item)
    columns = [read_texts(path) for path in references]
    for path, column in zip(references, columns, strict=True):
        if len(column) != len(segments):
            raise InputError(
                f"expected {len(segments)} lines as in {source}, got {len(column)}",
                path=path,
                line=len(column),
            )
    out = []
    for i, segment in enumerate(segments):
        all_references = (*segment.references, *(column[i] for column in columns))
        if not all_references:
            raise InputError(
                "expected a reference: 'source ||| reference', or --reference", path=segment.where
            )
        out.append(segment.with_references(all_references))
    if not out:
        raise InputError("expected sentences, got an empty file", path=source)
    return out


check_exports(__name__)

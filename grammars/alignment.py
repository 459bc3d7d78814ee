"""Word alignments: made by eflomal in both directions and symmetrised, read from files and written to files.

The files have the Pharaoh format, which all aligners write: a line for each sentence pair, with its links as
``source-target`` positions from 0.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from subprocess import SubprocessError
from tempfile import TemporaryDirectory
from typing import Any

from hopefear import _native
from hopefear.base.errors import InputError
from hopefear.base.files import written_packed
from hopefear.base.lines import read_lines, together
from hopefear.base.progress import progress_bar
from hopefear.base.texts import split_words
from hopefear.decoder.lengths import TEXT_MAX_WORDS, LongSentences

from .symmetrisation import HEURISTICS, Link

LONGEST = 1023
"""The most words of a sentence that eflomal takes."""


def read_alignment(path: str | Path) -> Iterator[list[Link]]:
    """Iterate over an alignment file, plain or gz."""
    for where, line in read_lines(path):
        yield parse_links(line, where=where)


def parse_links(line: str, *, words: tuple[int, int] | None = None, where: str | None = None) -> list[Link]:
    """Read the links of a sentence pair, separated by spaces and tabs."""
    try:
        return _native.parse_links(line, *(words or ()))
    except ValueError as error:
        raise InputError(str(error), path=where) from None


def write_alignment(path: str | Path, sentences: Iterable[Iterable[Link]]) -> None:
    """Write a complete alignment file, compressed if its name ends in ``.gz``."""
    with written_packed(path, 9) as file, io.TextIOWrapper(file, "ascii", newline="\n") as out:
        for links in sentences:
            out.write(" ".join(f"{source}-{target}" for source, target in links) + "\n")


def align(
    source: str | Path,
    target: str | Path,
    output: str | Path,
    *,
    symmetrisation: str = "grow-diag-final-and",
    max_words: int = TEXT_MAX_WORDS,
    progress: bool = False,
) -> int:
    """Align the words of a parallel text, in lower case: eflomal in both directions, symmetrised."""
    heuristic = HEURISTICS.get(symmetrisation)
    if heuristic is None:
        names = ", ".join(HEURISTICS)
        raise InputError(f"symmetrisation must be one of {names}, got {symmetrisation!r}")
    aligner = find_aligner()
    sides = _numbered(source, target, max_words=max_words)
    with TemporaryDirectory(prefix="hopefear-align-") as folder:
        files = [Path(folder, name) for name in ("forward", "reverse")]
        try:
            aligner.align(*sides, *map(str, files), quiet=not progress)
            failure = "its output lacks the links of some sentence pairs"
        except (OSError, ValueError, SubprocessError) as error:
            failure = str(error)
        if not all(file.exists() and _count_lines(file) == len(sides[0]) for file in files):
            _check_space(Path(folder))
            raise InputError(f"the aligner eflomal failed: {failure}")
        both = zip(*map(read_alignment, files), strict=True)
        bar = progress_bar(both, len(sides[0]), name="symmetrising", show=progress)
        write_alignment(output, (heuristic(*links) for links in bar))
    return len(sides[0])


def find_aligner() -> Any:
    """Return eflomal's aligner."""
    try:
        from eflomal import Aligner
    except ImportError:
        raise InputError(
            'the aligner eflomal is not installed: pip install "hopefear[align]"; '
            "or pass the output of another aligner to hopefear build --alignment"
        ) from None
    return Aligner()


def _numbered(*paths: str | Path, max_words: int) -> list[list[str]]:
    """Read a parallel text as numbers of words, because eflomal splits at more kinds of white space."""
    long = LongSentences(min(max_words, LONGEST))
    numbers: list[dict[str, int]] = [{} for _ in paths]
    sides: list[list[str]] = [[] for _ in paths]
    for row in together(paths, *map(read_lines, paths)):
        pair = [split_words(line.lower()) for _, line in row]
        if long.leave_out(*map(len, pair)):
            pair = [(), ()]
        for words, number_of, side in zip(pair, numbers, sides, strict=True):
            side.append(" ".join(str(number_of.setdefault(word, len(number_of))) for word in words))
    long.warn()
    if not sides[0]:
        raise InputError("expected sentences, got an empty file", path=paths[0])
    return sides


def _check_space(folder: Path) -> None:
    """Raise an OSError that names the folder of temporary files if it is full."""
    try:
        (folder / "trial").write_bytes(bytes(1 << 20))
    except OSError as error:
        error.filename = str(folder.parent)
        raise


def _count_lines(path: Path) -> int:
    """Count the lines that are whole."""
    with path.open("rb") as lines:
        return sum(line.endswith(b"\n") for line in lines)

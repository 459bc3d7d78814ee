"""Word-aligned parallel text in memory, as extraction wants it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from hopefear.decoder import _native

LONGEST = 65_535
"""So many words a sentence may have."""


class Bitext:
    """A word-aligned parallel text.

    Its length is the number of its sentence pairs. It takes some 10 bytes for a word of either side, beside
    the words themselves, and an extractor's index as much again. It is made by `read` or `from_pairs`; later
    only a `GrammarExtractor` adds to it.

    Parameters
    ----------
    native : _native.Bitext
        The text itself.
    """

    def __init__(self, native: _native.Bitext) -> None:
        self.native = native

    def __len__(self) -> int:
        return len(self.native)

    def source(self, sentence: int) -> tuple[str, ...]:
        """Give the source words of a sentence pair, by its place in the text.

        Raises
        ------
        IndexError
            There is no such pair.
        """
        if not 0 <= sentence < len(self):
            raise IndexError(f"expected a sentence pair from 0 to {len(self)} exclusive, got {sentence}")
        return tuple(self.native.source(sentence))

    @classmethod
    def read(
        cls,
        source: str | os.PathLike[str],
        target: str | os.PathLike[str],
        alignment: str | os.PathLike[str],
        *,
        reverse: bool = False,
    ) -> Bitext:
        """Read a parallel text and its word alignment.

        Parameters
        ----------
        source, target, alignment : path
            A sentence a line, in words and in links ``0-0 1-2`` from source to target; plain or gzip.
        reverse : bool
            The links are from target to source.

        Raises
        ------
        InputError
            With file and line: a file cannot be read, ends before another or is not UTF-8; a link is
            malformed or points outside its sentences; a sentence has more than 65,535 words.
        """
        native = _native.Bitext()
        native.read(os.fspath(source), os.fspath(target), os.fspath(alignment), reverse)
        return cls(native)

    @classmethod
    def from_pairs(
        cls, pairs: Iterable[tuple[Sequence[str], Sequence[str], Iterable[tuple[int, int]]]]
    ) -> Bitext:
        """Make a parallel text of source words, target words and links (source, target) from 0.

        Raises
        ------
        ValueError
            A link points outside its sentences, a sentence has more than 65,535 words, or a word is empty or
            has a blank in it.
        """
        native = _native.Bitext()
        for source, target, links in pairs:
            native.add(list(source), list(target), list(links))
        return cls(native)

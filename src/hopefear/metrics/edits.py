"""Edit distance (Levenshtein 1966) of many hypotheses at once, and the reference with the least distance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .base import PreparedReferences, Statistics, Tokens, TooLong

Symbols = NDArray[np.int64]
"""A sentence as numbers of characters or of words."""

Rows = NDArray[np.int64]
"""A row of the tables of k hypotheses, shape (s, k, columns), see `fewest`."""


_MOST = 100_000
"""Symbols of a sentence: two of this length are compared in minutes."""


class NearestReference(PreparedReferences):
    """References that are compared with hypotheses by edits; by those of `edit_distances`, if no others.

    The statistics are ``[edits, length]`` of the reference with the fewest edits; of several such references,
    of the shortest. The edits are of the symbols that `_symbols` makes from tokens.
    """

    def __init__(self, references: Sequence[Tokens]) -> None:
        self._references = [self._checked(each, number) for number, each in enumerate(references)]

    def _checked(self, tokens: Tokens, reference: int | None = None) -> Symbols:
        symbols = self._symbols(tokens)
        if len(symbols) > _MOST:
            message = f"expected a sentence of at most {_MOST:,} words or characters, got {len(symbols):,}"
            raise TooLong(message, reference=reference)
        return symbols

    @abstractmethod
    def _symbols(self, tokens: Tokens) -> Symbols:
        """The sentence as numbers."""

    def _edits(self, hypotheses: Sequence[Symbols], reference: Symbols) -> NDArray[np.int64]:
        """The edits from each hypothesis to a reference."""
        return edit_distances(hypotheses, reference)

    def compare(self, hypothesis: Tokens) -> Statistics:
        """Return the statistics of one hypothesis."""
        stats: Statistics = self.compare_all([hypothesis])[0]
        return stats

    def compare_all(self, hypotheses: list[Tokens]) -> Statistics:
        """Return the statistics of many hypotheses."""
        symbols = [self._checked(hypothesis) for hypothesis in hypotheses]
        edits = np.stack([self._edits(symbols, reference) for reference in self._references], axis=1)
        lengths = np.array([len(reference) for reference in self._references])
        nearest = np.argmin(edits * (lengths.max() + 1) + lengths, axis=1)
        return np.stack([edits[np.arange(len(edits)), nearest], lengths[nearest]], axis=1).astype(np.float64)


def edit_distances(hypotheses: Sequence[Symbols], reference: Symbols) -> NDArray[np.int64]:
    """The fewest insertions, deletions and substitutions that turn each hypothesis into the reference."""
    return fewest(hypotheses, reference, np.arange(len(reference) + 1)[None], _distances)


def _distances(rows: Rows, same: NDArray[np.bool_]) -> Rows:
    best = rows + 1
    np.minimum(best[..., 1:], rows[..., :-1] + ~same, out=best[..., 1:])
    return along(best)


def fewest(
    hypotheses: Sequence[Symbols],
    reference: Symbols,
    first: NDArray[np.int64],
    following: Callable[[Rows, NDArray[np.bool_]], Rows],
) -> NDArray[np.int64]:
    """The fewest edits that turn each hypothesis into the reference, by a table of prefixes.

    The table of a hypothesis has a row for each of its prefixes and a column for each prefix of the
    reference. The rows of all hypotheses are made at once, one prefix after the other.
    """
    lengths = np.array([len(hypothesis) for hypothesis in hypotheses])
    symbols = np.zeros((len(hypotheses), lengths.max(initial=0)), dtype=np.int64)
    for padded, hypothesis in zip(symbols, hypotheses, strict=True):
        padded[: len(hypothesis)] = hypothesis
    rows = np.repeat(first[:, None], len(hypotheses), axis=1)
    edits: NDArray[np.int64] = rows[..., -1].min(axis=0)
    for position, symbol in enumerate(symbols.T):
        rows = following(rows, reference == symbol[:, None])
        edits = np.where(lengths == position + 1, rows[..., -1].min(axis=0), edits)
    return edits


def along(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows in which an entry is at most 1 more than the entry before it: a step along the row costs 1."""
    columns = np.arange(rows.shape[-1])
    # After subtraction of the column, such entries are a running minimum.
    return np.minimum.accumulate(rows - columns, axis=-1) + columns

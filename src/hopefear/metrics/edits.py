"""Edit distance (Levenshtein 1966) of many hypotheses at once, and the reference with the least distance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .base import PreparedReferences, Statistics, Tokens

Symbols = NDArray[np.int64]
"""A sentence as numbers of characters or of words."""


class NearestReference(PreparedReferences):
    """References that are compared with hypotheses by edits; by those of `edit_distances`, if no others.

    The statistics are ``[edits, length]`` of the reference with the fewest edits; of several such references,
    of the shortest. The edits are of the symbols that `_symbols` makes from tokens.
    """

    def __init__(self, references: Sequence[Tokens]) -> None:
        self._references = [self._symbols(reference) for reference in references]

    @abstractmethod
    def _symbols(self, tokens: Tokens) -> Symbols:
        """The sentence as numbers."""

    def _edits(self, hypotheses: Sequence[Symbols], reference: Symbols) -> NDArray[np.int64]:
        """The edits from each hypothesis to a reference."""
        return edit_distances(hypotheses, reference)

    def _stats(self, hypothesis: Tokens) -> Statistics:
        stats: Statistics = self._batch([hypothesis])[0]
        return stats

    def _batch(self, hypotheses: list[Tokens]) -> Statistics:
        symbols = [self._symbols(hypothesis) for hypothesis in hypotheses]
        edits = np.stack([self._edits(symbols, reference) for reference in self._references], axis=1)
        lengths = np.array([len(reference) for reference in self._references])
        nearest = np.argmin(edits * (lengths.max() + 1) + lengths, axis=1)
        return np.stack([edits[np.arange(len(edits)), nearest], lengths[nearest]], axis=1).astype(np.float64)


def edit_distances(hypotheses: Sequence[Symbols], reference: Symbols) -> NDArray[np.int64]:
    """The fewest insertions, deletions and substitutions that turn each hypothesis into the reference.

    Parameters
    ----------
    hypotheses : sequence of k int64 arrays
    reference : int64 array

    Returns
    -------
    ndarray, shape (k,), int64
    """
    lengths, symbols = padded(hypotheses)
    columns = np.arange(len(reference) + 1)
    distances = np.full(len(hypotheses), len(reference))
    rows = np.tile(columns, (len(hypotheses), 1))
    for position, symbol in enumerate(symbols.T):
        best = rows + 1
        np.minimum(best[:, 1:], rows[:, :-1] + (reference != symbol[:, None]), out=best[:, 1:])
        # Steps along the row cost 1 each: after subtraction of the column, they are a running minimum.
        rows = np.minimum.accumulate(best - columns, axis=1) + columns
        distances = np.where(lengths == position + 1, rows[:, -1], distances)
    return distances


def padded(sentences: Sequence[Symbols]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the lengths of k sentences, shape (k,), and their symbols, shape (k, greatest length)."""
    lengths = np.array([len(sentence) for sentence in sentences])
    symbols = np.zeros((len(sentences), lengths.max(initial=0)), dtype=np.int64)
    for row, sentence in zip(symbols, sentences, strict=True):
        row[: len(sentence)] = sentence
    return lengths, symbols

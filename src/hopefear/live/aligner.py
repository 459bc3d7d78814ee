"""The word alignment of one sentence pair, from counts of links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from unicodedata import combining, normalize

import numpy as np
from numpy.typing import NDArray

from hopefear.grammars.symmetrisation import Link, grow_diag_final_and

LONGEST = 1023
"""The greatest length of a sentence, in words; as for eflomal."""

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
LinkCounts = Callable[[Sequence[str], Sequence[str]], tuple[Floats, Floats, Floats]]
"""Counts links as `GrammarExtractor.link_counts` does."""

_SMOOTHING, _WORDS = 1.0, 10_000
"""Counts that are added to the links of each word, and between how many words they are divided."""

_ALIKE = 0.4
"""The least similarity of words that are spelled alike."""

_TENSION, _EMPTY = 4.0, 0.08
"""Of the diagonal, and the probability of the empty word, both of Dyer, Chahuneau and Smith (2013)."""


def align_pair(source: Sequence[str], target: Sequence[str], counts: Sequence[LinkCounts]) -> list[Link]:
    """Find the links of a sentence pair.

    In either direction, each word is linked to its most probable partner or to the empty word. The
    probability is that of word translation, estimated from counts of links, times that of the position,
    which falls with the distance from the diagonal (Dyer, Chahuneau and Smith 2013, equation 2). The two
    directions are joined by `grow_diag_final_and`.

    A word that has no links has the same small probability with each word, more than a known word has with
    words that it was never linked to: two unknown words are therefore linked to each other. An unknown word
    and one that is spelled alike, such as two forms of a name, count as a part of a link: their similarity.

    Parameters
    ----------
    counts : sequence of callable
        What the links are counted in; the counts are summed.

    Returns
    -------
    list of pairs of int
        Positions of linked words, in order.

    Raises
    ------
    ValueError
        A sentence is longer than `LONGEST`.
    """
    if max(len(source), len(target)) > LONGEST:
        raise ValueError(f"expected at most {LONGEST} words, got {max(len(source), len(target))}")
    if not source or not target:
        return []
    of_pairs = np.zeros((len(source) + 1, len(target) + 1))
    of_sources, of_targets = np.zeros(len(source) + 1), np.zeros(len(target) + 1)
    for count in counts:
        for total, more in zip((of_pairs, of_sources, of_targets), count(source, target), strict=True):
            total += more
    of_pairs[:-1, :-1] += _alike(source, target, of_sources[:-1] == 0, of_targets[:-1] == 0)
    forward = _best(of_pairs, of_sources)
    reverse = _best(of_pairs.T, of_targets)
    return grow_diag_final_and(
        [(partner, word) for word, partner in forward], [(word, partner) for word, partner in reverse]
    )


def _alike(
    source: Sequence[str], target: Sequence[str], unknown_sources: Bools, unknown_targets: Bools
) -> Floats:
    """Return how similar words are that are spelled alike, where one of them is unknown; else 0.

    The similarity is Dice's coefficient of the pairs of neighbouring letters, without accents.
    """
    similarities = np.zeros((len(source), len(target)))
    letters = [[_letter_pairs(word) for word in side] for side in (source, target)]
    for i, j in zip(*np.nonzero(np.logical_or.outer(unknown_sources, unknown_targets)), strict=True):
        pairs, other_pairs = letters[0][i], letters[1][j]
        if common := len(pairs & other_pairs):
            similarity = 2 * common / (len(pairs) + len(other_pairs))
            similarities[i, j] = similarity if similarity >= _ALIKE else 0.0
    return similarities


def _letter_pairs(word: str) -> set[str]:
    letters = [letter for letter in normalize("NFD", word.lower()) if not combining(letter)]
    return {"".join(pair) for pair in pairwise(letters)}


def _best(pairs: Floats, totals: Floats) -> list[Link]:
    """Link each word of the columns to the best word of the rows, unless the empty word is better."""
    probability = (pairs + _SMOOTHING / _WORDS) / (totals + _SMOOTHING)[:, None]
    m, n = (size - 1 for size in pairs.shape)
    # Of the middles of words, in units of 1 / 2mn: whole numbers, so that equal distances stay equal.
    distance = np.abs(np.subtract.outer((2 * np.arange(m) + 1) * n, (2 * np.arange(n) + 1) * m))
    near = np.exp(-_TENSION * distance / (2 * m * n))
    near *= (1 - _EMPTY) / near.sum(axis=0)
    of_words = probability[:-1, :-1] * near
    best = of_words.argmax(axis=0)
    linked = of_words[best, np.arange(len(best))] > _EMPTY * probability[-1, :-1]
    return [(int(column), int(best[column])) for column in np.flatnonzero(linked)]

"""Word classes of a text by the exchange algorithm (Kneser & Ney 1993; Och 1999, as in mkcls)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopefear.base import InputError
from hopefear.base.files import written_whole

from .ngram_counts import EOS, SPECIAL_WORDS, NgramCounts

Counts = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WordClusters:
    """The classes of the words of a text.

    Attributes
    ----------
    words : tuple of str
        The words, the most frequent first, equally frequent ones in the order of the text.
    counts : array of int64, shape (words,)
        How often each word is in the text.
    classes : array of int64, shape (words,)
        The class of each word, from 0.
    likelihoods : tuple of float
        After each pass, log p of the text by the class bigram model p(c'|c) p(w|c'), apart from a term that
        does not depend on the classes; it never falls.
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    classes: NDArray[np.int64]
    likelihoods: tuple[float, ...]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a line ``bits word count`` for each word, as Brown clustering does; bits number the class."""
        digits = max(int(self.classes.max(initial=0)).bit_length(), 1)
        lines = (
            f"{name:0{digits}b}\t{word}\t{count}\n"
            for word, name, count in zip(self.words, self.classes.tolist(), self.counts.tolist(), strict=True)
        )
        with written_whole(path) as part:
            Path(part).write_text("".join(lines), "utf-8")


def cluster_words(
    bigrams: NgramCounts, classes: int, *, passes: int = 20, path: str | os.PathLike[str] | None = None
) -> WordClusters:
    """Find classes that make the text probable: each word in turn goes to the class that is best for it.

    At first the words are dealt to the classes by their frequency. Sentence ends have a class of their own.

    Parameters
    ----------
    bigrams : NgramCounts
        The counts of the bigrams of the text.
    classes : int
        Number of classes.
    passes : int
        Most passes over all words; clustering ends when a pass moves no word.
    path : path, optional
        The text, for messages.

    Raises
    ------
    InputError
        The text has fewer different words than classes.
    """
    return _Exchange(bigrams, classes, path).run(passes)


class _Exchange:
    """The state of the algorithm: the class of each word, and the counts of class bigrams.

    Words are numbered by frequency; the number after the last stands for sentence ends, whose class is the
    last one.
    """

    def __init__(self, bigrams: NgramCounts, classes: int, path: str | os.PathLike[str] | None) -> None:
        if bigrams.order != 2:
            raise ValueError(f"expected counts of bigrams, got {bigrams.order}-grams")
        ends = len(SPECIAL_WORDS) - 1
        # <s> and </s> are one symbol, so that a symbol is as often the first of a bigram as the second.
        places = np.where(bigrams.ngrams <= EOS, ends, bigrams.ngrams) - ends
        size = len(bigrams.words) - ends
        both = (places[:, 0], places[:, 1])
        counts = sparse.csr_matrix((bigrams.counts.astype(np.float64), both), shape=(size, size))
        frequency = np.asarray(counts.sum(axis=0)).ravel()
        order = np.argsort(-frequency[1:], kind="stable") + 1
        if len(order) < classes:
            raise InputError(
                f"expected at least {classes} different words, one for each class, got {len(order)}",
                path=path,
            )
        order = np.append(order, 0)
        self._right = counts[order][:, order].tocsr()
        self._left = self._right.T.tocsr()
        self._words = tuple(bigrams.words[place + ends] for place in order[:-1].tolist())
        self._frequency = frequency[order]
        self._class = np.append(np.arange(len(order) - 1) % classes, classes)
        membership = sparse.csr_matrix(
            (np.ones(len(order)), (np.arange(len(order)), self._class)), shape=(len(order), classes + 1)
        )
        self._pairs: Counts = np.asarray((membership.T @ self._right @ membership).todense())
        self._sizes: Counts = np.bincount(self._class, self._frequency).astype(np.float64)

    def run(self, passes: int) -> WordClusters:
        """Exchange until no word moves."""
        likelihoods = []
        for _ in range(passes):
            moved = sum(self._exchange(word) for word in range(len(self._words)))
            likelihoods.append(float(_xlogx(self._pairs).sum() - 2 * _xlogx(self._sizes).sum()))
            if not moved:
                break
        counts = self._frequency[:-1].astype(np.int64)
        return WordClusters(self._words, counts, self._class[:-1], tuple(likelihoods))

    def _exchange(self, word: int) -> bool:
        """Move a word to the class that is best for it; tell whether it moved."""
        before, count = int(self._class[word]), float(self._frequency[word])
        itself = float(self._right[word, word])
        right, rights = self._neighbours(self._right, word)
        left, lefts = self._neighbours(self._left, word)
        self._add(before, -count, right, -rights, left, -lefts, -itself)
        choices = len(self._sizes) - 1  # all but that of sentence ends
        gain = _gain(self._pairs[:choices, right], rights).sum(axis=1)
        gain += _gain(self._pairs[left, :choices].T, lefts).sum(axis=1)
        # The bigrams within a class were counted on both sides, and those of the word with itself not at all.
        diagonal = np.diag(self._pairs)[:choices]
        within = np.zeros((2, choices + 1))
        within[0, right], within[1, left] = rights, lefts
        within = within[:, :choices]
        gain += _gain(diagonal, within.sum(axis=0) + itself) - _gain(diagonal, within).sum(axis=0)
        gain -= 2 * _gain(self._sizes[:choices], count)
        best = int(np.argmax(gain))
        if gain[best] <= gain[before] + 1e-9 * abs(gain[before]):
            best = before
        self._class[word] = best
        self._add(best, count, right, rights, left, lefts, itself)
        return best != before

    def _neighbours(self, counts: sparse.csr_matrix, word: int) -> tuple[NDArray[np.int64], Counts]:
        """Count a word's neighbours on one side by their classes, without itself; only those above 0."""
        row = slice(counts.indptr[word], counts.indptr[word + 1])
        words, values = counts.indices[row], counts.data[row]
        others = words != word
        found = np.bincount(self._class[words[others]], values[others], minlength=len(self._sizes))
        kept = np.flatnonzero(found).astype(np.int64)
        return kept, found[kept].astype(np.float64)

    def _add(
        self,
        own: int,
        count: float,
        right: NDArray[np.int64],
        rights: Counts,
        left: NDArray[np.int64],
        lefts: Counts,
        itself: float,
    ) -> None:
        """Add a word to a class, or, with negative counts, remove it."""
        self._sizes[own] += count
        self._pairs[own, right] += rights
        self._pairs[left, own] += lefts
        self._pairs[own, own] += itself


def _xlogx(counts: Counts) -> Counts:
    return counts * np.log(np.maximum(counts, 1.0))


def _gain(counts: Counts, more: Counts | float) -> Counts:
    """Give how much Σ n log n grows with each count."""
    return _xlogx(counts + more) - _xlogx(counts)

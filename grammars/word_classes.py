"""Word classes of a text by the exchange algorithm (Kneser & Ney 1993), as mkcls makes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.lines import each_line
from hopefear.base.texts import split_words
from hopefear.decoder.lengths import MAX_WORDS, LongSentences

MIN_GAIN = 1e-6
"""What the exchange of a word must gain in log-likelihood; less is rounding."""

Floats = NDArray[np.float64]


def count_bigrams(lines: Iterable[str]) -> tuple[list[str], Counter[tuple[int, int]]]:
    """Count the bigrams of words in sentences, with the boundary of sentences on both sides."""
    texts = [split_words(line) for line in lines]
    counts = Counter(word for text in texts for word in text)
    words = sorted(counts, key=lambda word: -counts[word])
    number = {word: place for place, word in enumerate(words)}
    end = len(words)
    bigrams: Counter[tuple[int, int]] = Counter()
    for text in texts:
        if text:
            bigrams.update(pairwise([end, *(number[word] for word in text), end]))
    return words, bigrams


class ExchangeAlgorithm:
    """A division of words into classes, improved by moving one word at a time.

    The log-likelihood of the class bigram model is, but for what does not depend on the classes,
    Σ n(c, c') log n(c, c') - 2 Σ n(c) log n(c), the sums over classes, the first also with the boundary of
    sentences, the class after the last (Kneser & Ney 1993, "Improved clustering techniques for class-based
    statistical language modelling"). At first each of the most frequent words is a class, and the others one.
    """

    def __init__(self, bigrams: Counter[tuple[int, int]], words: int, classes: int) -> None:
        first, second, counts = np.array([(f, s, n) for (f, s), n in bigrams.items()], np.int64).T
        self._classes = classes
        self.class_of = np.minimum(np.arange(words + 1), classes - 1)
        self.class_of[words] = classes
        self._pairs = np.zeros((classes + 1, classes + 1))
        np.add.at(self._pairs, (self.class_of[first], self.class_of[second]), counts)
        self._sizes = self._pairs.sum(axis=1)
        self._left, self._right = _neighbours(second, first, counts), _neighbours(first, second, counts)

    def log_likelihood(self) -> float:
        """Return the part of the log-likelihood that depends on the classes."""
        return float(_xlogx(self._pairs).sum() - 2 * _xlogx(self._sizes[: self._classes]).sum())

    def round(self) -> int:
        """Move each word, the most frequent first, to the class where it is best, and count the moves."""
        return sum(self._move(word) for word in range(len(self.class_of) - 1))

    def _move(self, word: int) -> bool:
        left, right, own, total = self._around(word)
        before = int(self.class_of[word])
        self._add(before, left, right, own, total, -1)
        gains = self._gains(left, right, own, total)
        best = int(gains.argmax())
        if gains[best] - gains[before] <= MIN_GAIN:
            best = before
        self._add(best, left, right, own, total, 1)
        self.class_of[word] = best
        return best != before

    def _around(self, word: int) -> tuple[Floats, Floats, float, float]:
        """Count the classes to the left and to the right of a word, the word beside itself, and the word."""
        sides: list[Floats] = []
        beside_itself = 0.0
        for neighbours, counts in (self._left[word], self._right[word]):
            others = neighbours != word
            beside_itself = float(counts[~others].sum())
            class_counts = np.bincount(self.class_of[neighbours[others]], counts[others], self._classes + 1)
            sides.append(class_counts.astype(np.float64))
        return sides[0], sides[1], beside_itself, float(self._left[word][1].sum())

    def _add(self, to: int, left: Floats, right: Floats, own: float, total: float, sign: int) -> None:
        self._pairs[:, to] += sign * left
        self._pairs[to] += sign * right
        self._pairs[to, to] += sign * own
        self._sizes[to] += sign * total

    def _gains(self, left: Floats, right: Floats, own: float, total: float) -> Floats:
        """Return what the log-likelihood gains with the word, which is in no class, in each class."""
        pairs, some = self._pairs, slice(0, self._classes)
        before, after = np.flatnonzero(left), np.flatnonzero(right)
        columns, rows = pairs[before, some], pairs[some, after]
        gains: Floats = (_xlogx(columns + left[before, None]) - _xlogx(columns)).sum(axis=0)
        gains += (_xlogx(rows + right[after]) - _xlogx(rows)).sum(axis=1)
        # A class beside itself: both sides at a time, and the word beside itself.
        diagonal = pairs.diagonal()[some]
        plain = _xlogx(diagonal)
        gains -= _xlogx(diagonal + left[some]) + _xlogx(diagonal + right[some]) - 2 * plain
        gains += _xlogx(diagonal + left[some] + right[some] + own) - plain
        sizes = self._sizes[some]
        gains -= 2 * (_xlogx(sizes + total) - _xlogx(sizes))
        return gains


def find_classes(
    path: Path | str, classes: int, rounds: int, *, max_words: int = MAX_WORDS
) -> dict[str, int]:
    """Divide the words of a text into classes."""
    long = LongSentences(max_words)
    words, bigrams = count_bigrams(
        line for line in each_line(path) if not long.leave_out(len(split_words(line)))
    )
    long.warn()
    if not words:
        raise InputError("expected a text, got no words", path=path)
    exchange = ExchangeAlgorithm(bigrams, len(words), min(classes, len(words)))
    for _ in range(rounds):
        if not exchange.round():
            break
    return dict(zip(words, (exchange.class_of[:-1] + 1).tolist(), strict=True))


def write_classes(classes: dict[str, int], path: Path | str) -> None:
    """Write ``word class`` lines, as mkcls does; no partly written file is left."""
    with written_whole(path) as part:
        part.write_text("".join(f"{word}\t{number}\n" for word, number in classes.items()), encoding="utf-8")


def _neighbours(
    words: NDArray[np.int64], beside: NDArray[np.int64], counts: NDArray[np.int64]
) -> list[tuple[NDArray[np.int64], Floats]]:
    """List what is beside each word, and how often."""
    order = np.argsort(words, kind="stable")
    ends = np.cumsum(np.bincount(words))
    beside, weights = beside[order], counts[order].astype(np.float64)
    parts = zip(np.split(beside, ends[:-1]), np.split(weights, ends[:-1]), strict=True)
    return list(parts)


def _xlogx(values: Floats) -> Floats:
    logs: Floats = values * np.log(np.maximum(values, 1.0))
    return logs

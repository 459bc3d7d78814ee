"""What a joint model learns from: target words, the words before them, and source words around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from .network_file import BEGIN, END, SOURCE_MARKS, TARGET_MARKS, UNKNOWN
from .settings import JointSettings

Links = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Pair:
    """A sentence pair, and its links from source to target words."""

    source: Sequence[str]
    target: Sequence[str]
    links: Links


def affiliations(words: int, links: Links) -> list[int]:
    """Return the source position of each target word (Devlin et al. 2014, section 2.1)."""
    linked: list[list[int]] = [[] for _ in range(words)]
    for i, j in links:
        linked[j].append(i)
    own = {j: sorted(each)[(len(each) - 1) // 2] for j, each in enumerate(linked) if each}
    return [own[min(own, key=lambda k: (abs(k - j), k < j))] for j in range(words)]


@dataclass(frozen=True)
class Vocabulary:
    """Words and their numbers."""

    words: Sequence[str]

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], marks: Sequence[str], most: int) -> Vocabulary:
        """Take the most frequent words, of those that occur more than once."""
        counts = Counter(word for words in sentences for word in words if word not in marks)
        frequent = sorted((word for word in counts if counts[word] > 1), key=lambda w: (-counts[w], w))
        return cls((*marks, *frequent[:most]))

    def numbers(self) -> dict[str, int]:
        """Return the number of each word."""
        return {word: i for i, word in enumerate(self.words)}


@dataclass(frozen=True)
class Examples:
    """Words to be predicted."""

    history: NDArray[np.int32]
    window: NDArray[np.int32]
    target: NDArray[np.int32]

    @classmethod
    def of(
        cls, pairs: Iterable[Pair], source: Vocabulary, target: Vocabulary, settings: JointSettings
    ) -> Examples:
        """Make the examples of sentence pairs, each with at least one link."""
        f_numbers, e_numbers = source.numbers(), target.numbers()
        history, window, around = settings.history, settings.window, settings.around
        step = -1 if settings.right_to_left else 1
        parts: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]] = []
        for pair in pairs:
            f = [f_numbers.get(word, UNKNOWN) for word in pair.source]
            e = np.array([*(e_numbers.get(word, UNKNOWN) for word in pair.target[::step]), END], np.int32)
            padded = np.array([BEGIN] * (around + 1) + f + [END] * (around + 1), np.int32)
            before = np.concatenate([np.full(history, BEGIN, np.int32), e[:-1]])
            end = -1 if settings.right_to_left else len(f)
            places = np.array([*affiliations(len(pair.target), pair.links)[::step], end]) + 1
            parts.append(
                (sliding_window_view(before, history), sliding_window_view(padded, window)[places], e)
            )
        none = np.zeros((0, history), np.int32), np.zeros((0, window), np.int32), np.zeros(0, np.int32)
        return cls(*(np.concatenate(column) for column in zip(none, *parts, strict=True)))

    def __len__(self) -> int:
        """Count the words."""
        return len(self.target)


def vocabularies(pairs: Sequence[Pair], most: int) -> tuple[Vocabulary, Vocabulary]:
    """Return the source and the target vocabulary of a text."""
    return (
        Vocabulary.of((pair.source for pair in pairs), SOURCE_MARKS, most),
        Vocabulary.of((pair.target for pair in pairs), TARGET_MARKS, most),
    )

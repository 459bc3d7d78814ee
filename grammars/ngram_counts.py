"""n-gram counts of a text, and sums of the counts of several parts."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from hopefear.base.errors import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import read_arrays
from hopefear.base.texts import expect_several
from hopefear.decoder.lengths import LongSentences

SPECIAL_WORDS = ("<unk>", "<s>", "</s>")
UNK, BOS, EOS = range(3)
"""Indices of the special words, the first words of every model's vocabulary."""

_SPECIAL = frozenset(SPECIAL_WORDS)

HIGHEST_ORDER = 6
"""The highest order that the decoder's KenLM reads."""

_BLANKS = dict.fromkeys(map(ord, "\0\t\n\r"), " ")  # word separators, as in KenLM


@dataclass(frozen=True, eq=False)
class NgramCounts:
    """The counts of all n-grams of one length, which determine the counts of all shorter n-grams.

    Each sentence is padded with order - 1 ``<s>`` at the begin, so that an n-gram ends at its first word, and
    with one ``</s>`` at the end.
    """

    words: tuple[str, ...]
    ngrams: NDArray[np.int32]
    counts: NDArray[np.int64]

    @property
    def order(self) -> int:
        """The length of the n-grams."""
        return int(self.ngrams.shape[1])

    @classmethod
    def merged(cls, parts: Sequence[NgramCounts]) -> NgramCounts:
        """Sum the counts of parts of a text."""
        if len({part.order for part in parts}) != 1:
            raise ValueError(f"parts must have the same order, got {[part.order for part in parts]}")
        vocabulary: dict[str, int] = {}
        ngrams = []
        for part in parts:
            indices = [vocabulary.setdefault(word, len(vocabulary)) for word in part.words]
            ngrams.append(np.array(indices, np.int32)[part.ngrams])
        counts = np.concatenate([part.counts for part in parts])
        return cls(tuple(vocabulary), *_summed(np.concatenate(ngrams), counts))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to an npz file, whole or not at all; the same counts give the same bytes."""
        words = np.frombuffer("\n".join(self.words).encode(), np.uint8)
        with written_whole(path) as part, part.open("wb") as file:
            np.savez(file, words=words, ngrams=self.ngrams, counts=self.counts)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> NgramCounts:
        """Read a file that `save` has written."""
        try:
            arrays = read_arrays(path)
            words = tuple(arrays["words"].tobytes().decode().split("\n"))
            ngrams, counts = arrays["ngrams"], arrays["counts"]
        except (ValueError, KeyError) as error:
            raise InputError(f"expected n-gram counts, a whole npz file: {error}", path=path) from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
        if (
            words[:3] != SPECIAL_WORDS
            or ngrams.ndim != 2
            or ngrams.dtype != np.int32
            or counts.dtype != np.int64
            or counts.shape != ngrams.shape[:1]
            or (ngrams.size and not 0 < ngrams.min() <= ngrams.max() < len(words))
        ):
            raise InputError("expected n-gram counts, got other arrays", path=path)
        return cls(words, ngrams, counts)


def count_ngrams(
    lines: Iterable[str],
    order: int,
    *,
    path: str | os.PathLike[str] = "text",
    first_line: int = 1,
    skip_symbols: bool = False,
    long: LongSentences | None = None,
) -> NgramCounts:
    """Count the n-grams of a text."""
    expect_several("lines", lines)
    if not 1 <= order <= HIGHEST_ORDER:
        raise ValueError(f"order must be from 1 to {HIGHEST_ORDER}, got {order}")
    vocabulary = {word: index for index, word in enumerate(SPECIAL_WORDS)}
    stream = array("i")
    padding = [BOS] * (order - 1)
    for words in sentences(lines, path=path, first_line=first_line, skip_symbols=skip_symbols, long=long):
        stream.extend(padding)
        stream.extend([vocabulary.setdefault(word, len(vocabulary)) for word in words])
        stream.append(EOS)
    if not stream:
        return NgramCounts(tuple(vocabulary), np.empty((0, order), np.int32), np.empty(0, np.int64))
    tokens = np.frombuffer(stream, np.int32)
    ngrams = sliding_window_view(tokens, order)[tokens[order - 1 :] != BOS]
    return NgramCounts(tuple(vocabulary), *_summed(ngrams, np.ones(len(ngrams), np.int64)))


def sentences(
    lines: Iterable[str],
    *,
    path: str | os.PathLike[str] = "text",
    first_line: int = 1,
    skip_symbols: bool = False,
    long: LongSentences | None = None,
) -> Iterator[list[str]]:
    """Iterate over the words of sentences; parameters and errors as in `count_ngrams`."""
    for number, line in enumerate(lines, first_line):
        words = [word for word in line.translate(_BLANKS).split(" ") if word]
        if long is not None and long.leave_out(len(words)):
            continue
        if not _SPECIAL.isdisjoint(words):
            if not skip_symbols:
                special = next(word for word in words if word in _SPECIAL)
                message = f"expected a word, got {special}, which is reserved in n-gram models"
                raise InputError(f"{message}: remove it, or skip such symbols", path=path, line=number)
            words = [word for word in words if word not in _SPECIAL]
        yield words


def _summed(
    ngrams: NDArray[np.int32], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Sort n-grams and sum the counts of equal ones."""
    by_last_word = np.lexsort(ngrams.T)
    ngrams, counts = ngrams[by_last_word], counts[by_last_word]
    new = np.ones(len(ngrams), bool)
    new[1:] = (ngrams[1:] != ngrams[:-1]).any(axis=1)
    return ngrams[new], np.add.reduceat(counts, np.flatnonzero(new))

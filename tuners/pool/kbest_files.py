"""K-best lists as other decoders write them: Moses, Joshua and Z-MERT, cdec.

All have lines ``number ||| translation ||| features ||| score …``, plain or gz, the candidates of a sentence
one after another. What follows the features is of no use here. Features come in one of these forms, which
may be mixed:

=======================================  =====================================================
``LM0= -12.3 TM0= -1 -2``, ``d: 0 -1``   Moses: ``LM0``, ``TM0_0`` and ``TM0_1``, ``d_0``, ``d_1``
``tm_pt_0=-1.5 lm_0=-22``                Joshua, cdec: names as they stand
``-1.5 -22 0``                           Z-MERT: ``0``, ``1``, ``2``
=======================================  =====================================================
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from hopefear.base import InputError
from hopefear.base.lines import each_line
from hopefear.base.texts import BLANK, expect_several, is_whole, split_fields, split_words
from hopefear.decoder import KBestList, Weights
from hopefear.metrics import Metric, WrongSentence
from hopefear.plugins.table import LARGEST

from .candidates import Candidates

_FORM = "number ||| translation ||| features [||| score ...]"


def read_kbest(path: str | os.PathLike[str], weights: Weights) -> Iterator[tuple[int, KBestList]]:
    """Go through the k-best lists of a file, of which only one is in memory at a time."""
    parser = _Parser(path, weights)
    lines = (parser.candidate(line, number) for number, line in enumerate(each_line(path), 1))
    for segment, group in groupby(lines, key=lambda candidate: candidate[0]):
        texts, rows = [], []
        for _, text, row in group:
            texts.append(text)
            rows.append(row)
        yield (
            segment,
            KBestList(
                texts,
                np.cumsum([0, *map(len, rows)], dtype=np.int64),
                np.array([feature for row in rows for feature, _ in row], np.int32),
                np.array([value for row in rows for _, value in row], np.float64),
            ),
        )


def read_candidates(
    paths: Iterable[str | os.PathLike[str]],
    references: Sequence[Sequence[str]],
    metric: Metric,
    weights: Weights | None = None,
    *,
    split: Callable[[Sequence[str]], list[str]] | None = None,
) -> Candidates:
    """Read a pool from k-best files, several of the same sentences if there were several passes.

    Parameters
    ----------
    references : sequence of sequences of str
        Of sentence 0, 1, …, tokens separated by white space, of the same case and tokens as the translations.
        The files need not hold candidates of all.
    split : callable, optional
        Puts blanks between the tokens of translations.

    Raises
    ------
    InputError
        With file and line: a file cannot be read, a line is malformed, or of a sentence without references.
        With file and sentence: a translation is too long for the metric.
    WrongSentence
        A reference is too long for the metric.
    """
    expect_several("paths", paths)
    pool = Candidates(metric, references, weights)
    for path in paths:
        try:
            pool.merge(_numbered(path, pool, split))
        except WrongSentence as error:
            raise InputError(f"sentence {error.sentence}: {error}", path=path) from None
    return pool


def _numbered(
    path: str | os.PathLike[str], pool: Candidates, split: Callable[[Sequence[str]], list[str]] | None
) -> Iterator[tuple[int, KBestList]]:
    for segment, translations in read_kbest(path, pool.weights):
        if segment >= pool.segments:
            raise InputError(
                f"expected a sentence from 0 to {pool.segments - 1}, as in the references, got {segment}",
                path=path,
            )
        yield (
            segment,
            translations if split is None else replace(translations, texts=split(translations.texts)),
        )


_Candidate = tuple[int, str, list[tuple[int, float]]]
"""Sentence, translation, and its features in ascending order."""


class _Parser:
    """Lines of one file; remembers how many values each of Moses's names has."""

    def __init__(self, path: str | os.PathLike[str], weights: Weights) -> None:
        self._path = path
        self._weights = weights
        self._sizes: dict[str, tuple[int, int]] = {}
        self._line = 0

    def candidate(self, line: str, number: int) -> _Candidate:
        self._line = number
        first, _, rest = line.partition("|||")  # Moses writes "0||| a house ||| ..." too
        fields = [first, *split_fields(rest)]
        if len(fields) < 3:
            raise self._error(f"expected {_FORM}, got {line[:80]!r}")
        segment = fields[0].strip(BLANK)
        if not is_whole(segment):
            raise self._error(f"expected the number of a sentence, from 0, got {segment[:80]!r}")
        values: dict[str, float] = {}
        for name, value in self._features(split_words(fields[2])):
            if name in values:
                raise self._error(f"feature {name} is given twice")
            values[name] = value
        intern = self._weights.native.intern
        row = sorted((intern(name), value) for name, value in values.items())
        return int(segment), " ".join(split_words(fields[1])), [entry for entry in row if entry[1]]

    def _features(self, words: Sequence[str]) -> Iterator[tuple[str, float]]:
        name, values = "", list[float]()
        for word in words:
            if word[-1] in "=:" and len(word) > 1:
                yield from self._named(name, values)
                name, values = word[:-1], []
                continue
            before, equals, after = word.rpartition("=")
            if equals:
                yield from self._named(name, values)
                name, values = "", []
                yield before, self._value(after)
            else:
                values.append(self._value(word))
        yield from self._named(name, values)

    def _named(self, name: str, values: list[float]) -> Iterator[tuple[str, float]]:
        """Number the values of one of Moses's names; those without any name are Z-MERT's."""
        if not name and not values:
            return
        size, line = self._sizes.setdefault(name, (len(values), self._line))
        if size != len(values) or not size:
            what = f"values of {name}" if name else "values without a name"
            expected = f"{size}, as in line {line}" if size else "at least one"
            raise self._error(f"expected {expected}, got {len(values)} {what}")
        if name and size == 1:
            yield name, values[0]
            return
        for i, value in enumerate(values):
            yield f"{name}_{i}" if name else str(i), value

    def _value(self, word: str) -> float:
        try:
            value = float(word)
        except ValueError:
            raise self._error(f"expected a feature's value, got {word[:80]!r}") from None
        if not math.isfinite(value):
            raise self._error(f"expected a finite feature value, got {word}")
        if abs(value) > LARGEST:
            raise self._error(f"expected a feature value of at most {LARGEST:.6g} in size, got {word[:80]}")
        return value

    def _error(self, message: str) -> InputError:
        return InputError(message, path=self._path, line=self._line)

"""Features from outside in k-best lists: of files of values, and of scorers of batches."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hopefear._native import name_fault
from hopefear.base import InputError, PluginError
from hopefear.base.arrays import Floats
from hopefear.base.errors import ForeignCode
from hopefear.base.lines import each_line
from hopefear.base.texts import as_texts
from hopefear.decoder import KBestList, Weights
from hopefear.plugins.table import LARGEST

from ..solvers import list_of_entries
from .batch_scorers import BatchScorer

Lists = Sequence[tuple[int, KBestList]]
"""The number of each sentence, and its translations."""


class NewFeatures(ABC):
    """A source of features."""

    names: Sequence[str]

    @abstractmethod
    def values(self, lists: Lists) -> Floats:
        """Return the features of the next translations, shape (translations, names)."""

    def end(self) -> None:  # noqa: B027
        """Refuse what is left over behind the last translation."""


class FileOfValues(NewFeatures):
    """A feature whose values are the lines of a file, one for each translation."""

    def __init__(self, name: str, path: str | os.PathLike[str]) -> None:
        _check_name(name)
        self.names = (name,)
        self._path = path
        self._lines = enumerate(each_line(path), 1)
        self._seen = 0

    def values(self, lists: Lists) -> Floats:
        """Read a line for each translation."""
        count = sum(len(each) for _, each in lists)
        found = [self._value(number, line) for number, line in islice(self._lines, count)]
        self._seen += len(found)
        if len(found) < count:
            raise InputError(
                f"expected a line for each translation of the lists, got only {self._seen}", path=self._path
            )
        return np.array(found, np.float64).reshape(count, 1)

    def end(self) -> None:
        """Refuse lines behind that of the last translation."""
        for number, _ in self._lines:
            raise InputError(
                f"expected {self._seen} lines, one for each translation of the lists, got more",
                path=self._path,
                line=number,
            )

    def _value(self, number: int, line: str) -> float:
        try:
            value = float(line)
        except ValueError:
            value = math.nan
        if not abs(value) <= LARGEST:
            raise InputError(
                f"expected a number, of at most {LARGEST:.6g} in size, got {line[:80]!r}",
                path=self._path,
                line=number,
            )
        return value


class ScoredFeatures(NewFeatures):
    """The features of a scorer of batches."""

    def __init__(self, scorer: BatchScorer, sources: Sequence[str], batch: int) -> None:
        self._scorer, self._sources, self._batch = scorer, sources, batch
        self._name = type(scorer).__name__
        try:
            self.names = as_texts("names", getattr(scorer, "names", ()))
        except InputError as error:
            raise PluginError(f"{self._name}: {error}") from None
        if not self.names:
            raise PluginError(f"{self._name}: names must have the name of a feature")
        for name in self.names:
            _check_name(name, f"{self._name}: ")

    def values(self, lists: Lists) -> Floats:
        """Ask the scorer, a batch at a time."""
        texts = [text for _, each in lists for text in each.texts]
        sources = [self._source(number) for number, each in lists for _ in each.texts]
        starts = range(0, len(texts), self._batch)
        answers = [self._ask(sources[i : i + self._batch], texts[i : i + self._batch]) for i in starts]
        return np.concatenate([np.zeros((0, len(self.names))), *answers])

    def _source(self, number: int) -> str:
        if number >= len(self._sources):
            raise InputError(
                f"expected a sentence from 0 to {len(self._sources) - 1}, as in the source, got {number}"
            )
        return self._sources[number]

    def _ask(self, sources: list[str], translations: list[str]) -> Floats:
        with ForeignCode(type(self._scorer), lambda what: PluginError(f"{self._name}: {what}")):
            answer = np.asarray(self._scorer.score(sources, translations), np.float64)
        shape = (len(translations), len(self.names))
        if answer.shape != shape and not (shape[1] == 1 and answer.shape == shape[:1]):
            raise PluginError(f"{self._name}: expected values of shape {shape}, got {answer.shape}")
        answer = answer.reshape(shape)
        for row, column in np.argwhere(~(np.abs(answer) <= LARGEST)):
            raise PluginError(
                f"{self._name}: expected a finite value of {self.names[column]}, got {answer[row, column]:g} "
                f"for {translations[row][:80]!r}"
            )
        return answer


def _check_name(name: str, before: str = "") -> None:
    if fault := name_fault(name):
        raise InputError(f"{before}the name of a feature {fault}, got {name!r}")


def with_features(
    lists: Iterable[tuple[int, KBestList]], added: Sequence[NewFeatures], weights: Weights, batch: int
) -> Iterator[tuple[int, KBestList]]:
    """Go through k-best lists, and add features."""
    names = [name for one in added for name in one.names]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"feature {name} is given twice")
    numbers = weights.intern_all(names)
    waiting: list[tuple[int, KBestList]] = []
    count = 0
    for each in lists:
        waiting.append(each)
        count += len(each[1])
        if count >= batch:
            yield from _added(waiting, added, names, numbers)
            waiting, count = [], 0
    yield from _added(waiting, added, names, numbers)
    for one in added:
        one.end()


def _added(
    lists: Lists, added: Sequence[NewFeatures], names: Sequence[str], numbers: NDArray[np.int32]
) -> Iterator[tuple[int, KBestList]]:
    for number, each in lists:
        for name in np.array(names)[np.isin(numbers, each.features)]:
            raise InputError(f"sentence {number}: the lists have the feature {name} already")
    count = sum(len(each) for _, each in lists)
    values = np.concatenate([np.zeros((count, 0)), *(one.values(lists) for one in added)], axis=1)
    begin = 0
    for number, each in lists:
        yield number, _joined(each, numbers, values[begin : begin + len(each)])
        begin += len(each)


def _joined(old: KBestList, numbers: NDArray[np.int32], values: Floats) -> KBestList:
    every = np.arange(len(old))
    rows = np.concatenate([np.repeat(every, np.diff(old.indptr)), np.repeat(every, len(numbers))])
    features = np.concatenate([old.features, np.tile(numbers, len(old))])
    return list_of_entries(old.texts, rows, features, np.concatenate([old.values, values.ravel()]))

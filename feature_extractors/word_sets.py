"""Counts and indicators of a rule's words under cdec's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base.lines import each_line
from hopefear.base.texts import split_words
from hopefear.plugins import FeatureTable, InputError, PluginError, RuleBatch, RuleFeatures, name_fault
from hopefear.plugins.tokens import UNDERSCORES

from .keyed import owners

_WRITTEN = {"=": "__EQ", ";": "__SC", ",": "__CO"}
"""How cdec writes a word that consists of one of its separators."""


def _counted(
    rules: RuleBatch, symbols: NDArray[np.int32], indptr: NDArray[np.int32], counts: Callable[[str], bool]
) -> NDArray[np.intp]:
    """Count the words of each rule's side that `counts` accepts."""
    distinct, at = np.unique(symbols, return_inverse=True)
    accepted = np.array([symbol > 0 and counts(rules.symbol(symbol)) for symbol in distinct.tolist()], bool)
    return np.bincount(owners(indptr)[accepted[at]], minlength=len(rules))


def _indicators(
    rules: RuleBatch, symbols: NDArray[np.int32], indptr: NDArray[np.int32], name_of: Callable[[str], str]
) -> FeatureTable:
    """Make a row for each rule, in which the name of each word of a side fires once."""
    pairs = np.stack([owners(indptr), symbols], axis=1)[symbols > 0]
    rule, word = np.unique(pairs, axis=0).T
    distinct, columns = np.unique(word, return_inverse=True)
    names = tuple(name_of(rules.symbol(symbol)) for symbol in distinct.tolist())
    starts = np.searchsorted(rule, np.arange(len(rules) + 1)).astype(np.int32)
    return FeatureTable(names, starts, columns.astype(np.int32), np.ones(len(columns)))


@dataclass(kw_only=True, eq=False)
class NonLatinCount(RuleFeatures):
    """cdec's ``NonLatinCount``: the number of a rule's target words that have a character beyond ASCII."""

    fires: ClassVar[tuple[str, ...]] = ("NonLatinCount",)

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each rule."""
        count = _counted(rules, rules.target, rules.target_indptr, lambda word: not word.isascii())
        return FeatureTable.from_dense(self.fires, count[:, None])


@dataclass(kw_only=True, eq=False)
class WordSet(RuleFeatures):
    """cdec's ``WordSet``: the number of a rule's target words that are in a list of words, or are not in it.

    Parameters
    ----------
    vocabulary : Path or str
        A file with one word a line; cdec's ``-v``.
    name : str
        The name of the feature; cdec's ``-N``.
    oov : bool
        Count what is not in the list. As in cdec, the nonterminals of a rule are among it.
    """

    fires: ClassVar[tuple[str, ...]] = ("*",)
    spellings: ClassVar[Mapping[str, str]] = {"-v": "vocabulary", "-N": "name"}

    vocabulary: Path | str
    name: str
    oov: bool = False

    def prepare(self) -> None:
        """Check the name and read the words."""
        if fault := name_fault(self.name):
            raise PluginError(f"WordSet: name {fault}, got {self.name!r}")
        _ = self._words

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each rule."""
        count = _counted(rules, rules.target, rules.target_indptr, self._words.__contains__)
        if self.oov:
            count = np.diff(rules.target_indptr) - count
        return FeatureTable.from_dense((self.name,), count[:, None])

    @cached_property
    def _words(self) -> frozenset[str]:
        words: list[str] = []
        for number, line in enumerate(each_line(self.vocabulary), 1):
            if len(parts := split_words(line)) > 1:
                raise InputError(f"expected one word, got {line[:80]!r}", path=self.vocabulary, line=number)
            words += parts
        return frozenset(words)


@dataclass(kw_only=True, eq=False)
class InputIndicator(RuleFeatures):
    """cdec's ``InputIndicator``: ``S:f`` for each source word f of a rule, once if the word is repeated.

    The words ``=``, ``;`` and ``,`` are written ``__EQ``, ``__SC`` and ``__CO``; in longer words these
    characters stay.
    """

    fires: ClassVar[tuple[str, ...]] = ("S:*",)

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each rule."""
        return _indicators(rules, rules.source, rules.source_indptr, self._name)

    def _name(self, word: str) -> str:
        return f"S:{_WRITTEN.get(word, word)}"


@dataclass(kw_only=True, eq=False)
class OutputIndicator(RuleFeatures):
    """cdec's ``OutputIndicator``: ``T:e`` for each target word e of a rule, once if the word is repeated.

    The words ``=``, ``;`` and ``,`` are written ``__EQ``, ``__SC`` and ``__CO``; in longer words equal signs
    and semicolons turn into underscores.
    """

    fires: ClassVar[tuple[str, ...]] = ("T:*",)

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each rule."""
        return _indicators(rules, rules.target, rules.target_indptr, self._name)

    def _name(self, word: str) -> str:
        return f"T:{_WRITTEN.get(word, word).translate(UNDERSCORES)}"

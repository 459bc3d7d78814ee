"""Bigrams of a rule's sides (Simianer, Riezler and Dyer 2012; cdec's ff_rules.cc)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import FeatureTable, PairNames, RuleBatch, RuleFeatures, TokenType, growing

from .keyed import owners
from .units import UnitTable


@dataclass(kw_only=True, eq=False)
class _RuleBigrams(RuleFeatures):
    types: Sequence[TokenType | str] = ("surface",)

    _prefix: ClassVar[str]

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each rule."""
        indptr, symbols = self._side(rules)
        bounds = indptr + np.arange(len(indptr), dtype=np.int32)  # a rule has one more bigram than symbols
        begin, end = self._units.marks(("<r>", "</r>")).tolist()
        first, second = np.empty((2, bounds[-1]), np.int32)
        first[bounds[:-1]] = begin
        second[bounds[1:] - 1] = end
        units = self._units.ids(rules, symbols)
        self._write_nonterminals(units, rules)
        positions = np.arange(len(units)) + owners(indptr)
        second[positions] = units
        first[positions + 1] = units
        starts, columns = self._names.columns(first, second)
        return FeatureTable(self._names, starts[bounds], columns, np.ones(len(columns)))

    @staticmethod
    @abstractmethod
    def _side(rules: RuleBatch) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return ``indptr`` and symbols of a side."""

    @abstractmethod
    def _write_nonterminals(self, units: NDArray[np.int32], rules: RuleBatch) -> None:
        """Set the units of the symbols that are nonterminals."""

    @growing
    def _units(self) -> UnitTable:
        return UnitTable(self.types)

    @growing
    def _names(self) -> PairNames:
        return PairNames(self._prefix, self._units, self._units)


@dataclass(kw_only=True, eq=False)
class RuleSourceBigrams(_RuleBigrams):
    """Bigrams of a rule's source side, under the names of cdec's ``RuleSourceBigramFeatures``.

    ``[X] ||| [X,1] de [X,2] ||| [2] 's [1]`` fires ``RBS:<r>_X``, ``RBS:X_de``, ``RBS:de_X`` and
    ``RBS:X_</r>``: nonterminals are their categories, ``<r>`` and ``</r>`` mark the rule's begin and end, and
    equal signs and semicolons turn into underscores. The value is the number of occurrences in the rule.

    Parameters
    ----------
    types : sequence of TokenType or str
        How words are written; each type has its own bigrams, equal names fire once. cdec writes the words
        unchanged.
    """

    fires: ClassVar[tuple[str, ...]] = ("RBS:*",)
    _prefix: ClassVar[str] = "RBS:"

    @staticmethod
    def _side(rules: RuleBatch) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return rules.source_indptr, rules.source

    def _write_nonterminals(self, units: NDArray[np.int32], rules: RuleBatch) -> None:
        at = np.flatnonzero(units < 0)
        units[at] = self._units.marks_of(rules.source[at].astype(np.int64), rules.symbol)


@dataclass(kw_only=True, eq=False)
class RuleTargetBigrams(_RuleBigrams):
    """Bigrams of a rule's target side, under the names of cdec's ``RuleTargetBigramFeatures``.

    ``[X] ||| [X,1] de [X,2] ||| [2] 's [1]`` fires ``RBT:<r>_X2``, ``RBT:X2_'s``, ``RBT:'s_X1`` and
    ``RBT:X1_</r>``: a nonterminal is its category and its index. See `RuleSourceBigrams` for the rest.

    Parameters
    ----------
    types : sequence of TokenType or str
        As for `RuleSourceBigrams`.
    """

    fires: ClassVar[tuple[str, ...]] = ("RBT:*",)
    _prefix: ClassVar[str] = "RBT:"

    @staticmethod
    def _side(rules: RuleBatch) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return rules.target_indptr, rules.target

    def _write_nonterminals(self, units: NDArray[np.int32], rules: RuleBatch) -> None:
        rule, index, source, target, _ = rules.nonterminals.T
        category = -rules.source[rules.source_indptr[rule] + source].astype(np.int64)
        units[rules.target_indptr[rule] + target] = self._units.marks_of(
            category << 32 | index, lambda key: f"{rules.symbol(-(key >> 32))}{(key & 0xFFFFFFFF) + 1}"
        )

"""Dependencies between the source words of a rule and those of the rules below (Watanabe et al. 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import (
    FeatureTable,
    PairNames,
    RuleBatch,
    Segment,
    StateBatch,
    StateFeatures,
    TokenType,
    WordTable,
    growing,
)
from hopefear.plugins.keys import SequenceTable, ranges

from .keyed import check_choice, linked_words, owners


@dataclass(kw_only=True, eq=False)
class HierarchicalRules(StateFeatures):
    """Which source words of a rule combine with which source words of the rules in its nonterminals.

    The dependency structure on the source side of Watanabe, Suzuki, Tsukada and Isozaki (2007), "Online
    large-margin training for statistical machine translation": ``HierRule:f_g`` fires for each source word f
    of a rule and each source word g of a rule that fills one of its nonterminals, where both are aligned with
    a word of the target side. The value is the number of these pairs. With several types it fires for each
    pair of types; equal names fire once.

    `Hierarchical` has the head word of the nonterminal's span in place of g, whatever rule covers the span.
    Here the features depend on the derivation: a node of the search has the aligned words of its rule as its
    state. The search is slower than with `Hierarchical`, and fewer derivations recombine.

    Parameters
    ----------
    types : sequence of TokenType or str
        How words are written: ``surface``, ``prefix``, ``suffix``, ``digits``, ``class:FILE``, ``pos:FILE``.
    combine : {"same", "all"}
        Whether a type of f is combined with the same type of g or with all types of g.
    """

    fires: ClassVar[tuple[str, ...]] = ("HierRule:*_*",)

    types: Sequence[TokenType | str] = ("surface",)
    combine: Literal["same", "all"] = "same"

    def prepare(self) -> None:
        """Check the arguments and read the files of classes."""
        check_choice(self, "combine", "same", "all")
        super().prepare()

    def begin(self, rules: RuleBatch, segment: Segment) -> NDArray[np.int64]:
        """Number the sets of aligned source words of rules, and of none for the goal, which comes last."""
        linked = linked_words(rules)
        rule, words = owners(rules.source_indptr)[linked], self._words.ids(rules, rules.source[linked])
        words = words[np.lexsort((words, rule))]
        return np.append(self._sequences.numbers(len(rules), rule, words), 0).astype(np.int64)

    def fire(self, edges: StateBatch, sentence: NDArray[np.int64]) -> tuple[FeatureTable, NDArray[np.int64]]:
        """Make a row for each edge; its state is the number of its rule's aligned words."""
        upper = sentence[edges.local_rule]
        tails = edges.tail_indptr[1:] - edges.tail_indptr[:-1]
        pairs = np.repeat(upper, tails) << 32 | edges.tail_state[:, 0]
        numbers_of = self._features_of
        numbers = [numbers_of.get(pair, -1) for pair in pairs.tolist()]
        if -1 in numbers:
            self._find(np.unique(pairs[np.array(numbers) < 0]))
            numbers = [numbers_of[pair] for pair in pairs.tolist()]
        indptr, columns = self._features.items(np.array(numbers, np.int64))
        table = FeatureTable(self._names, indptr[edges.tail_indptr], columns, np.ones(len(columns)))
        return table, upper.reshape(-1, 1)

    def _find(self, pairs: NDArray[np.int64]) -> None:
        """Find the features of pairs of sequences: all words of the first with all of the second."""
        begin_f, words_f = self._sequences.items(pairs >> 32)
        begin_g, words_g = self._sequences.items(pairs & 0xFFFFFFFF)
        of_f = np.repeat(np.arange(len(pairs)), np.diff(begin_f))
        begins, places = ranges(begin_g[of_f], begin_g[of_f + 1])
        sizes = np.diff(begins)
        indptr, columns = self._names.columns(np.repeat(words_f, sizes), words_g[places])
        pair = np.repeat(of_f, sizes)
        numbers = self._features.numbers(len(pairs), np.repeat(pair, np.diff(indptr)), columns)
        self._features_of.update(zip(pairs.tolist(), numbers.tolist(), strict=True))

    @growing
    def _features_of(self) -> dict[int, int]:
        """The number in `_features` of a pair of sequences: the first one times 2^32, plus the second one."""
        return {}

    @growing
    def _features(self) -> SequenceTable:
        """The columns of the features of pairs."""
        return SequenceTable()

    @growing
    def _words(self) -> WordTable:
        return WordTable(self.types)

    @growing
    def _sequences(self) -> SequenceTable:
        return SequenceTable()

    @growing
    def _names(self) -> PairNames:
        return PairNames("HierRule:", self._words, self._words, self.combine)

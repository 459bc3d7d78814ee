"""Dependencies between the source words of a rule and those of the rules below (Watanabe et al. 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import (
    FeatureTable,
    PairNames,
    PluginError,
    RuleBatch,
    Segment,
    StateBatch,
    StateFeatures,
    TokenType,
    WordTable,
    growing,
)
from hopefear.plugins.keys import SequenceTable

from .keyed import linked_words, owners


@dataclass(slots=True)
class _Sentence:
    """The aligned words of a sentence's rules, and the columns of the pairs of rules seen so far."""

    sequence: NDArray[np.int32]
    """The number of each rule's aligned words; a last entry, 0, for the goal."""
    columns: dict[tuple[int, int], list[int]] = field(default_factory=dict)


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

    def __init__(
        self, *, types: Sequence[TokenType | str] = ("surface",), combine: Literal["same", "all"] = "same"
    ) -> None:
        self.types = types
        self.combine = combine

    def prepare(self) -> None:
        """Check the arguments and read the files of classes.

        Raises
        ------
        PluginError
            `combine` has another value.
        """
        if self.combine not in ("same", "all"):
            raise PluginError(f"HierarchicalRules: combine must be same or all, got {self.combine!r}")
        _ = self._names, self._sequences

    def begin(self, rules: RuleBatch, segment: Segment) -> _Sentence:
        """Number the aligned source words of rules; the order of the words in a rule does not count."""
        linked = linked_words(rules)
        rule, words = owners(rules.source_indptr)[linked], self._words.ids(rules, rules.source[linked])
        words = words[np.lexsort((words, rule))]
        sequence = self._sequences.numbers(len(rules), rule, words)
        return _Sentence(np.append(sequence, np.int32(0)))

    def fire(self, edges: StateBatch, sentence: _Sentence) -> tuple[FeatureTable, NDArray[np.int64]]:
        """Make a row for each edge; its state is the number of its rule's aligned words."""
        own = sentence.sequence[edges.local_rule]
        below = edges.tail_state[:, 0].tolist()
        starts = edges.tail_indptr.tolist()
        indptr, columns = [0], list[int]()
        for edge, number in enumerate(own.tolist()):
            for other in below[starts[edge] : starts[edge + 1]]:
                if number and other:
                    columns += self._columns(sentence, number, other)
            indptr.append(len(columns))
        table = FeatureTable(
            self._names, np.array(indptr, np.int32), np.array(columns, np.int32), np.ones(len(columns))
        )
        return table, own.astype(np.int64).reshape(-1, 1)

    def _columns(self, sentence: _Sentence, above: int, below: int) -> list[int]:
        """Find the names of a pair of sequences."""
        found = sentence.columns.get((above, below))
        if found is None:
            indptr, words = self._sequences.items(np.array([above, below], np.int64))
            first, second = words[: indptr[1]], words[indptr[1] :]
            pairs = np.repeat(first, len(second)), np.tile(second, len(first))
            found = sentence.columns[above, below] = self._names.columns(*pairs)[1].tolist()
        return found

    @growing
    def _words(self) -> WordTable:
        return WordTable(self.types)

    @growing
    def _sequences(self) -> SequenceTable:
        return SequenceTable()

    @growing
    def _names(self) -> PairNames:
        return PairNames("HierRule:", self._words, self._words, self.combine)

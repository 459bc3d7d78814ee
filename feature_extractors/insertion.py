"""Target words without a link, with the words of the sentence (Watanabe et al. 2007)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import EdgeBatch, EdgeFeatures, FeatureTable, PairNames, RuleBatch, Segment, growing
from hopefear.plugins.keys import SequenceTable, edge_uses, number_keys, take_rows

from .keyed import owners, tokens_of, unaligned_target
from .word_types import WordTypes


class Insertion(WordTypes, EdgeFeatures):
    """Which target words a rule inserts: words without a link in its word alignment.

    Watanabe, Suzuki, Tsukada and Isozaki (2007), "Online large-margin training for statistical machine
    translation", insertion features: "each inserted word is associated with all the source words". For an
    inserted word e, ``Ins:f_e`` fires for each occurrence of a word f in the sentence; with several types it
    fires for each pair of types, equal names once. Nothing fires on a rule without any link, whose alignment
    is unknown.

    Parameters are those of `WordTypes`. The input must be a sentence; a lattice is refused.
    """

    fires: ClassVar[tuple[str, ...]] = ("Ins:*_*",)

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Number the words that each rule inserts."""
        inserted = unaligned_target(rules)
        words = self._target.ids(rules, rules.target[inserted])
        return self._inserted.numbers(len(rules), owners(rules.target_indptr)[inserted], words)

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each sequence of inserted words."""
        tokens = self._source.numbers(tokens_of(segment, "Insertion"))
        number, source = number_keys(tokens.astype(np.int64))
        counts = np.bincount(number).astype(np.float64)
        row, sequences, _ = edge_uses(edges, np.zeros(len(edges.groups), np.int32))
        rows, members = self._inserted.items(sequences.astype(np.int64))
        place, target = number_keys(members.astype(np.int64))
        # A block of names for each inserted word, with all source words.
        begins, columns = self._names.columns(np.tile(source, len(target)), np.repeat(target, len(source)))
        values = np.repeat(np.tile(counts, len(target)), np.diff(begins))
        blocks = begins[np.arange(len(target) + 1) * len(source)]
        indptr, columns, values = take_rows(blocks, columns, values, place)
        return FeatureTable(self._names, indptr[rows], columns, values, row)

    @growing
    def _inserted(self) -> SequenceTable:
        return SequenceTable()

    @growing
    def _names(self) -> PairNames:
        return PairNames("Ins:", self._source, self._target, self.combine)

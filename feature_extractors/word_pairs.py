"""Word pairs over the alignment links in rules (Watanabe et al. 2007)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from hopefear.plugins import FeatureTable, PairNames, RuleBatch, RuleFeatures, growing

from .word_types import WordTypes


class WordPairs(WordTypes, RuleFeatures):
    """Pairs of source and target words that are linked in a rule's word alignment.

    Watanabe, Suzuki, Tsukada and Isozaki (2007), "Online large-margin training for statistical machine
    translation", unigram word pair features. ``WP:f_e`` fires for each link between a word f and a word e;
    the value is their number. With several types it fires for each pair of types, equal names once per link.
    A rule without word alignment fires nothing.

    Parameters are those of `WordTypes`.
    """

    fires: ClassVar[tuple[str, ...]] = ("WP:*_*",)

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each rule."""
        indptr, columns = self._names.columns(*self._links(rules))
        return FeatureTable(self._names, indptr[rules.alignment_indptr], columns, np.ones(len(columns)))

    @growing
    def _names(self) -> PairNames:
        return PairNames("WP:", self._source, self._target, self.combine)

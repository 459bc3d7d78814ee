"""Bigrams of word pairs in target order (Watanabe et al. 2007)."""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import ClassVar

import numpy as np

from hopefear.plugins import NgramFeatures, RuleBatch, RuleStrings, growing
from hopefear.plugins.keys import number_keys
from hopefear.plugins.names import type_pairs

from .keyed import owners
from .word_types import WordTypes


class WordPairBigrams(WordTypes, NgramFeatures):
    """Pairs of alignment links that follow each other on the target side of a derivation.

    Watanabe, Suzuki, Tsukada and Isozaki (2007), "Online large-margin training for statistical machine
    translation", bigram word pair features, "ordered by the target side". The links of the word alignments in
    a derivation's rules are ordered by target word, and links of the same target word by source word in the
    rule. ``WPB:f1|e1_f2|e2`` fires for each two neighbouring links, also across the border of a nonterminal;
    words without links are skipped.

    Parameters are those of `WordTypes`. With several types a link is written with each pair of types that
    `combine` allows. In a bigram ``same`` pairs links written with the same types, ``all`` pairs all: with 3
    types on each side a bigram has 3 names, or 81.
    """

    fires: ClassVar[tuple[str, ...]] = ("WPB:*|*_*|*",)

    order = 2
    boundaries = False
    prefix = "WPB:"

    def prepare(self) -> None:
        """Check the arguments and read the files of classes."""
        super().prepare()
        writings = range(len(self._pairs))
        every = product(writings, writings)
        self.patterns = tuple(every if self.combine == "all" else zip(writings, writings, strict=True))

    def strings(self, rules: RuleBatch) -> RuleStrings:
        """List each rule's links and nonterminals in target order."""
        source, target = self._links(rules)
        numbers, links = number_keys(source.astype(np.int64) << 32 | target)
        nonterminal_rule, index, source_place, target_place, _ = rules.nonterminals.T
        rule = np.concatenate([owners(rules.alignment_indptr), nonterminal_rule])
        symbols = np.concatenate([numbers, -1 - index])
        places = np.concatenate([rules.alignment, np.stack([source_place, target_place], axis=1)])
        order = np.lexsort((places[:, 0], places[:, 1], rule))
        indptr = np.zeros(len(rules) + 1, np.int32)
        np.cumsum(np.bincount(rule, minlength=len(rules)), out=indptr[1:])
        return RuleStrings([self._unit(link) for link in links.tolist()], indptr, symbols[order])

    def _unit(self, link: int) -> tuple[str, ...]:
        unit = self._units.get(link)
        if unit is None:
            source, target = self._source.texts(link >> 32), self._target.texts(link & 0xFFFFFFFF)
            unit = self._units[link] = tuple(f"{source[i]}|{target[j]}" for i, j in self._pairs)
        return unit

    @growing
    def _units(self) -> dict[int, tuple[str, ...]]:
        return {}

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        return type_pairs(self._source, self._target, self.combine)

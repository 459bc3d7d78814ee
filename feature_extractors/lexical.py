"""Word translations, insertions and deletions in rules (cdec's ff_lexical.h)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hopefear.plugins import (
    FeatureTable,
    NameForm,
    RuleBatch,
    RuleFeatures,
    TokenType,
    WordNames,
    WordTable,
    growing,
)

from .keyed import keyed_table, owners

_FORMS = (
    NameForm("LT:", separator=":", combine="all"),
    NameForm("LD:", "first"),
    NameForm("LI:", "second"),
)
_TRANSLATION, _DELETION, _INSERTION = range(len(_FORMS))


@dataclass(kw_only=True, eq=False)
class LexicalFeatures(RuleFeatures):
    """Which words a rule translates into which, under the names of cdec's ``LexicalFeatures``.

    ``LT:f:e`` fires for each link of the rule's word alignment, ``LD:f`` for each source word without a link,
    ``LI:e`` for each target word without one; values are counts. If a rule has no alignment, all its source
    words are deleted and all its target words inserted. Equal signs and semicolons in words turn into
    underscores. As in cdec, the arguments may be given without names: ``LexicalFeatures 1 0 0`` fires only
    translations.

    Parameters
    ----------
    translations, insertions, deletions : bool
        Which kinds of features fire.
    source_types, target_types : sequence of TokenType or str
        How words are written; a translation fires for each pair of types. cdec writes the words unchanged.
    """

    fires: ClassVar[tuple[str, ...]] = ("LT:*", "LD:*", "LI:*")

    translations: bool = True
    insertions: bool = True
    deletions: bool = True
    source_types: Sequence[TokenType | str] = ("surface",)
    target_types: Sequence[TokenType | str] = ("surface",)

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each rule."""
        link_rule = owners(rules.alignment_indptr)
        link_source = rules.source_indptr[link_rule] + rules.alignment[:, 0]
        link_target = rules.target_indptr[link_rule] + rules.alignment[:, 1]
        source = self._source_words.ids(rules, rules.source)
        target = self._target_words.ids(rules, rules.target)
        deleted, inserted = source >= 0, target >= 0
        deleted[link_source] = False
        inserted[link_target] = False
        parts = []
        if self.translations:
            keys = self._names.keys(source[link_source], target[link_target], _TRANSLATION)
            parts.append((link_rule, keys))
        if self.deletions:
            keys = self._names.keys(source[deleted], 0, _DELETION)
            parts.append((owners(rules.source_indptr)[deleted], keys))
        if self.insertions:
            keys = self._names.keys(0, target[inserted], _INSERTION)
            parts.append((owners(rules.target_indptr)[inserted], keys))
        if not parts:
            return FeatureTable.empty(len(rules))
        rule, keys = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return keyed_table(self._names, len(rules), rule, keys)

    @growing
    def _source_words(self) -> WordTable:
        return WordTable(self.source_types)

    @growing
    def _target_words(self) -> WordTable:
        return WordTable(self.target_types)

    @growing
    def _names(self) -> WordNames:
        return WordNames(_FORMS, self._source_words, self._target_words)

"""Source words that a rule leaves untranslated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

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

from .keyed import keyed_table, owners, unaligned_source


@dataclass(kw_only=True, eq=False)
class Deletion(RuleFeatures):
    """Which source words of a rule have no link in its word alignment.

    The source-side counterpart of Watanabe's insertion features: ``Del:f`` fires for each such word f; the
    value is their number. With several types it fires for each type; equal names fire once per word. Nothing
    fires on a rule without any link, whose alignment is unknown.

    Parameters
    ----------
    types : sequence of TokenType or str
        How words are written: ``surface``, ``prefix``, ``suffix``, ``digits``, ``class:FILE``, ``pos:FILE``.
    """

    fires: ClassVar[tuple[str, ...]] = ("Del:*",)

    types: Sequence[TokenType | str] = ("surface",)

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each rule."""
        deleted = unaligned_source(rules)
        words = self._words.ids(rules, rules.source[deleted])
        rule = owners(rules.source_indptr)[deleted]
        return keyed_table(self._names, len(rules), rule, self._names.keys(words, 0))

    @growing
    def _words(self) -> WordTable:
        return WordTable(self.types)

    @growing
    def _names(self) -> WordNames:
        return WordNames([NameForm("Del:", "first")], self._words, self._words)

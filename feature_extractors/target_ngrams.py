"""n-grams of the translation (cdec's ``NgramFeatures``; Watanabe et al. 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from hopefear.plugins import NgramFeatures, PluginError, RuleBatch, RuleStrings, TokenType, WordTable, growing

PREFIXES = ("U:", "B:", "T:", "4:", "5:")
"""First parts of names by order, as in cdec."""


@dataclass(kw_only=True, eq=False)
class TargetNgrams(NgramFeatures):
    """The n-grams of one order of the translation, under the names of cdec's ``NgramFeatures``.

    ``B:die_Katze`` for order 2, ``T:<s>_die_Katze`` for order 3; values are counts. Equal signs and
    semicolons turn into underscores. A plugin has one order, while cdec fires all orders up to n: give a line
    for each order. cdec counts ``</s>`` as a word of order 1, and if its n is 3 or more it has no n-gram with
    ``<s>``.

    Parameters
    ----------
    order : int
        n, from 1 to 5.
    types : sequence of TokenType or str
        How words are written; each type has its own n-grams, equal names fire once.
    boundaries : bool
        Whether ``<s>`` is before and ``</s>`` after the translation.
    """

    fires: ClassVar[tuple[str, ...]] = tuple(f"{prefix}*" for prefix in PREFIXES)

    order: int = 3
    types: Sequence[TokenType | str] = ("surface",)
    boundaries: bool = True

    def __post_init__(self) -> None:
        known = 1 <= self.order <= len(PREFIXES)  # `prepare` refuses others
        self.prefix = PREFIXES[self.order - 1] if known else ""
        self.patterns = tuple((kind,) * self.order for kind in range(len(self.types)) if known)

    def prepare(self) -> None:
        """Check the arguments and read the types' files."""
        if not self.prefix:
            name = type(self).__name__
            raise PluginError(f"{name}: order must be 1 to {len(PREFIXES)}, got {self.order}")
        _ = self._words

    def strings(self, rules: RuleBatch) -> RuleStrings:
        """Return the rules' target sides."""
        words = self._words.ids(rules, rules.target)
        symbols = np.where(rules.target > 0, words, rules.target - 1)
        return RuleStrings(self._words, rules.target_indptr, symbols)

    @growing
    def _words(self) -> WordTable:
        return WordTable(self.types)


@dataclass(kw_only=True, eq=False)
class TargetBigrams(TargetNgrams):
    """The bigrams of the translation (Watanabe et al. 2007): `TargetNgrams` of order 2."""

    fires: ClassVar[tuple[str, ...]] = ("B:*",)

    order: int = field(default=2, init=False)

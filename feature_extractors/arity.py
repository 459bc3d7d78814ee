"""The number of nonterminals of a rule (cdec's ``ArityPenalty``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hopefear.plugins import FeatureTable, PluginError, RuleBatch, RuleFeatures

from .keyed import one_each, owners


@dataclass(kw_only=True, eq=False)
class Arity(RuleFeatures):
    """``Arity_k`` is 1 for a rule with k nonterminals: cdec's ``ArityPenalty``.

    Parameters
    ----------
    most : int
        Rules with more nonterminals fire nothing, as in cdec.
    """

    fires: ClassVar[tuple[str, ...]] = ("Arity_*",)

    most: int = 50

    def prepare(self) -> None:
        """Check the argument."""
        if self.most < 0:
            raise PluginError(f"Arity: most must be 0 or more, got {self.most}")

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each arity."""
        arity = np.bincount(owners(rules.source_indptr)[rules.source < 0], minlength=len(rules))
        row = np.where(arity > self.most, -1, arity).astype(np.int32)
        names = tuple(f"Arity_{k}" for k in range(row.max(initial=-1) + 1))
        return one_each(names, row)

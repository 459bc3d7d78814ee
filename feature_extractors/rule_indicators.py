"""One feature for each rule (Flanigan, Dyer and Carbonell 2013; cdec's ``RuleIdentityFeatures``)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopefear.plugins import FeatureTable, PluginError, RuleBatch, RuleFeatures


@dataclass(kw_only=True, eq=False)
class RuleIndicators(RuleFeatures):
    """A binary feature for each rule, under cdec's name.

    ``[X] ||| [X,1] de [X,2] ||| [2] 's [1]`` fires ``R:X:NX_de_NX:N2_'s_N1``; equal signs and semicolons turn
    into underscores. Glue and pass-through rules fire too, as in cdec. Rules that only differ in their
    feature values have one name and share one feature.

    Parameters
    ----------
    prefix : str
        Put in front of every name.
    """

    prefix: str = ""

    def prepare(self) -> None:
        """Check the prefix."""
        if any(space in self.prefix for space in " \t\r\n"):
            raise PluginError(f"RuleIndicators: prefix must not hold white space, got {self.prefix!r}")

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """One row, and in it one name, for each rule."""
        names = rules.indicator_names(self.prefix)
        entries = np.arange(len(names) + 1, dtype=np.int32)
        return FeatureTable(names, entries, entries[:-1], np.ones(len(names)))

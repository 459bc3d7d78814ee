"""Penalties for rules by where they come from (Chiang, Marton and Resnik 2008, section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hopefear.plugins import FeatureTable, PluginError, RuleBatch, RuleFeatures

NAMES = ("Owner_extracted", "Owner_identity", "Owner_glue")
_EXTRACTED, _IDENTITY, _GLUE = range(len(NAMES))
_OWNED = -1


@dataclass(kw_only=True, eq=False)
class RuleOwners(RuleFeatures):
    """Whose a rule is: extracted from the parallel text, an identity, number, name or glue rule.

    A grammar says which rules are special by flags: in the line of a number rule stands ``Owner_number=1``,
    in that of a name rule ``Owner_name=1``; any other owner is flagged likewise. As a feature of the grammar
    a flag fires by itself. This plugin looks at the flags of `owners` and fires one feature on each rule that
    has none: ``Owner_glue`` where its left-hand side is the goal, ``Owner_identity`` where it passes a word
    through (the flag of these rules is cdec's ``PassThrough``), else ``Owner_extracted``. So each rule fires
    its owner. Values are 1: the weights say what a use of a rule costs.

    Rules are told apart by their flags, not by what they say: an extracted rule that translates a word into
    itself is an extracted rule.

    Parameters
    ----------
    owners : sequence of str
        Owners with flags in the grammar. The paper has two classes of number and name rules.
    goal : str
        The category whose rules are the glue rules, as `goal` in cdec.ini.
    """

    fires: ClassVar[tuple[str, ...]] = NAMES

    owners: Sequence[str] = ("identity", "number", "name")
    goal: str = "S"

    def prepare(self) -> None:
        """Check the owners."""
        odd = [owner for owner in self.owners if not owner or any(mark in owner for mark in " \t\r\n=;")]
        if odd or isinstance(self.owners, str):
            raise PluginError(f"RuleOwners: owners must be a sequence of names, got {self.owners!r}")

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each of the three owners without a flag."""
        row = np.full(len(rules), _EXTRACTED, np.int32)
        row[rules.feature_values("PassThrough") != 0] = _IDENTITY
        for category in np.unique(rules.lhs):
            if rules.symbol(-int(category)) == self.goal:
                row[rules.lhs == category] = _GLUE
        for owner in self.owners:
            row[rules.feature_values(f"Owner_{owner}") != 0] = _OWNED
        each = np.arange(len(NAMES) + 1, dtype=np.int32)
        return FeatureTable(NAMES, each, each[:-1], np.ones(len(NAMES)), row)

"""Penalties for rules by their origin (Chiang, Marton and Resnik 2008, section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hopefear.plugins import FeatureTable, PluginError, RuleBatch, RuleFeatures

from .keyed import one_each, rules_of

NAMES = ("Owner_extracted", "Owner_identity", "Owner_glue")
_EXTRACTED, _IDENTITY, _GLUE = range(len(NAMES))
_OWNED = -1


@dataclass(kw_only=True, eq=False)
class RuleOwners(RuleFeatures):
    """The owner of a rule: an extracted rule, or an identity, number, name or glue rule.

    A grammar marks special rules by flags: the line of a number rule has ``Owner_number=1``, the line of a
    name rule ``Owner_name=1``; other owners likewise. A flag is a feature of the grammar, so it fires without
    this plugin. On each rule without a flag of `owners`, this plugin fires one feature: ``Owner_glue`` if the
    left-hand side is the goal, ``Owner_identity`` if the rule passes a word through (such rules have cdec's
    flag ``PassThrough``), else ``Owner_extracted``. So each rule fires its owner. Values are 1: the weight is
    the cost of using a rule.

    The owner depends on the flags only, not on the words: an extracted rule that translates a word into
    itself is an extracted rule.

    Parameters
    ----------
    owners : sequence of str
        Owners with flags in the grammar. The paper has two such classes, number and name rules.
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
        row[rules_of(self.goal, rules)] = _GLUE
        for owner in self.owners:
            row[rules.feature_values(f"Owner_{owner}") != 0] = _OWNED
        return one_each(NAMES, row)

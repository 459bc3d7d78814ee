"""The numbers of words of a rule's sides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from hopefear.plugins import FeatureTable, PluginError, RuleBatch, RuleFeatures

from .keyed import owners


@dataclass(kw_only=True, eq=False)
class RuleLengths(RuleFeatures):
    """Indicators of the numbers of words of a rule: of each side, and of both together.

    A rule of 2 source words and 1 target word fires ``Words:S2``, ``Words:T1`` and ``Words:S2_T1``.
    Nonterminals do not count. `most` stands for itself and all larger numbers: ``Words:S7+``.

    Parameters
    ----------
    most : int
        The largest number that is told from larger ones.
    """

    fires: ClassVar[tuple[str, ...]] = ("Words:*",)

    most: int = 7

    def prepare(self) -> None:
        """Check the argument."""
        if self.most < 1:
            raise PluginError(f"RuleLengths: most must be 1 or more, got {self.most}")

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each pair of numbers."""
        source, target = (
            np.minimum(np.bincount(owners(indptr)[symbols > 0], minlength=len(rules)), self.most)
            for indptr, symbols in (
                (rules.source_indptr, rules.source),
                (rules.target_indptr, rules.target),
            )
        )
        numbers = self.most + 1
        pairs = np.arange(numbers * numbers)
        columns = np.stack((pairs // numbers, numbers + pairs % numbers, 2 * numbers + pairs), axis=1).ravel()
        return FeatureTable(
            self._names,
            np.arange(0, 3 * len(pairs) + 1, 3, dtype=np.int32),
            columns.astype(np.int32),
            np.ones(len(columns)),
            (source * numbers + target).astype(np.int32),
        )

    @cached_property
    def _names(self) -> tuple[str, ...]:
        texts = [*map(str, range(self.most)), f"{self.most}+"]
        return (
            *(f"Words:S{text}" for text in texts),
            *(f"Words:T{text}" for text in texts),
            *(f"Words:S{source}_T{target}" for source in texts for target in texts),
        )

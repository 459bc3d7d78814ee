"""How often a rule was seen in the parallel text, in bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from hopefear.plugins import FeatureTable, PluginError, RuleBatch, RuleFeatures

_MOST = 15.0
"""The greatest log10(1 + n) of a count that a float64 still holds exactly."""


@dataclass(kw_only=True, eq=False)
class RuleCounts(RuleFeatures):
    """Indicators of the bin of a rule's counts, so that each bin has a weight of its own.

    The grammar's features `counts` are log10(1 + n) of a count n, as those of cdec's extractor: ``CountEF``
    of the rule among the samples of its source side, ``SampleCountF`` of the samples. The bins are 1, 2, 3 to
    4, 5 to 8, and so on: ``Count:CountEF:1``, ``Count:CountEF:2``, ``Count:CountEF:3-4``; the last is
    ``Count:CountEF:129+``. A rule without a count, such as a glue rule, fires nothing.

    Parameters
    ----------
    counts : sequence of str
        Features of the grammar.
    bins : int
        Number of bins of a count, 1 to 50.
    """

    fires: ClassVar[tuple[str, ...]] = ("Count:*:*",)

    counts: Sequence[str] = ("CountEF", "SampleCountF")
    bins: int = 9

    def prepare(self) -> None:
        """Check the arguments."""
        if isinstance(self.counts, str) or not all(self.counts):
            raise PluginError(f"RuleCounts: counts must be a sequence of names, got {self.counts!r}")
        if not 1 <= self.bins <= 50:
            raise PluginError(f"RuleCounts: bins must be 1 to 50, got {self.bins}")

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each rule."""
        numbers = np.zeros((len(self.counts), len(rules)))
        for row, name in zip(numbers, self.counts, strict=True):
            row[:] = rules.feature_values(name)
        counts = np.rint(10.0 ** np.clip(numbers, 0, _MOST) - 1)
        bins = np.ceil(np.log2(np.maximum(counts, 1))).astype(np.int64)
        columns = np.minimum(bins, self.bins - 1) + self.bins * np.arange(len(self.counts))[:, None]
        fires = (counts > 0).T
        indptr = np.concatenate(([0], np.cumsum(fires.sum(axis=1)))).astype(np.int32)
        chosen = columns.T[fires].astype(np.int32)
        return FeatureTable(self._names, indptr, chosen, np.ones(len(chosen)))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(f"Count:{name}:{self._bin(k)}" for name in self.counts for k in range(self.bins))

    def _bin(self, number: int) -> str:
        """Name the bin of the counts above 2^(number - 1), up to 2^number."""
        first, last = (1, 1) if number == 0 else (2 ** (number - 1) + 1, 2**number)
        if number == self.bins - 1:
            return f"{first}+"
        return str(first) if first == last else f"{first}-{last}"

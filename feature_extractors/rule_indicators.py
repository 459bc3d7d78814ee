"""One feature for each rule (Flanigan, Dyer and Carbonell 2013; cdec's ``RuleIdentityFeatures``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from hopefear.plugins import FeatureTable, PluginError, RuleBatch, RuleFeatures, name_fault
from hopefear.plugins.names import name_hash

from .keyed import one_each

_MOST_BITS = 63


@dataclass(kw_only=True, eq=False)
class RuleIndicators(RuleFeatures):
    """A binary feature for each rule, under cdec's name.

    ``[X] ||| [X,1] de [X,2] ||| [2] 's [1]`` fires ``R:X:NX_de_NX:N2_'s_N1``; equal signs and semicolons turn
    into underscores. Glue and pass-through rules fire too, as in cdec. Rules that differ only in their
    feature values share one feature.

    Parameters
    ----------
    prefix : str
        Prefix of every name.
    bits : int
        If above 0, rules share 2**bits features, such as ``R#1a2b``: the number is the lowest bits of the
        name's 8-byte BLAKE2b digest, read as little-endian (name without prefix), the same in every process.
    """

    fires: ClassVar[tuple[str, ...]] = ("R:*", "R#*")

    prefix: str = ""
    bits: int = 0

    def prepare(self) -> None:
        """Check the arguments."""
        if self.prefix and (fault := name_fault(self.prefix)):
            raise PluginError(f"RuleIndicators: prefix {fault}, got {self.prefix!r}")
        if not 0 <= self.bits <= _MOST_BITS:
            raise PluginError(f"RuleIndicators: bits must be 0 to {_MOST_BITS}, got {self.bits}")

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row with one name for each rule."""
        names: Sequence[str] = rules.indicator_names("" if self.bits else self.prefix)
        if self.bits:
            names = tuple(map(self._hashed, names))
        return one_each(names)

    def _hashed(self, name: str) -> str:
        return f"{self.prefix}R#{name_hash(name, self.bits)}"

"""`RuleStrings`: the strings of rules, for `NgramFeatures`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear._native import name_part_fault
from hopefear.base import PluginError

from .table import array_fault, as_int32


@dataclass(frozen=True, slots=True, eq=False)
class RuleStrings:
    """The strings of R rules over units and nonterminals.

    Attributes
    ----------
    units : sequence of str, or of tuples of str
        Texts of U units, without white space; a tuple if a unit has several texts, all tuples of the same
        length. Equal units are one unit. The engine numbers the units of a growing table, such as a
        `WordTable`, once.
    indptr : array of int32, shape (R + 1,)
        The string of rule r is ``symbols[indptr[r]:indptr[r + 1]]``.
    symbols : array of int32
        An index into `units`, or -1 - k for the rule's nonterminal of index k, which may occur at most once.
    """

    units: Sequence[str] | Sequence[tuple[str, ...]]
    indptr: NDArray[np.int32]
    symbols: NDArray[np.int32]

    def __post_init__(self) -> None:
        for name in ("indptr", "symbols"):
            object.__setattr__(self, name, as_int32(getattr(self, name)))

    def __repr__(self) -> str:
        """Show the numbers of rules, symbols and units."""
        units = len(self.units) if isinstance(self.units, Sequence) else "no"
        rules = np.size(self.indptr) - 1
        return f"<RuleStrings: {rules} rules, {np.size(self.symbols)} symbols, {units} units>"

    def check(self, n_rules: int, plugin_name: str) -> None:
        """Refuse strings that the engine cannot use.

        Raises
        ------
        PluginError
            An array has a wrong type, shape or value, or a text cannot be a part of a feature name.
        """
        fault = self._fault(n_rules)
        if fault:
            raise PluginError(f"{plugin_name}: {fault}")

    def _fault(self, n_rules: int) -> str | None:
        for name, array in (("indptr", self.indptr), ("symbols", self.symbols)):
            if fault := array_fault(name, array, np.int32):
                return fault
        indptr = self.indptr
        if indptr.size != n_rules + 1:
            return (
                f"indptr must have {n_rules + 1} elements, one more than there are rules, got {indptr.size}"
            )
        if indptr[0] != 0 or indptr[-1] != self.symbols.size or (indptr[1:] < indptr[:-1]).any():
            return f"indptr must ascend from 0 to the size of symbols, {self.symbols.size}"
        if self.symbols.size and int(self.symbols.max()) >= len(self.units):
            return f"symbols must be below {len(self.units)}, the number of units, got {self.symbols.max()}"
        if isinstance(self.units, str):
            return f"units must be a sequence of texts, got a single string: {self.units!r}"
        texts = [unit if isinstance(unit, tuple) else (unit,) for unit in self.units]
        if len({len(unit) for unit in texts}) > 1:
            return "units must all have the same number of texts"
        for unit in texts:
            for text in unit:
                if not isinstance(text, str):
                    return f"a unit's text must be str, got {text!r}"
                if fault := name_part_fault(text):
                    return f"a unit's text {fault}, got {text!r}"
        return None

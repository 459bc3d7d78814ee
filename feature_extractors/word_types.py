"""Base of families over words of both sides: the types of words in names, and the links of rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import Plugin, RuleBatch, TokenType, WordTable, growing

from .keyed import check_choice, owners


@dataclass(kw_only=True, eq=False)
class WordTypes(Plugin):
    """The parameters that define how words are written.

    Parameters
    ----------
    types : sequence of TokenType or str
        Types of source and target words: ``surface``, ``prefix``, ``suffix``, ``digits``, ``class:FILE``,
        ``pos:FILE``.
    source_types, target_types : sequence of TokenType or str, optional
        Types of one side; `types` if not given.
    combine : {"same", "all"}
        Whether a source type is combined with the same target type or with all target types.
    """

    types: Sequence[TokenType | str] = ("surface",)
    source_types: Sequence[TokenType | str] | None = None
    target_types: Sequence[TokenType | str] | None = None
    combine: Literal["same", "all"] = "same"

    def prepare(self) -> None:
        """Check the arguments and read the files of classes."""
        check_choice(self, "combine", "same", "all")
        super().prepare()

    @growing
    def _source(self) -> WordTable:
        return WordTable(self.types if self.source_types is None else self.source_types)

    @growing
    def _target(self) -> WordTable:
        return WordTable(self.types if self.target_types is None else self.target_types)

    def _links(self, rules: RuleBatch) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Number the source and the target word of each link of the rules' alignments, (A,) each."""
        rule = owners(rules.alignment_indptr)
        places = rules.source_indptr[rule] + rules.alignment[:, 0]
        others = rules.target_indptr[rule] + rules.alignment[:, 1]
        return self._source.ids(rules, rules.source[places]), self._target.ids(rules, rules.target[others])

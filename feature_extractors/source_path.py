"""Words and bigrams along a derivation's source side (cdec's ``SourcePathFeatures``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    NameForm,
    Segment,
    TokenType,
    WordNames,
    WordTable,
    growing,
)
from hopefear.plugins.keys import source_steps

from .keyed import tokens_of

_FORMS = NameForm("SU:", "second"), NameForm("SB:")


@dataclass(kw_only=True, eq=False)
class SourcePath(EdgeFeatures):
    """Words and bigrams of a rule's source side, under the names of cdec's ``SourcePathFeatures``.

    ``SU:f`` fires for each source word of the rule, and ``SB:f_g`` for each pair of neighbours on its source
    side, where a nonterminal is represented by the last word that it covers: over ``la casa``, ``de``,
    ``papel nuevo`` the rule ``[X,1] de [X,2]`` fires ``SU:de``, ``SB:casa_de`` and ``SB:de_nuevo``. Values
    are counts. cdec keeps that last word in the state of its search; here the spans give it, so this is an
    edge feature. Equal signs and semicolons turn into underscores; in these features only, cdec keeps them.

    Parameters
    ----------
    types : sequence of TokenType or str
        How words are written; each type has its own features, equal names fire once.

    Raises
    ------
    InputError
        In `fire`: the segment is a lattice.
    """

    fires: ClassVar[tuple[str, ...]] = ("SU:*", "SB:*")

    types: Sequence[TokenType | str] = ("surface",)

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each group of edges, which all rules of one source side share."""
        words = self._words.numbers(tokens_of(segment, "SourcePath"))
        indptr, previous, place = source_steps(edges.groups)
        is_pair = previous >= 0
        keys = self._names.keys(words[previous] * is_pair, words[place], is_pair)
        starts, columns = self._names.columns(keys)
        row = edges.group.astype(np.int32)
        return FeatureTable(self._names, starts[indptr], columns, np.ones(len(columns)), row)

    @growing
    def _words(self) -> WordTable:
        return WordTable(self.types)

    @growing
    def _names(self) -> WordNames:
        return WordNames(_FORMS, self._words, self._words)

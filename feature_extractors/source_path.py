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
    NameTable,
    Segment,
    TokenType,
    WordTable,
    growing,
)
from hopefear.plugins.keys import ranges

from .keyed import keyed_table, owners, tokens_of

_SHIFT = 31


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

    def prepare(self) -> None:
        """Check the types and read their files."""
        _ = self._words

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each group of edges, which all rules of one source side share."""
        words = self._words.numbers(tokens_of(segment, "SourcePath")).astype(np.int64) + 1
        groups = edges.groups
        begin, end = groups.span.T
        tail_indptr = groups.tail_indptr
        owner = owners(tail_indptr)
        tail_begin, tail_end = groups.tail_span.T
        # The rule's own words are in gaps: before, between and after the tails.
        gap_indptr = tail_indptr + np.arange(len(tail_indptr), dtype=np.int32)
        gap_begin, gap_end = np.empty((2, gap_indptr[-1]), np.int32)
        before = np.arange(len(owner)) + owner  # the gap before each tail
        gap_begin[gap_indptr[:-1]], gap_end[before] = begin, tail_begin
        gap_begin[before + 1], gap_end[gap_indptr[1:] - 1] = tail_end, end
        word_indptr, places = ranges(gap_begin, gap_end)
        group = owners(word_indptr[gap_indptr])
        # A word or a tail follows the word or tail that ends where it begins.
        step_group = np.concatenate([group, owner])
        step_begin, step_end = np.concatenate([[places, places + 1], [tail_begin, tail_end]], axis=1)
        follows = np.flatnonzero(step_begin > begin[step_group])
        bigrams = words[step_begin[follows] - 1] << _SHIFT | words[step_end[follows] - 1]
        rows = np.concatenate([group, step_group[follows]])
        keys = np.concatenate([words[places], bigrams])
        return keyed_table(self._names, len(groups), rows, keys, edges.group.astype(np.int32))

    @growing
    def _words(self) -> WordTable:
        return WordTable(self.types)

    @growing
    def _names(self) -> NameTable:
        return NameTable(self._names_of)

    def _names_of(self, key: int) -> Sequence[str]:
        previous, word = key >> _SHIFT, key & (1 << _SHIFT) - 1
        texts = self._words.texts(word - 1)
        if not previous:
            return tuple(dict.fromkeys(f"SU:{text}" for text in texts))
        pairs = zip(self._words.texts(previous - 1), texts, strict=True)
        return tuple(dict.fromkeys(f"SB:{left}_{right}" for left, right in pairs))

"""The source words at the borders of a rule's span (cdec's ``SpanFeatures``, ff_spans.cc)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    NameTable,
    RuleBatch,
    Segment,
    TokenType,
    WordTable,
    growing,
    span_numbers,
)
from hopefear.plugins.keys import edge_uses
from hopefear.plugins.word_classes import read_classes

from .keyed import rules_of, tokens_of
from .span_size import size_bins

_KINDS = ("BS:", "ES:", "BBI:", "EBI:", "S:", "LS:", "S_S:", "S_LS:")
_BS, _ES, _BBI, _EBI, _S, _LS, _S_S, _ = range(len(_KINDS))
_WORD = 27  # bits of a word in a key
_BIN = 5
_BORDER = 0  # the code of BOS and EOS


@dataclass(kw_only=True, eq=False)
class SpanBoundary(EdgeFeatures):
    """The source words around a rule's span, under the names of cdec's ``SpanFeatures``.

    A rule over ``c d e`` in ``a b c d e f`` fires six binary features: ``BS:b`` and ``BBI:b_c`` for its
    begin, ``ES:f`` and ``EBI:e_f`` for its end, ``S:b_f`` and ``LS:3_b_f`` for both, the latter with the bin
    of the span's size (`hopefear.feature_extractors.span_size.size_bins`). For glue rules the last two names
    begin with ``S_``. ``BOS`` is the word before the first word of the sentence, ``EOS`` the word after the
    last. Equal signs and semicolons turn into underscores.

    cdec's second argument, a file of values that collapse the features, is not supported.

    Parameters
    ----------
    classes : Path or str, optional
        A file of word classes, such as cdec's (see `hopefear.plugins.word_classes.read_classes`). The
        features have a word's class in place of the word, ``OOV`` for a word without class.
    types : sequence of TokenType or str
        How words (or their classes) are written; each type has its own features, equal names fire once.
    goal : str
        The category whose rules are the glue rules; always ``S`` in cdec.

    Raises
    ------
    InputError
        In `fire`: the segment is a lattice. cdec takes the first word at each node of a lattice.
    """

    fires: ClassVar[tuple[str, ...]] = tuple(f"{kind}*" for kind in _KINDS)

    classes: Path | str | None = None
    types: Sequence[TokenType | str] = ("surface",)
    goal: str = "S"

    def prepare(self) -> None:
        """Read the classes, check the types and read their files."""
        _ = self._words, self._class_of

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Mark glue rules by 1, other rules by 0."""
        return rules_of(self.goal, rules).astype(np.int32)

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each span of glue rules and for each span of other rules."""
        tokens = tokens_of(segment, "SpanBoundary")
        if self._class_of is not None:
            tokens = tuple(self._class_of.get(token, "OOV") for token in tokens)
        side = edges.source_length + 1
        row, glue, span = edge_uses(edges, span_numbers(edges))
        begin, end = np.divmod(span, side)
        words = np.full(len(tokens) + 2, _BORDER, np.int64)
        words[1:-1] = self._words.numbers(tokens) + 1
        left, right = words[:-1] << _WORD, words[1:]  # the neighbours of each place between two words
        size = size_bins(side)[end - begin].astype(np.int64) << 2 * _WORD
        kind = np.arange(len(_KINDS)) << 2 * _WORD + _BIN
        glue *= _S_S - _S
        keys = [
            kind[_BS] | left[begin],
            kind[_ES] | right[end],
            kind[_BBI] | left[begin] | right[begin],
            kind[_EBI] | left[end] | right[end],
            kind[_S + glue] | left[begin] | right[end],
            kind[_LS + glue] | size | left[begin] | right[end],
        ]
        indptr, columns = self._names.columns(np.stack(keys, axis=1).ravel())
        starts = np.ascontiguousarray(indptr[:: len(keys)])
        return FeatureTable(self._names, starts, columns, np.ones(len(columns)), row)

    @growing
    def _words(self) -> WordTable:
        return WordTable(self.types)

    @cached_property
    def _class_of(self) -> dict[str, str] | None:
        return None if self.classes is None else read_classes(self.classes)

    @growing
    def _names(self) -> NameTable:
        return NameTable(self._names_of)

    def _names_of(self, key: int) -> Sequence[str]:
        kind, size = key >> 2 * _WORD + _BIN, key >> 2 * _WORD & (1 << _BIN) - 1
        left = self._texts(key >> _WORD & (1 << _WORD) - 1, "BOS")
        right = self._texts(key & (1 << _WORD) - 1, "EOS")
        if kind == _BS:
            texts: Sequence[str] = left
        elif kind == _ES:
            texts = right
        else:
            texts = [f"{a}_{b}" for a, b in zip(left, right, strict=True)]
        start = f"{_KINDS[kind]}{size}_" if size else _KINDS[kind]  # no span is empty
        names = [start + text for text in texts]
        return names if len(names) == 1 else tuple(dict.fromkeys(names))

    def _texts(self, code: int, border: str) -> Sequence[str]:
        return self._words.texts(code - 1) if code != _BORDER else (border,) * len(self._words.types)

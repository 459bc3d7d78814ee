"""The source words at the borders of a rule's span (cdec's ``SpanFeatures``, ff_spans.cc)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hopefear.base.lines import each_line
from hopefear.base.texts import split_words
from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    InputError,
    NameForm,
    RuleBatch,
    Segment,
    TokenType,
    WordNames,
    growing,
    span_numbers,
)
from hopefear.plugins.keys import edge_uses
from hopefear.plugins.word_classes import read_classes

from .keyed import owners, rules_of, tokens_of
from .span_size import size_bins
from .units import UnitTable

_KINDS = ("BS:", "ES:", "BBI:", "EBI:", "S:", "LS:", "S_S:", "S_LS:")
_BS, _ES, _BBI, _EBI, _S, _LS, _S_S, _S_LS = range(len(_KINDS))
_SUMS = "SpanBegin", "SpanEnd", "SSpanContext", "XSpanContext"
_BINS = 32  # of the sizes of spans
_ONE_WORD: dict[int, Literal["first", "second"]] = {_BS: "first", _ES: "second"}


def _forms() -> list[NameForm]:
    """List the forms of names by kind and size; only `_LS` and `_S_LS` tell the size."""
    return [
        NameForm(f"{text}{size}_" if kind in (_LS, _S_LS) else text, _ONE_WORD.get(kind, "both"))
        for kind, text in enumerate(_KINDS)
        for size in range(_BINS)
    ]


@dataclass(kw_only=True, eq=False)
class SpanBoundary(EdgeFeatures):
    """The source words around a rule's span, under the names of cdec's ``SpanFeatures``.

    A rule over ``c d e`` in ``a b c d e f`` fires six binary features: ``BS:b`` and ``BBI:b_c`` for its
    begin, ``ES:f`` and ``EBI:e_f`` for its end, ``S:b_f`` and ``LS:3_b_f`` for both, the latter with the bin
    of the span's size (`hopefear.feature_extractors.span_size.size_bins`). For glue rules the last two names
    begin with ``S_``. ``BOS`` is the word before the first word of the sentence, ``EOS`` the word after the
    last. Equal signs and semicolons turn into underscores.

    Parameters
    ----------
    classes : Path or str, optional
        A file of word classes, such as cdec's (see `hopefear.plugins.word_classes.read_classes`). The
        features have a word's class in place of the word, ``OOV`` for a word without class.
    values : Path or str, optional
        A file with lines ``name value``. Four features fire in place of the others, with sums of their
        values, 0 for a name that is not in the file: ``SpanBegin`` of ``BS`` and ``BBI``, ``SpanEnd`` of
        ``ES`` and ``EBI``, ``XSpanContext`` of ``S`` and ``LS``, or for glue rules ``SSpanContext``.
    types : sequence of TokenType or str
        How words (or their classes) are written; each type has its own features, equal names fire once.
    goal : str
        The category whose rules are the glue rules; always ``S`` in cdec.

    Raises
    ------
    InputError
        In `fire`: the segment is a lattice. cdec takes the first word at each node of a lattice.
    """

    fires: ClassVar[tuple[str, ...]] = (*(f"{kind}*" for kind in _KINDS), *_SUMS)

    classes: Path | str | None = None
    values: Path | str | None = None
    types: Sequence[TokenType | str] = ("surface",)
    goal: str = "S"

    def prepare(self) -> None:
        """Read the classes and the values, check the types and read their files."""
        _ = self._class_of, self._value_of
        super().prepare()

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
        bos, eos = self._words.marks(("BOS", "EOS"))
        words = np.concatenate([[bos], self._words.numbers(tokens), [eos]])
        left, right = words[:-1], words[1:]  # the neighbours of each place between two words
        size = size_bins(side)[end - begin]
        form = _BINS * np.arange(len(_KINDS))
        glue *= _S_S - _S
        key = self._names.keys
        keys = [
            key(left[begin], 0, form[_BS]),
            key(0, right[end], form[_ES]),
            key(left[begin], right[begin], form[_BBI]),
            key(left[end], right[end], form[_EBI]),
            key(left[begin], right[end], form[_S + glue]),
            key(left[begin], right[end], form[_LS + glue] + size),
        ]
        indptr, columns = self._names.columns(np.stack(keys, axis=1).ravel())
        if self._value_of is not None:
            sums = self._sums(indptr, columns).reshape(-1, len(keys))
            context = sums[:, 4] + sums[:, 5]
            pairs = [
                sums[:, 0] + sums[:, 2],
                sums[:, 1] + sums[:, 3],
                context * (glue > 0),
                context * (glue == 0),
            ]
            return FeatureTable.from_dense(_SUMS, np.stack(pairs, axis=1), row)
        starts = np.ascontiguousarray(indptr[:: len(keys)])
        return FeatureTable(self._names, starts, columns, np.ones(len(columns)), row)

    def _sums(self, indptr: NDArray[np.int32], columns: NDArray[np.int32]) -> NDArray[np.float64]:
        """Add the values of the names of each key."""
        values = self._value_of or {}
        distinct, at = np.unique(columns, return_inverse=True)
        value = np.array([values.get(self._names[column], 0.0) for column in distinct.tolist()])
        sums = np.zeros(len(indptr) - 1)
        np.add.at(sums, owners(indptr), value[at])
        return sums

    @growing
    def _words(self) -> UnitTable:
        return UnitTable(self.types)

    @cached_property
    def _class_of(self) -> dict[str, str] | None:
        return None if self.classes is None else read_classes(self.classes)

    @cached_property
    def _value_of(self) -> dict[str, float] | None:
        if self.values is None:
            return None
        values: dict[str, float] = {}
        for number, line in enumerate(each_line(self.values), 1):
            if line and not line.startswith("#"):
                try:
                    name, value = split_words(line)
                    values[name] = float(value)
                except ValueError:
                    message = f"expected a name and a value, got {line[:80]!r}"
                    raise InputError(message, path=self.values, line=number) from None
        return values

    @growing
    def _names(self) -> WordNames:
        return WordNames(_forms(), self._words, self._words)

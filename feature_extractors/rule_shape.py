"""The shape of a rule (cdec's ff_ruleshape.cc; Simianer, Riezler and Dyer 2012)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base.lines import each_line
from hopefear.base.texts import split_words
from hopefear.plugins import (
    FeatureTable,
    InputError,
    NameTable,
    PluginError,
    RuleBatch,
    RuleFeatures,
    growing,
)

from .keyed import one_each, owners

_WIDTH = 5  # digits of a side with two nonterminals
_BITS = 29  # maximal number of digits of a side


@dataclass(kw_only=True, eq=False)
class RuleShape(RuleFeatures):
    """The pattern of words and nonterminals of a rule, optionally with the words' classes.

    Without arguments it fires the features of cdec's ``RuleShape``: ``Shape_S`` and five digits for the
    source side, ``_T`` and five digits for the target side. The digits are 1 if the side has: words before
    the first nonterminal, the first nonterminal, words after it, the second nonterminal, words after the
    second. ``[X] ||| [X,1] de [X,2] ||| [2] 's [1]`` fires ``Shape_S01110_T01110``. A rule with more than two
    nonterminals, which cdec does not support, has two more digits per side for each.

    With a file of word classes for one or both sides it fires the features of cdec's ``RuleShape2``: ``RS:``,
    the source side, ``__``, the target side, such as ``RS:NT_c7_NT__NT_c3_NT``. A nonterminal is ``NT``, a
    word is its class or ``<unk>``, and a side without a file is left out.

    Parameters
    ----------
    e_classes, f_classes : Path or str, optional
        Files of the classes of target (e) and source (f) words, with lines ``CLASS WORD`` or ``CLASS WORD
        FREQUENCY``, plain or gzip. cdec's ``-e`` and ``-f``.
    prefix_size : int
        Number of first letters of a class's name to keep, for paths of Brown clusters; 0 for all. cdec's
        ``-p``.
    """

    fires: ClassVar[tuple[str, ...]] = ("Shape_*", "RS:*")

    e_classes: Path | str | None = None
    f_classes: Path | str | None = None
    prefix_size: int = 0

    def prepare(self) -> None:
        """Check the arguments and read the classes."""
        if self.prefix_size < 0:
            raise PluginError(f"RuleShape: prefix_size must be 0 or more, got {self.prefix_size}")
        if self.prefix_size and not self._has_classes:
            raise PluginError("RuleShape: prefix_size needs a file of word classes")
        _ = self._source_classes, self._target_classes

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Fire one feature for each rule."""
        if self._has_classes:
            return one_each(self._class_names(rules))
        arity = np.bincount(owners(rules.source_indptr)[rules.source < 0], minlength=len(rules))
        width = np.maximum(2 * arity + 1, _WIDTH)
        if width.max(initial=0) > _BITS:
            raise PluginError(f"RuleShape: expected at most 14 nonterminals in a rule, got {arity.max()}")
        source = _shape(rules.source_indptr, rules.source < 0)
        target = _shape(rules.target_indptr, rules.target <= 0)
        keys = width << 2 * _BITS | source << _BITS | target
        indptr, columns = self._names.columns(keys)
        return FeatureTable(self._names, indptr, columns, np.ones(len(columns)))

    @property
    def _has_classes(self) -> bool:
        return self.e_classes is not None or self.f_classes is not None

    @growing
    def _names(self) -> NameTable:
        return NameTable(_shape_name)

    @cached_property
    def _source_classes(self) -> dict[str, str] | None:
        return None if self.f_classes is None else _read(self.f_classes, self.prefix_size)

    @cached_property
    def _target_classes(self) -> dict[str, str] | None:
        return None if self.e_classes is None else _read(self.e_classes, self.prefix_size)

    def _class_names(self, rules: RuleBatch) -> tuple[str, ...]:
        sides = (
            (self._source_classes, rules.source_indptr, rules.source),
            (self._target_classes, rules.target_indptr, rules.target),
        )
        texts = [
            _class_texts(rules, indptr, symbols, classes)
            for classes, indptr, symbols in sides
            if classes is not None
        ]
        return tuple("RS:" + "__".join(parts) for parts in zip(*texts, strict=True))


def _shape(indptr: NDArray[np.int32], is_nonterminal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Set bit 2k for words after k nonterminals, bit 2k + 1 for the nonterminal after these words."""
    rule = owners(indptr)
    before = np.zeros(len(is_nonterminal) + 1, np.int64)
    np.cumsum(is_nonterminal, out=before[1:])
    bit = 2 * (before[:-1] - before[indptr[rule]]) + is_nonterminal
    is_new = np.ones(len(bit), bool)  # false for all words of a run but the first
    is_new[1:] = (bit[1:] != bit[:-1]) | (rule[1:] != rule[:-1])
    bits = np.bincount(rule[is_new], np.ldexp(1.0, bit[is_new]), len(indptr) - 1)
    return bits.astype(np.int64)


def _shape_name(key: int) -> Sequence[str]:
    width = key >> 2 * _BITS
    digits = ["".join(str(bits >> bit & 1) for bit in range(width)) for bits in (key >> _BITS, key)]
    return (f"Shape_S{digits[0]}_T{digits[1]}",)


def _class_texts(
    rules: RuleBatch, indptr: NDArray[np.int32], symbols: NDArray[np.int32], classes: dict[str, str]
) -> list[str]:
    fresh, positions = np.unique(np.maximum(symbols, 0), return_inverse=True)
    class_of = [classes.get(rules.symbol(s), "<unk>") if s else "NT" for s in fresh.tolist()]
    texts = [class_of[k] for k in positions.tolist()]
    ends = indptr.tolist()
    return ["_".join(texts[begin:end]) for begin, end in pairwise(ends)]


def _read(path: Path | str, prefix_size: int) -> dict[str, str]:
    classes = {}
    for number, line in enumerate(each_line(path), 1):
        columns = split_words(line)
        if len(columns) not in (2, 3):
            message = f"expected CLASS WORD or CLASS WORD FREQUENCY, got {line[:80]!r}"
            raise InputError(message, path=path, line=number)
        classes[columns[1]] = columns[0][: prefix_size or None]
    return classes

"""The span sizes of a rule's nonterminals (cdec's ``SourceSpanSizeFeatures``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    NameTable,
    PluginError,
    RuleBatch,
    Segment,
    growing,
)
from hopefear.plugins.keys import SequenceTable, edge_uses, number_keys

from .keyed import owners
from .units import UnitTable

_SHIFT = 5  # bits per bin
_MOST = 5  # maximal number of nonterminals of a rule

# A rule's pattern is a sequence of codes: _KINDS times a number, plus the kind of the number.
_BETWEEN, _WORD, _CATEGORY, _INDEX = range(4)
_KINDS = 4


@lru_cache
def size_bins(longest: int) -> NDArray[np.int32]:
    """Bin sizes as cdec does, ``int(log(size + 1) / log(1.39)) - 1``: 1, 2, 3, 3, 4, 4, 5, 5, 5, 6, ..."""
    bins = [int(math.log(size + 1) / math.log(1.39)) - 1 for size in range(1, longest + 1)]
    array = np.array([0, *bins], np.int32)
    array.flags.writeable = False
    return array


@dataclass(kw_only=True, eq=False)
class SpanSize(EdgeFeatures):
    """The pattern of a rule with the binned sizes of its nonterminals' spans.

    ``[X] ||| [X,1] de [X,2] ||| [2] 's [1]`` over two and eleven source words fires
    ``SSS:[X2]_w_[X6]:[2]_w_[1]``: a nonterminal of the source side is its category and the bin of its size, a
    run of words is ``w``. `size_bins` gives the bins. Rules without nonterminals fire nothing.

    cdec's features of this name contain the words: see `LexicalSpanSize`. In a lattice the size is the
    distance between the nodes.
    """

    fires: ClassVar[tuple[str, ...]] = ("SSS:*",)
    _lexical: ClassVar[bool] = False

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Number the patterns of rules with nonterminals; 0 for others.

        Raises
        ------
        PluginError
            A rule has more than five nonterminals.
        """
        arity = np.bincount(rules.nonterminals[:, 0], minlength=len(rules))
        if arity.max(initial=0) > _MOST:
            message = f"expected at most {_MOST} nonterminals in a rule, got {arity.max()}"
            raise PluginError(f"{type(self).__name__}: {message}")
        is_wide = arity > 0
        if not is_wide.any():  # the usual case for a sentence's own rules
            return np.zeros(len(rules), np.int32)
        source = self._words_of(rules, rules.source)
        at = np.flatnonzero(source < 0)
        source[at] = (
            _KINDS * self._units.marks_of(rules.source[at].astype(np.int64), rules.symbol) + _CATEGORY
        )
        target = self._words_of(rules, rules.target)
        np.copyto(target, _KINDS * -rules.target + _INDEX, where=target < 0)
        parts = [
            self._kept(owners(rules.source_indptr), source, is_wide),
            (np.flatnonzero(is_wide), np.full(np.count_nonzero(is_wide), _BETWEEN, np.int32)),
            self._kept(owners(rules.target_indptr), target, is_wide),
        ]
        rule, codes = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        order = np.argsort(rule, kind="stable")
        return self._patterns.numbers(len(rules), rule[order], codes[order])

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Key each edge by its pattern and its tails' bins."""
        groups = edges.groups
        starts = groups.tail_indptr[:-1]
        arity = groups.tail_indptr[1:] - starts
        most = int(arity.max(initial=0))
        span = groups.tail_span
        size = np.zeros(len(span) + most, np.int32)  # each group reads `most` sizes, even beyond its own
        size_bins(edges.source_length).take(span[:, 1] - span[:, 0], out=size[: len(span)])
        sizes = np.zeros(len(groups), np.int64)
        for k in range(most):
            sizes <<= _SHIFT
            sizes += size[k:].take(starts) * (arity > k)
        sizes <<= _SHIFT * (_MOST - most)
        number, sizes = number_keys(sizes)
        row, pattern, number = edge_uses(edges, number)
        self._write(pattern)
        indptr, columns = self._names.columns(pattern.astype(np.int64) << _SHIFT * _MOST | sizes[number])
        return FeatureTable(self._names, indptr, columns, np.ones(len(columns)), row)

    def _words_of(self, rules: RuleBatch, symbols: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the codes of words; a negative number for a nonterminal."""
        if self._lexical:
            return _KINDS * self._units.ids(rules, symbols) + np.int32(_WORD)
        return np.where(symbols > 0, np.int32(_WORD), np.int32(-1))

    def _kept(
        self, rule: NDArray[np.intp], codes: NDArray[np.int32], is_wide: NDArray[np.bool_]
    ) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Keep the codes of wide rules, and one code for each run of words."""
        keep = is_wide[rule]
        if not self._lexical:
            keep[1:] &= (codes[1:] != _WORD) | (codes[:-1] != _WORD) | (rule[1:] != rule[:-1])
        return rule[keep], codes[keep]

    @growing
    def _units(self) -> UnitTable:
        return UnitTable(("surface",))

    @growing
    def _patterns(self) -> SequenceTable:
        return SequenceTable()

    @growing
    def _texts(self) -> dict[int, Sequence[str]]:
        """The texts of known patterns for names; in a name a bin is between each two texts."""
        return {}

    @growing
    def _names(self) -> NameTable:
        return NameTable(self._names_of)

    def _names_of(self, key: int) -> Sequence[str]:
        pattern = key >> _SHIFT * _MOST
        if not pattern:
            return ()
        name, *rest = self._texts[pattern]
        for k, text in enumerate(rest, 1):
            name += f"{key >> _SHIFT * (_MOST - k) & (1 << _SHIFT) - 1}{text}"
        return (name,)

    def _write(self, patterns: NDArray[np.int32]) -> None:
        """Add the texts of patterns to `_texts`."""
        new = sorted(set(patterns.tolist()).difference(self._texts))
        if not new:
            return
        indptr, codes = self._patterns.items(np.array(new, np.int64))
        fresh, positions = np.unique(codes, return_inverse=True)
        written = [self._written(*divmod(code, _KINDS)) for code in fresh.tolist()]
        texts = [written[k] for k in positions.tolist()]
        for pattern, (begin, end) in zip(new, pairwise(indptr.tolist()), strict=True):
            text = "_".join(texts[begin:end]).replace("_\n_", ":")
            self._texts[pattern] = f"SSS:{text}".split("\t")

    def _written(self, number: int, kind: int) -> str:
        if kind == _BETWEEN:
            return "\n"
        if kind == _INDEX:
            return f"[{number + 1}]"
        text = self._units.texts(number)[0] if self._lexical or kind == _CATEGORY else "w"
        return f"[{text}\t]" if kind == _CATEGORY else text


@dataclass(kw_only=True, eq=False)
class LexicalSpanSize(SpanSize):
    """A rule, with its words, and the sizes of its nonterminals' spans: cdec's ``SourceSpanSizeFeatures``.

    ``[X] ||| [X,1] de [X,2] ||| [2] 's [1]`` over two and eleven source words fires
    ``SSS:[X2]_de_[X6]:[2]_'s_[1]``; see `SpanSize` for the notation. Nearly every rule of a sentence fires
    several features that no other sentence has: this family costs the most time and memory. If a rule can
    split a span in several ways, such as a glue rule, cdec names all of them after the first split that it
    finds; and cdec keeps equal signs and semicolons, which turn into underscores here.
    """

    _lexical: ClassVar[bool] = True

"""Dependencies between a rule's source words and the heads in its nonterminals (Watanabe et al. 2007)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hopefear.base.lines import each_line
from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    InputError,
    PairNames,
    PluginError,
    RuleBatch,
    Segment,
    TokenType,
    WordTable,
    growing,
)
from hopefear.plugins.keys import SequenceTable, edge_uses, number_keys, ranges

from .keyed import check_choice, linked_words, owners, tokens_of


@dataclass(kw_only=True, eq=False)
class Hierarchical(EdgeFeatures):
    """Which source words of a rule combine with which head words in its nonterminals.

    After the hierarchical features of Watanabe, Suzuki, Tsukada and Isozaki (2007), "Online large-margin
    training for statistical machine translation": ``Hier:f_h`` fires for each source word f of a rule and the
    head h of each of its nonterminals' spans, "only for those source words aligned with at least one word in
    the target side"; the value is the number of these pairs. With several types it fires for each pair of
    types; equal names fire once.

    A head depends only on the source span of the nonterminal, not on the derivation below: the features are
    exact at the level of edges, without a state in the search. `HierarchicalRules` has the words of the rule
    that fills the nonterminal in place of the head.

    Parameters
    ----------
    types : sequence of TokenType or str
        How words are written: ``surface``, ``prefix``, ``suffix``, ``digits``, ``class:FILE``, ``pos:FILE``.
    combine : {"same", "all"}
        Whether a type of f is combined with the same type of h or with all types of h.
    heads : {"dependencies", "content"}
        The definition of a span's head. "dependencies": the first word whose governor in the segment's
        dependency parse is not in the span; a constituent has only one such word. "content": the first
        content word, which has a letter or a digit and is not a function word, or else the first word.
    function_words : Path or str, optional
        A file with one function word per line, plain or gzip, for ``content``.
    """

    fires: ClassVar[tuple[str, ...]] = ("Hier:*_*",)

    types: Sequence[TokenType | str] = ("surface",)
    combine: Literal["same", "all"] = "same"
    heads: Literal["dependencies", "content"] = "dependencies"
    function_words: Path | str | None = None

    def prepare(self) -> None:
        """Check the arguments and read the files of classes and function words."""
        check_choice(self, "combine", "same", "all")
        check_choice(self, "heads", "dependencies", "content")
        if self.function_words is not None and self.heads != "content":
            raise PluginError("Hierarchical: function_words needs heads to be content")
        _ = self._function_words
        super().prepare()

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Number the aligned source words of rules with nonterminals."""
        linked = linked_words(rules)
        has_nonterminals = np.zeros(len(rules), bool)
        has_nonterminals[rules.nonterminals[:, 0]] = True
        linked &= np.repeat(has_nonterminals, rules.source_indptr[1:] - rules.source_indptr[:-1])
        words = self._words.ids(rules, rules.source[linked])
        return self._governors.numbers(len(rules), owners(rules.source_indptr)[linked], words)

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each combination of a sequence of aligned words and heads."""
        tokens = tokens_of(segment, "Hierarchical")
        groups = edges.groups
        starts = groups.tail_indptr[:-1]
        arity = groups.tail_indptr[1:] - starts
        widest, base = int(arity.max(initial=0)), len(tokens) + 1
        if base**widest >= 1 << 63:
            message = f"{len(tokens)} words are too many for a rule of {widest} nonterminals"
            raise PluginError(f"Hierarchical: sentence {segment.number}: {message}")
        # The number from 1 of each tail's head; some extra entries, for edges with fewer tails.
        place = groups.tail_span[:, 0] * base + groups.tail_span[:, 1]
        head = np.zeros(len(place) + widest, np.int64)
        np.take(self._heads(tokens, segment).ravel() + 1, place, out=head[: len(place)])
        key = np.zeros(len(groups), np.int64)
        for k in range(widest):
            key *= base
            key += head[k:].take(starts) * (arity > k)
        number, distinct = number_keys(key)
        row, governors, number = edge_uses(edges, number)
        # For each row, each word of its sequence with each of its heads.
        heads = (distinct[:, None] // base ** np.arange(widest)[::-1] % base)[number]
        at, which = np.nonzero(heads)
        begins, words = self._governors.items(governors.astype(np.int64))
        word_begins, places = ranges(begins[at], begins[at + 1])
        governed = self._words.numbers(tokens)[heads[at, which] - 1]
        name_begins, columns = self._names.columns(words[places], np.repeat(governed, np.diff(word_begins)))
        indptr = name_begins[word_begins[np.searchsorted(at, np.arange(len(number) + 1))]]
        return FeatureTable(self._names, indptr, columns, np.ones(len(columns)), row)

    def _heads(self, tokens: Sequence[str], segment: Segment) -> NDArray[np.int64]:
        if self.heads == "content":
            return heads_by_content(tokens, self._function_words)
        heads = segment.dependencies
        if heads is None or len(heads) != len(tokens) or not all(0 <= head <= len(tokens) for head in heads):
            got = "none" if heads is None else " ".join(map(str, heads))
            message = f"sentence {segment.number}: expected dependencies of {len(tokens)} words, got {got}"
            raise InputError(f"Hierarchical: {message}", path=segment.where)
        return heads_by_parse(heads)

    @cached_property
    def _function_words(self) -> frozenset[str]:
        return frozenset() if self.function_words is None else frozenset(each_line(self.function_words))

    @growing
    def _words(self) -> WordTable:
        return WordTable(self.types)

    @growing
    def _governors(self) -> SequenceTable:
        return SequenceTable()

    @growing
    def _names(self) -> PairNames:
        return PairNames("Hier:", self._words, self._words, self.combine)


def heads_by_parse(dependencies: Sequence[int]) -> NDArray[np.int64]:
    """Find the first word of each span whose governor is outside the span; a parse has no cycles."""
    n = len(dependencies)
    heads = np.zeros((n + 1, n + 1), np.int64)
    for word in reversed(range(n)):  # the first word of a span is written last
        governor = dependencies[word] - 1
        begin = governor + 1 if governor < word else 0
        end = governor if governor > word else n
        heads[begin : word + 1, word + 1 : end + 1] = word
    return heads


def heads_by_content(tokens: Sequence[str], function_words: Collection[str]) -> NDArray[np.int64]:
    """Find the first word of each span with a letter or digit that is no function word, else the first."""
    n = len(tokens)
    heads = np.repeat(np.arange(n + 1)[:, None], n + 1, axis=1)
    for word in reversed(range(n)):
        if tokens[word] not in function_words and any(map(str.isalnum, tokens[word])):
            heads[: word + 1, word + 1 :] = word
    return heads

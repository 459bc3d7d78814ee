"""The arguments of plugins: batches of rules, the edges of a forest, and the segment.

The classes are protocols: the engine's native objects have these attributes, and so may objects of a test.
All arrays are read-only, because several plugins get the same arrays; writing to an array raises ValueError.
Arrays that are views of the engine's memory are valid during the call only. A plugin that changes or keeps an
array must copy it. ``source`` and ``target`` of several rules are concatenated: those of rule r are at
``indptr[r]:indptr[r + 1]``. The same holds for alignments and tails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear.base.read_only import read_only


class RuleBatch(Protocol):
    """R rules of a grammar, glue and pass-through rules included."""

    @property
    def ids(self) -> NDArray[np.int32]:
        """(R,) the rules' numbers, as in `EdgeBatch.rule`."""

    @property
    def lhs(self) -> NDArray[np.int32]:
        """(R,) the left-hand side's category, > 0; its text is ``symbol(-lhs)``."""

    @property
    def source_indptr(self) -> NDArray[np.int32]:
        """(R + 1,) start of each rule's source side."""

    @property
    def source(self) -> NDArray[np.int32]:
        """Source symbols: a word is > 0, a nonterminal of category c is -c."""

    @property
    def target_indptr(self) -> NDArray[np.int32]:
        """(R + 1,) start of each rule's target side."""

    @property
    def target(self) -> NDArray[np.int32]:
        """Target symbols: a word is > 0, a nonterminal is minus its index in source order: 0, -1, ..."""

    @property
    def alignment_indptr(self) -> NDArray[np.int32]:
        """(R + 1,) start of each rule's word alignment."""

    @property
    def alignment(self) -> NDArray[Any]:
        """(A, 2) integers: source and target position of each link between words, nonterminals counted."""

    @property
    def nonterminals(self) -> NDArray[np.int32]:
        """(N, 5) the pairs of linked nonterminals, by rule and in source order.

        Rule of this batch, index in the rule, source and target position, and 1 where the pair's link crosses
        that of another pair of the rule or a link of its word alignment, else 0.
        """

    @property
    def vocabulary(self) -> int:
        """Number of the vocabulary: batches of one vocabulary agree on words below `first_own_symbol`."""

    @property
    def first_own_symbol(self) -> int:
        """Words from this number on belong to the sentence; in another sentence they are other words."""

    def symbol(self, symbol: int, /) -> str:
        """Give the text of a word (> 0) or of a category c (as -c)."""

    def feature_values(self, name: str, /) -> NDArray[np.float64]:
        """Give each rule's value, shape (R,), of a feature of the grammar; 0 for rules without it."""

    def indicator_names(self, prefix: str = "") -> Sequence[str]:
        """Name each rule as cdec's ``RuleIdentityFeatures`` does, such as ``R:X:NX_de_NX:N2_'s_N1``.

        After the prefix come ``R``, the left-hand side, the source side and the target side, separated by
        ``:``; the symbols of a side are separated by ``_``. A nonterminal is ``N`` and its category on the
        source side, ``N`` and its index from 1 on the target side. ``=`` and ``;`` are replaced by ``_``.
        """

    def __len__(self) -> int: ...


class EdgeGroups(Protocol):
    """Groups of edges with the same head, the same tails and the same source side of the rule."""

    @property
    def head_category(self) -> NDArray[np.int32]:
        """(G,) the head's category, > 0."""

    @property
    def span(self) -> NDArray[np.int32]:
        """(G, 2) the head's source span [i, j)."""

    @property
    def tail_indptr(self) -> NDArray[np.int32]:
        """(G + 1,) index of a group's first tail."""

    @property
    def tail_span(self) -> NDArray[np.int32]:
        """(T, 2) the tails' source spans, as in `EdgeBatch`."""

    def __len__(self) -> int: ...


class EdgeBatch(Protocol):
    """The E edges of a translation forest; those of one head are neighbours.

    The edge into the goal node is not included, because cdec's stateless features do not fire on it. Features
    that do not depend on a rule's target side are computed faster by group, because there are several times
    fewer groups than edges; `hopefear.plugins.keys.edge_uses` combines rules and groups.
    """

    @property
    def rule(self) -> NDArray[np.int32]:
        """(E,) rule numbers."""

    @property
    def attribute(self) -> NDArray[np.int32]:
        """(E,) this plugin's `rule_attributes` of the edge's rule; zeros without this method."""

    @property
    def head_category(self) -> NDArray[np.int32]:
        """(E,) the head's category, > 0."""

    @property
    def span(self) -> NDArray[np.int32]:
        """(E, 2) the head's source span [i, j)."""

    @property
    def tail_indptr(self) -> NDArray[np.int32]:
        """(E + 1,) index of an edge's first tail."""

    @property
    def tail_span(self) -> NDArray[np.int32]:
        """(T, 2) the tails' source spans [i, j), i < j, in source order of the rule's nonterminals."""

    @property
    def group(self) -> NDArray[np.int64]:
        """(E,) the number of each edge's group in `groups`, in ascending order."""

    @property
    def groups(self) -> EdgeGroups:
        """The groups of edges."""

    @property
    def source_length(self) -> int:
        """Number of words in the sentence, or of nodes minus one in a lattice; the largest end of a span."""

    def __len__(self) -> int: ...


class StateBatch(Protocol):
    """E edges during the search, each with the states of one derivation at its tails.

    Unlike `EdgeBatch`, the batch may include the edge into the goal node, which completes the derivation.
    """

    @property
    def edge(self) -> NDArray[np.int32]:
        """(E,) numbers of edges of the translation forest."""

    @property
    def local_rule(self) -> NDArray[np.int32]:
        """(E,) index into the rules that `StateFeatures.begin` got; -1 at the goal."""

    @property
    def span(self) -> NDArray[np.int32]:
        """(E, 2) the head's source span [i, j)."""

    @property
    def is_goal(self) -> NDArray[np.bool_]:
        """(E,) whether the head is the goal: one tail, no rule."""

    @property
    def tail_indptr(self) -> NDArray[np.int32]:
        """(E + 1,) index of an edge's first tail."""

    @property
    def tail_span(self) -> NDArray[np.int32]:
        """(T, 2) the tails' source spans, in source order of the rule's nonterminals."""

    @property
    def tail_state(self) -> NDArray[np.int64]:
        """(T, state_size) the tails' states."""

    def __len__(self) -> int: ...


class Segment(Protocol):
    """One input sentence or lattice with its annotations."""

    @property
    def id(self) -> int | str:
        """The number or name in the input."""

    @property
    def index(self) -> int:
        """0-based position in the input; also the position in files that belong to the input."""

    @property
    def where(self) -> str:
        """File and line, for messages."""

    @property
    def tokens(self) -> tuple[str, ...] | None:
        """The words; None for a lattice."""

    @property
    def references(self) -> tuple[str, ...]:
        """Reference translations, if any."""

    @property
    def tree(self) -> str | None:
        """The Penn tree of the source as text; None if not given."""

    @property
    def tags(self) -> tuple[str, ...] | None:
        """A part of speech for each token; None if not given."""

    @property
    def dependencies(self) -> tuple[int, ...] | None:
        """The head of each token: its number from 1, as in CoNLL-U; 0 for a root. None if not given."""

    @property
    def classes(self) -> tuple[str, ...] | None:
        """A word class for each token; None if not given."""

    @property
    def attributes(self) -> Mapping[str, str]:
        """The attributes of the ``<seg>`` tag."""


def span_index(edges: EdgeBatch) -> NDArray[np.int32]:
    """Give the number i * (source_length + 1) + j of the span [i, j) of each edge's head.

    The function is for plugins whose features depend on the span only: the numbers are the `FeatureTable.row`
    of a table with a row for each of the ``(source_length + 1) ** 2`` spans.

    Returns
    -------
    array of int32, shape (E,)
        Read-only.
    """
    return read_only(span_numbers(edges).take(edges.group))


def span_numbers(edges: EdgeBatch) -> NDArray[np.int32]:
    """Give the number of each group's span, see `span_rows`.

    Returns
    -------
    array of int32, shape (G,)
        Read-only.
    """
    span = edges.groups.span
    number: NDArray[np.int32] = span[:, 0] * np.int32(edges.source_length + 1) + span[:, 1]
    return read_only(number)

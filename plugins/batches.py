"""The arguments of plugins: batches of rules, and the edges of a forest.

`RuleBatch` and `EdgeGroups` are protocols, because the engine's native objects have these attributes. Any
object with the attributes of a batch can take the place of the batch, such as an object of a test. All arrays
are read-only, because several plugins get the same arrays; writing to an array raises ValueError. Arrays that
are views of the engine's memory are valid during the call only. A plugin that changes or keeps an array must
copy it. ``source`` and ``target`` of several rules are concatenated: those of rule r are at
``indptr[r]:indptr[r + 1]``. The same holds for alignments and tails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.read_only import read_only, shown_array


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
        """Return the text of a word (> 0) or of a category c (as -c)."""

    def feature_values(self, name: str, /) -> NDArray[np.float64]:
        """Return each rule's value, shape (R,), of a feature of the grammar; 0 for rules without it."""

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


class EdgeBatch:
    """The E edges of a translation forest; those of one head are neighbours.

    The edge into the goal node is not included, because cdec's stateless features do not fire on it. Features
    that do not depend on a rule's target side are computed faster by group, because there are several times
    fewer groups than edges; `hopefear.plugins.keys.edge_uses` combines rules and groups.

    Parameters
    ----------
    forest : hopefear._native.Forest
        The translation forest.

    Attributes
    ----------
    source_length : int
        Number of words in the sentence, or of nodes minus one in a lattice; the largest end of a span.
    """

    has_doubles: ClassVar[bool] = True
    """In cdec, and in checks, plugins see other objects with the same attributes."""

    def __init__(self, forest: _native.Forest) -> None:
        self._forest = forest
        self._count = max(len(forest.edge_head) - 1, 0)
        self._attribute_of = np.zeros(len(forest.rules), np.int32)
        self.source_length = forest.source_length

    def of_plugin(self, attribute_of: NDArray[np.int32]) -> EdgeBatch:
        """Return the edges with a plugin's attributes of the forest's rules; arrays are shared."""
        shown = copy(self)
        vars(shown).pop("attribute", None)
        shown._attribute_of = attribute_of
        return shown

    def with_attributes(self, change: Callable[[NDArray[np.int32]], NDArray[np.int32]]) -> EdgeBatch:
        """Return the edges with attributes for another plugin, made from those of the forest's rules."""
        return self.of_plugin(change(self._attribute_of))

    def __len__(self) -> int:
        """Count the edges."""
        return self._count

    def __repr__(self) -> str:
        """Show the numbers of edges and words."""
        return f"<EdgeBatch: {len(self)} edges, {self.source_length} words>"

    @shown_array
    def rule(self) -> NDArray[np.int32]:
        """(E,) rule numbers."""
        return self._forest.edge_rule()[: self._count].view(np.int32)

    @cached_property
    def _local_rule(self) -> NDArray[np.intp]:
        return self._forest.edge_local_rule[: self._count].astype(np.intp)

    @shown_array
    def attribute(self) -> NDArray[np.int32]:
        """(E,) this plugin's `rule_attributes` of the edge's rule; zeros without this method."""
        return self._attribute_of.take(self._local_rule)

    @shown_array
    def head_category(self) -> NDArray[np.int32]:
        """(E,) the head's category, > 0."""
        return self._forest.node_category[self._forest.edge_head[: self._count]]

    @shown_array
    def span(self) -> NDArray[np.int32]:
        """(E, 2) the head's source span [i, j)."""
        return self._forest.edge_span()[: self._count]

    @shown_array
    def tail_indptr(self) -> NDArray[np.int32]:
        """(E + 1,) index of an edge's first tail."""
        return self._forest.edge_tails_indptr[: self._count + 1]

    @shown_array
    def tail_span(self) -> NDArray[np.int32]:
        """(T, 2) the tails' source spans [i, j), i < j, in source order of the rule's nonterminals."""
        return self._forest.tail_span()[: self.tail_indptr[-1]]

    @cached_property
    def groups(self) -> _native.EdgeGroups:
        """The groups of edges."""
        return _native.EdgeGroups(self._forest)

    @shown_array
    def group(self) -> NDArray[np.int64]:
        """(E,) the number of each edge's group in `groups`, in ascending order."""
        return self.groups.group


class StateBatch:
    """E edges during the search, each with the states of one derivation at its tails.

    Unlike `EdgeBatch`, the batch may include the edge into the goal node, which completes the derivation.

    Parameters
    ----------
    forest : hopefear._native.Forest
        The translation forest.
    edge, tail_indptr, tail_state : arrays
        See the attributes.

    Attributes
    ----------
    edge : array of int32, shape (E,)
        Numbers of edges of the translation forest.
    tail_indptr : array of int32, shape (E + 1,)
        Index of an edge's first tail.
    tail_state : array of int64, shape (T, state_size)
        The tails' states.
    """

    has_doubles: ClassVar[bool] = True
    """In cdec, and in checks, plugins see other objects with the same attributes."""

    def __init__(
        self,
        forest: _native.Forest,
        edge: NDArray[np.int32],
        tail_indptr: NDArray[np.int32],
        tail_state: NDArray[np.int64],
    ) -> None:
        self._forest = forest
        self.edge, self.tail_indptr, self.tail_state = edge, tail_indptr, tail_state

    def __len__(self) -> int:
        """Count the edges."""
        return len(self.edge)

    def __repr__(self) -> str:
        """Show the numbers of edges and tails."""
        return f"<StateBatch: {len(self)} edges, {len(self.tail_state)} tails>"

    @shown_array
    def is_goal(self) -> NDArray[np.bool_]:
        """(E,) whether the head is the goal: one tail, no rule."""
        is_goal: NDArray[np.bool_] = self.edge == len(self._forest.edge_head) - 1
        return is_goal

    @shown_array
    def local_rule(self) -> NDArray[np.int32]:
        """(E,) index into the rules that `StateFeatures.begin` got; -1 at the goal."""
        # The goal's own rule is the last one; plugins do not get it.
        rule = self._forest.edge_local_rule[self.edge]
        rule[self.is_goal] = -1
        return rule

    @shown_array
    def span(self) -> NDArray[np.int32]:
        """(E, 2) the head's source span [i, j)."""
        return self._forest.node_span[self._forest.edge_head[self.edge]]

    @shown_array
    def tail_span(self) -> NDArray[np.int32]:
        """(T, 2) the tails' source spans, in source order of the rule's nonterminals."""
        first = self._forest.edge_tails_indptr[self.edge]
        place = np.arange(self.tail_indptr[-1], dtype=np.int32)
        place += np.repeat(first - self.tail_indptr[:-1], np.diff(self.tail_indptr))
        return self._forest.node_span[self._forest.edge_tails[place]]


def span_index(edges: EdgeBatch) -> NDArray[np.int32]:
    """Return the number i * (source_length + 1) + j of the span [i, j) of each edge's head.

    The function is for plugins whose features depend on the span only: the numbers are the `FeatureTable.row`
    of a table with a row for each of the ``(source_length + 1) ** 2`` spans.

    Returns
    -------
    array of int32, shape (E,)
        Read-only.
    """
    return read_only(span_numbers(edges).take(edges.group))


def span_numbers(edges: EdgeBatch) -> NDArray[np.int32]:
    """Return the number of each group's span, see `span_index`.

    Returns
    -------
    array of int32, shape (G,)
        Read-only.
    """
    span = edges.groups.span
    number: NDArray[np.int32] = span[:, 0] * np.int32(edges.source_length + 1) + span[:, 1]
    return read_only(number)

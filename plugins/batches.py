"""What plugins are shown: batches of rules, the edges of a forest, and the segment they belong to.

These are protocols: the engine's native objects have these attributes, and so can a test's own. All arrays
are read-only: several plugins are shown the same ones, and writing to one raises ValueError. Those that are
views of the engine's memory live as long as the call they are passed to. A plugin that changes or keeps an
array copies it. ``source`` and ``target`` of several rules stand one after the other, those of rule r at
``indptr[r]:indptr[r + 1]``, and so do alignments and tails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder.read_only import read_only


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
        """(R + 1,) where a rule's source side begins."""

    @property
    def source(self) -> NDArray[np.int32]:
        """Source symbols: a word is > 0, a nonterminal of category c is -c."""

    @property
    def target_indptr(self) -> NDArray[np.int32]:
        """(R + 1,) where a rule's target side begins."""

    @property
    def target(self) -> NDArray[np.int32]:
        """Target symbols: a word is > 0, a nonterminal is minus its index in source order: 0, -1, ..."""

    @property
    def alignment_indptr(self) -> NDArray[np.int32]:
        """(R + 1,) where a rule's word alignment begins."""

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
        """Tells decoders apart: batches of one vocabulary agree on words below `first_own_symbol`."""

    @property
    def first_own_symbol(self) -> int:
        """Words from this number on are the sentence's own; in another sentence it may be another word's."""

    def symbol(self, symbol: int, /) -> str:
        """Give the text of a word (> 0) or of a category c (as -c)."""

    def feature_values(self, name: str, /) -> NDArray[np.float64]:
        """Give each rule's value, shape (R,), of a feature that it has in its grammar; 0 if it has it not."""

    def indicator_names(self, prefix: str = "") -> Sequence[str]:
        """Name each rule as cdec's ``RuleIdentityFeatures`` does, such as ``R:X:NX_de_NX:N2_'s_N1``.

        That is, behind the prefix, ``R``, the left-hand side, the source side and the target side, with ``:``
        between them; the symbols of a side have ``_`` between them. A nonterminal is ``N`` and its category
        on the source side, ``N`` and its index from 1 on the target side. In all of it ``=`` and ``;`` turn
        into ``_``.
        """

    def __len__(self) -> int: ...


class EdgeGroups(Protocol):
    """Groups of edges that share the head, the tails and the rule's source side: what edges share, once."""

    @property
    def head_category(self) -> NDArray[np.int32]:
        """(G,) the head's category, > 0."""

    @property
    def span(self) -> NDArray[np.int32]:
        """(G, 2) the head's source span [i, j)."""

    @property
    def tail_indptr(self) -> NDArray[np.int32]:
        """(G + 1,) where a group's tails begin."""

    @property
    def tail_span(self) -> NDArray[np.int32]:
        """(T, 2) the tails' source spans, as in `EdgeBatch`."""

    def __len__(self) -> int: ...


class EdgeBatch(Protocol):
    """The E edges of a translation forest; those of one head are neighbours.

    The edge into the goal node is not among them: cdec's stateless features do not fire on it either.
    Features that do not depend on a rule's target side are found faster by group, of which there are several
    times fewer than edges; `hopefear.plugins.keys.edge_uses` puts rules and groups together.
    """

    @property
    def rule(self) -> NDArray[np.int32]:
        """(E,) rule numbers."""

    @property
    def attribute(self) -> NDArray[np.int32]:
        """(E,) what this plugin's `rule_attributes` said of the edge's rule; zeros if it has none."""

    @property
    def head_category(self) -> NDArray[np.int32]:
        """(E,) the head's category, > 0."""

    @property
    def span(self) -> NDArray[np.int32]:
        """(E, 2) the head's source span [i, j)."""

    @property
    def tail_indptr(self) -> NDArray[np.int32]:
        """(E + 1,) where an edge's tails begin."""

    @property
    def tail_span(self) -> NDArray[np.int32]:
        """(T, 2) the tails' source spans [i, j), i < j, in source order of the rule's nonterminals."""

    @property
    def group(self) -> NDArray[np.int64]:
        """(E,) each edge's number among `groups`; it does not fall."""

    @property
    def groups(self) -> EdgeGroups:
        """What the edges of a group share."""

    @property
    def source_length(self) -> int:
        """Words in the sentence; nodes less one in a lattice. No span ends behind it."""

    def __len__(self) -> int: ...


class StateBatch(Protocol):
    """E edges in the midst of the search, each with one derivation's states at its tails.

    Unlike in `EdgeBatch` the edge into the goal node may be among them: it closes the derivation.
    """

    @property
    def edge(self) -> NDArray[np.int32]:
        """(E,) numbers of edges of the translation forest."""

    @property
    def local_rule(self) -> NDArray[np.int32]:
        """(E,) index into the rules that `StateFeatures.begin` was shown; -1 at the goal."""

    @property
    def span(self) -> NDArray[np.int32]:
        """(E, 2) the head's source span [i, j)."""

    @property
    def is_goal(self) -> NDArray[np.bool_]:
        """(E,) whether the head is the goal: one tail, no rule."""

    @property
    def tail_indptr(self) -> NDArray[np.int32]:
        """(E + 1,) where an edge's tails begin."""

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
        """The number or name given in the input."""

    @property
    def index(self) -> int:
        """0-based position in the input: picks the line of files that go with it."""

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
        """The source's Penn tree as text; None if not given with the segment."""

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
        """What the ``<seg>`` tag says."""


def span_index(edges: EdgeBatch) -> NDArray[np.int32]:
    """Give the span [i, j) of each edge's head the number i * (source_length + 1) + j.

    For plugins whose features depend on the span alone: a table with a row for each span (there are
    ``(source_length + 1) ** 2``) takes this as its `FeatureTable.row`.

    Returns
    -------
    array of int32, shape (E,)
        Read-only.
    """
    return read_only(span_numbers(edges).take(edges.group))


def span_numbers(edges: EdgeBatch) -> NDArray[np.int32]:
    """Give the same number of each group's span.

    Returns
    -------
    array of int32, shape (G,)
        Read-only.
    """
    span = edges.groups.span
    number: NDArray[np.int32] = span[:, 0] * np.int32(edges.source_length + 1) + span[:, 1]
    return read_only(number)

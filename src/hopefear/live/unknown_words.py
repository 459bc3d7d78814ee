"""Words that no rule of a system translates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Hypergraph
from hopefear.text.tokens import JOINED, SPACED

PASS_THROUGH = "PassThrough"
"""The feature of the rules that leave a word as it is."""


def unknown_words(forest: Hypergraph, stay: Container[int] = ()) -> list[int]:
    """List the source positions of words that the best derivation leaves as they are."""
    left, spans, edges = set[int](), forest.nodes.span, forest.edges
    if PASS_THROUGH not in forest.weights:
        return []
    feature = forest.weights.id(PASS_THROUGH)
    for edge in forest.best().tolist():
        if edges.features_of(edge).get(feature):
            left.update(_positions(spans[edges.head[edge]]))
            left.difference_update(*(_positions(spans[tail]) for tail in edges.tails_of(edge)))
    return sorted(position for position in left if position not in stay)


def words_with_rules(forest: Hypergraph) -> set[int]:
    """Return the source positions of words that a rule translates alone, whether it is used or not."""
    spans, edges = forest.nodes.span, forest.edges
    heads = spans[edges.head]
    alone = np.flatnonzero((heads[:, 1] - heads[:, 0] == 1) & (np.diff(edges.tail_indptr) == 0))
    rules = forest.native.edge_local_rule[alone]
    counts = Counter(
        position for position, _ in {*zip(heads[alone, 0].tolist(), rules.tolist(), strict=True)}
    )
    return {position for position, count in counts.items() if count > 1}  # one leaves the word as it is


def foreign_words(forest: Hypergraph, tokens: Sequence[str], stay: Container[int] = ()) -> list[int]:
    """List the source positions of words that no rule writes: one in a translation was left as it is."""
    passes = forest.weights.id(PASS_THROUGH) if PASS_THROUGH in forest.weights else -1
    written = set[str]()
    for rule in np.flatnonzero(np.bincount(forest.native.edge_local_rule)).tolist():
        _, _, target, features, *_ = forest.native.rule(rule)
        if passes not in features:
            written.update(_folded(item) for item in target if isinstance(item, str))
    return [i for i, token in enumerate(tokens) if i not in stay and _folded(token) not in written]


def is_name(word: str) -> bool:
    """Tell whether a word is written as a name that no language changes: JSON, JavaScript, utf8."""
    return sum(map(str.isupper, word)) > 1 or (word[0].isalpha() and any(map(str.isdigit, word)))


def _folded(token: str) -> str:
    """Return a word in lower case, without the marks that join it to others."""
    return token.strip(JOINED + SPACED).casefold()


def _positions(span: NDArray[np.int32]) -> range:
    begin, end = span.tolist()
    return range(begin, end)

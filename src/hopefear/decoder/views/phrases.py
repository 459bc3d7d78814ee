"""Other translations of a phrase, from the forest of its sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopefear.base.signatures import Count

from ..hypergraph import Hypergraph


@dataclass(frozen=True, slots=True)
class Alternative:
    """A translation of some source words."""

    text: str
    score: float


def alternatives(forest: Hypergraph, span: tuple[int, int], most: Count = 10) -> list[Alternative]:
    """List the translations of source words that derivations of a forest have, the best first.

    Each edge over the source words gives the best translation below it. Its score is that of the best
    derivation through the edge: inside and outside scores in the max-plus semiring (Goodman 1999).
    """
    edges = forest.edges
    heads, tails = edges.head.tolist(), edges.tails.tolist()
    begins, scores = edges.tail_indptr.tolist(), edges.score.tolist()
    nodes = len(forest.nodes)
    inside, outside = [-np.inf] * nodes, [-np.inf] * nodes
    best = [-1] * nodes
    through = []
    for edge, head in enumerate(heads):
        score = scores[edge] + sum(inside[tail] for tail in tails[begins[edge] : begins[edge + 1]])
        through.append(score)
        if score > inside[head]:
            inside[head], best[head] = score, edge
    if nodes:
        outside[-1] = 0.0
    for edge in range(len(heads) - 1, -1, -1):
        for tail in tails[begins[edge] : begins[edge + 1]]:
            outside[tail] = max(outside[tail], outside[heads[edge]] + through[edge] - inside[tail])

    def text(top: int) -> str:
        preorder, waiting = [], [top]
        while waiting:
            preorder.append(waiting.pop())
            below = tails[begins[preorder[-1]] : begins[preorder[-1] + 1]]
            waiting += [best[tail] for tail in reversed(below)]
        built: list[str] = []
        for edge in reversed(preorder):
            texts = [built.pop() for _ in range(begins[edge + 1] - begins[edge])]
            items = (item if isinstance(item, str) else texts[item - 1] for item in forest.rule(edge).target)
            built.append(" ".join(filter(None, items)))
        return built[0]

    scores_by_text: dict[str, float] = {}
    for edge in np.flatnonzero((edges.span == span).all(axis=1)).tolist():
        score = through[edge] + outside[heads[edge]]
        if score > -np.inf:
            words = text(edge)
            scores_by_text[words] = max(score, scores_by_text.get(words, -np.inf))
    ranked = sorted(scores_by_text.items(), key=lambda item: (-item[1], item[0]))
    return [Alternative(words, score) for words, score in ranked[:most]]

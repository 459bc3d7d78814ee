"""All derivations of a forest by recursion, with the affiliation of each target word: its source position.

Nothing here shares code or method with the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hopefear.decoder import Hypergraph

Yield = list[tuple[str, int]]
"""Target words and their affiliations."""


def affiliations(forest: Hypergraph, edge: int, tails: list[tuple[int, int]]) -> list[int | None]:
    """Return the source position of each target word of an edge's rule, None for a nonterminal."""
    rule = forest.rule(edge)
    begin, end = (int(place) for place in forest.edges.span[edge])
    places, at, number = [], begin, 0
    for symbol in rule.source:
        places.append(at)
        if isinstance(symbol, str):
            at += 1
        else:
            at, number = tails[number][1], number + 1
    assert at == end
    linked: list[list[int]] = [
        sorted(places[i] for i, j in rule.alignment if j == k and isinstance(rule.source[i], str))
        for k in range(len(rule.target))
    ]

    def of(k: int, *, right_of_word: bool) -> int | None:
        symbol = rule.target[k]
        if not isinstance(symbol, str):
            first, behind = tails[symbol - 1]
            return first if right_of_word else behind - 1
        links = linked[k]
        return links[(len(links) - 1) // 2] if links else None

    found: list[int | None] = []
    for k, symbol in enumerate(rule.target):
        if not isinstance(symbol, str):
            found.append(None)
            continue
        own = of(k, right_of_word=True)
        behind = [j for j in range(k + 1, len(rule.target)) if of(j, right_of_word=True) is not None]
        before = [j for j in range(k) if of(j, right_of_word=False) is not None]
        if own is not None:
            found.append(own)
        elif not behind:
            found.append(end - 1)
        elif not before:
            found.append(begin)
        elif min(behind) - k <= k - max(before):
            found.append(of(min(behind), right_of_word=True))
        else:
            found.append(of(max(before), right_of_word=False))
    return found


def yields(forest: Hypergraph, node: int) -> Iterator[tuple[float, Yield]]:
    """Go through all derivations of a node: their scores without the model, and their words."""
    for edge in range(len(forest.edges.rule)):
        if forest.native.edge_head[edge] != node:
            continue
        begin, end = forest.native.edge_tails_indptr[edge : edge + 2]
        nodes = [int(tail) for tail in forest.native.edge_tails[begin:end]]
        spans = [tuple(map(int, forest.nodes.span[tail])) for tail in nodes]
        if node == len(forest.nodes.span) - 1:
            for score, words in yields(forest, nodes[0]):
                yield score + float(forest.native.edge_score[edge]), words
            continue
        places = affiliations(forest, edge, spans)

        def expand(k: int, edge: int = edge, nodes: list[int] = nodes) -> Iterator[tuple[float, list[Yield]]]:
            if k == len(nodes):
                yield float(forest.native.edge_score[edge]), []
                return
            for score, words in yields(forest, nodes[k]):
                for rest, others in expand(k + 1):
                    yield score + rest, [words, *others]

        for score, parts in expand(0):
            words: Yield = []
            for symbol, place in zip(forest.rule(edge).target, places, strict=True):
                words += [(symbol, place)] if isinstance(symbol, str) else parts[symbol - 1]
            yield score, words


Probability = Callable[[Sequence[str], str, Sequence[str], int], float]
"""The log probability of a word: the words before it, itself, the source and its affiliation.

The end of the sentence is affiliated with the place behind the source, or -1 from right to left.
"""


def all_translations(
    forest: Hypergraph,
    source: Sequence[str],
    history: int,
    weight: float,
    probability: Probability,
    *,
    right_to_left: bool = False,
) -> list[tuple[str, float]]:
    """Return the text and the score of each derivation with a joint model, sorted.

    Parameters
    ----------
    forest : Hypergraph
        Without the model.
    history : int
        Words before a word that the model knows.
    right_to_left : bool
        Whether these are the words on its right, the next one last.
    """
    found = []
    for score, words in yields(forest, len(forest.nodes.span) - 1):
        text = " ".join(word for word, _ in words)
        if right_to_left:
            words = words[::-1]
        spelled = ["<s>"] * history + [word for word, _ in words] + ["</s>"]
        places = [place for _, place in words] + [-1 if right_to_left else len(source)]
        total = sum(
            probability(spelled[i : i + history], spelled[i + history], source, place)
            for i, place in enumerate(places)
        )
        found.append((text, score + weight * total))
    return sorted(found)

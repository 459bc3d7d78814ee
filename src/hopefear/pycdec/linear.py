"""Convert between lattices and forests that are lattices: their rules add words to the right of one tail."""

from __future__ import annotations

from itertools import pairwise

from hopefear.base import InputError
from hopefear.decoder import Decoder, Hypergraph, Lattice

_EMPTY = "*EPS*"

Columns = tuple[tuple[tuple[str, float, int], ...], ...]


def forest_of_lattice(lattice: Lattice) -> Hypergraph:
    """Return the forest of left-branching trees over the paths of a lattice."""
    words = sorted({arc.word for arcs in lattice for arc in arcs})
    rules = (f"[S] ||| {w} ||| {w} |||\n[S] ||| [S,1] {w} ||| [1] {w} |||\n" for w in words)
    decoder = Decoder(formalism="scfg", scfg_no_hiero_glue_grammar=True, scfg_max_span_limit=len(lattice))
    return decoder.translate(lattice, "".join(rules))


def lattice_of_forest(forest: Hypergraph) -> Columns:
    """Return the columns (word, score, distance) of a forest that is a lattice, as cdec's AsPLF does.

    An edge's score is the cost of its first word's arc. An edge without words is an arc ``*EPS*``, except the
    last edge into the goal, which is left out.
    """
    native = forest.native
    tails, indptr = native.edge_tails.tolist(), native.edge_tails_indptr.tolist()
    node_edges, score = native.node_edges.tolist(), native.edge_score.tolist()
    words = [_target_words(forest, local) for local in range(len(native.rules))]
    rule = native.edge_local_rule.tolist()
    columns: list[list[tuple[str, float, int]]] = [[]]  # the last column belongs to the current node
    position: list[int] = []  # of each node
    for node, (first, last) in enumerate(pairwise(node_edges)):
        is_goal_step = node == len(node_edges) - 2 and last == first + 1 and indptr[first] < indptr[last]
        if is_goal_step and not words[rule[first]]:
            break
        arcs: list[tuple[int, str, float]] = []  # into this node, from a position
        for edge in range(first, last):
            start = position[tails[indptr[edge]]] if indptr[edge] < indptr[edge + 1] else 0
            text, cost = words[rule[edge]] or [_EMPTY], score[edge]
            for word in text[:-1]:
                columns.append([])
                columns[start].append((word, cost, len(columns) - 1 - start))
                start, cost = len(columns) - 1, 0.0
            arcs.append((start, text[-1], cost))
        columns.append([])
        position.append(len(columns) - 1)
        for start, word, cost in arcs:
            columns[start].append((word, cost, position[node] - start))
    return tuple(tuple(column) for column in columns[:-1])


def plf(columns: Columns) -> str:
    """Write columns in Python literal format with cdec's six digits."""

    def escape(word: str) -> str:
        return word.replace("\\", "\\\\").replace("'", "\\'")

    texts = ("".join(f"('{escape(word)}',{cost:g},{step})," for word, cost, step in arcs) for arcs in columns)
    return "(" + "".join(f"({text})," for text in texts) + ")"


def _target_words(forest: Hypergraph, local_rule: int) -> list[str]:
    """Return the words that a rule adds."""
    lhs, _, target, *_ = forest.native.rule(local_rule)
    words = [symbol for symbol in target if isinstance(symbol, str)]
    if len(words) < len(target) - 1 or (len(words) < len(target) and isinstance(target[0], str)):
        rule = " ".join(symbol if isinstance(symbol, str) else f"[{symbol}]" for symbol in target)
        raise InputError(
            f"expected a forest that is a lattice: rules that add words after one tail, got [{lhs}] -> {rule}"
        )
    return words

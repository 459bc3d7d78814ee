"""Forests as JSON: nodes, edges, rules as text, features and scores; see ``docs/use/forest-json.md``."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import accumulate
from typing import Annotated

from msgspec import Meta, Struct, to_builtins

from hopefear import _native
from hopefear.base.stored import parse_json
from hopefear.base.typed import typed

from .weights import Weights

FORMAT = "hopefear forest"
VERSION = 1

_Int = Annotated[int, Meta(ge=-(2**31), lt=2**31)]
_Text = Annotated[str, Meta(min_length=1, pattern="^[^\0\ud800-\udfff]+$")]  # no half of a surrogate pair
_Features = dict[_Text, float]


# No tuple: msgspec 0.22 mixes up the limits of text and of a tuple beside it.
class _Nonterminal(Struct, array_like=True, forbid_unknown_fields=True):
    category: _Text
    index: _Int


class _Rule(Struct):
    lhs: _Text
    source: list[_Text | _Nonterminal]
    target: list[_Text | Annotated[int, Meta(ge=1, lt=2**31)]]
    features: _Features
    alignment: list[tuple[_Int, _Int]]


class _Node(Struct):
    category: _Text
    span: tuple[_Int, _Int]


class _Edge(Struct):
    head: _Int
    tails: list[_Int]
    rule: _Int
    features: _Features
    score: float


class _Forest(Struct):
    format: str
    version: int
    source_length: _Int
    rules: list[_Rule]
    nodes: list[_Node]
    edges: list[_Edge]

    def __post_init__(self) -> None:
        if (self.format, self.version) != (FORMAT, VERSION):
            raise ValueError(f'expected "format": "{FORMAT}", "version": {VERSION}')


def forest_json(native: _native.Forest, weights: Weights) -> bytes:
    """Write a forest."""
    document = to_builtins(_document(native, weights.name))
    return (json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def parse_forest(content: bytes, weights: Weights) -> _native.Forest:
    """Read a forest that `forest_json` wrote. A `ValueError` or `OverflowError` names the wrong part."""
    try:
        document = parse_json(content.decode())
    except json.JSONDecodeError:
        raise
    except ValueError as error:  # no UTF-8, nested too deeply, or numbers that are too long
        raise ValueError(f"expected JSON: {error}") from None
    return _native.build_forest(_parts(typed(_Forest, document), weights))


def _document(native: _native.Forest, name: Callable[[int], str]) -> _Forest:
    rules, rule_features = [], []
    for local in range(len(native.rules)):
        lhs, source, target, features, values, alignment = native.rule(local)
        rule_features.append(list(zip(features.tolist(), values.tolist(), strict=True)))
        named = {name(f): v for f, v in rule_features[-1]}
        rules.append(_Rule(lhs, source, target, named, alignment))
    indptr, columns, values = (array.tolist() for array in native.edge_features())
    tail_indptr, tails = native.edge_tails_indptr.tolist(), native.edge_tails.tolist()
    edges = []
    each_edge = (native.edge_head.tolist(), native.edge_local_rule.tolist(), native.edge_score.tolist())
    for e, (head, rule, score) in enumerate(zip(*each_edge, strict=True)):
        fired = list(zip(columns[indptr[e] : indptr[e + 1]], values[indptr[e] : indptr[e + 1]], strict=True))
        for entry in rule_features[rule]:
            fired.remove(entry)
        sums: dict[str, float] = {}
        for feature, value in fired:
            sums[name(feature)] = sums.get(name(feature), 0.0) + value
        named = {feature: value for feature, value in sorted(sums.items()) if value}
        edges.append(_Edge(head, tails[tail_indptr[e] : tail_indptr[e + 1]], rule, named, score))
    nodes = [
        _Node(native.category_name(category), span)
        for category, span in zip(native.node_category.tolist(), native.node_span.tolist(), strict=True)
    ]
    return _Forest(FORMAT, VERSION, native.source_length, rules, nodes, edges)


def _parts(forest: _Forest, weights: Weights) -> _native.ForestParts:
    parts = _native.ForestParts()
    parts.source_length = forest.source_length
    parts.rules = [_rule(rule, f"rule {r}", weights) for r, rule in enumerate(forest.rules)]
    parts.category = [node.category for node in forest.nodes]
    parts.span = [end for node in forest.nodes for end in node.span]
    edges = forest.edges
    parts.head, parts.rule = [edge.head for edge in edges], [edge.rule for edge in edges]
    parts.score = [edge.score for edge in edges]
    parts.tails = [tail for edge in edges for tail in edge.tails]
    parts.tails_begin = [*accumulate((len(edge.tails) for edge in edges), initial=0)]
    parts.features = [weights.id(name) for edge in edges for name in edge.features]
    parts.values = [value for edge in edges for value in edge.features.values()]
    parts.features_begin = [*accumulate((len(edge.features) for edge in edges), initial=0)]
    return parts


def _rule(rule: _Rule, where: str, weights: Weights) -> _native.RuleParts:
    indices = [symbol.index for symbol in rule.source if isinstance(symbol, _Nonterminal)]
    if indices != list(range(1, len(indices) + 1)):
        raise ValueError(f"{where}: expected indices in order")
    parts = _native.RuleParts()
    parts.lhs = rule.lhs
    parts.source = [(s, False) if isinstance(s, str) else (s.category, True) for s in rule.source]
    parts.target = [(s, 0) if isinstance(s, str) else ("", s) for s in rule.target]
    parts.features = [weights.id(name) for name in rule.features]
    parts.values = list(rule.features.values())
    parts.alignment = rule.alignment
    return parts

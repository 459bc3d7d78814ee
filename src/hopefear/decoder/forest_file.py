"""Forests as JSON: nodes, edges, rules as text, features and scores; see ``docs/use/forest-json.md``."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from hopefear import _native
from hopefear.base.errors import InputError
from hopefear.base.files import read_packed, write_packed
from hopefear.base.stored import parse_json

from .hypergraph import Hypergraph
from .weights import Weights

FORMAT = "hopefear forest"
VERSION = 1


def write_forest(hypergraph: Hypergraph, path: str | os.PathLike[str]) -> None:
    """Write a forest; compressed if the name ends in ``.gz``. No partly written file is left.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    text = json.dumps(_document(hypergraph), ensure_ascii=False, separators=(",", ":")) + "\n"
    write_packed(path, text.encode())


def read_forest(path: str | os.PathLike[str], weights: Weights) -> Hypergraph:
    """Read a forest in the form that `write_forest` writes.

    Parameters
    ----------
    path : path
        Plain or ``.gz``.
    weights : Weights
        The weights that number the features; new features are added. The scores are those of the file;
        `Hypergraph.reweight` sets them to w·f.

    Raises
    ------
    InputError
        The file cannot be read, or its content is not a forest; the message names the wrong part.
    """
    content = read_packed(path)
    try:
        document = parse_json(content.decode())
    except json.JSONDecodeError as error:
        raise InputError(f"expected JSON: {error.msg}", path=path, line=error.lineno) from None
    except ValueError as error:  # no UTF-8, nested too deeply, or numbers that are too long
        raise InputError(f"expected JSON: {error}", path=path) from None
    try:
        return Hypergraph(_native.build_forest(_parts(document, weights)), weights)
    except (ValueError, OverflowError) as error:
        raise InputError(str(error), path=path) from None


def _document(hypergraph: Hypergraph) -> dict[str, Any]:
    native, name = hypergraph.native, hypergraph.weights.name
    rules, rule_features = [], []
    for local in range(len(native.rules)):
        lhs, source, target, features, values, alignment = native.rule(local)
        rule_features.append(list(zip(features.tolist(), values.tolist(), strict=True)))
        rules.append(
            {
                "lhs": lhs,
                "source": source,
                "target": target,
                "features": {name(f): v for f, v in rule_features[-1]},
                "alignment": alignment,
            }
        )
    indptr, columns, values = (array.tolist() for array in native.edge_features())
    tail_indptr, tails = native.edge_tails_indptr.tolist(), native.edge_tails.tolist()
    edges = []
    for e, (head, rule, score) in enumerate(
        zip(
            native.edge_head.tolist(),
            native.edge_local_rule.tolist(),
            native.edge_score.tolist(),
            strict=True,
        )
    ):
        own = list(zip(columns[indptr[e] : indptr[e + 1]], values[indptr[e] : indptr[e + 1]], strict=True))
        for entry in rule_features[rule]:
            own.remove(entry)
        sums: dict[str, float] = {}
        for feature, value in own:
            sums[name(feature)] = sums.get(name(feature), 0.0) + value
        edges.append(
            {
                "head": head,
                "tails": tails[tail_indptr[e] : tail_indptr[e + 1]],
                "rule": rule,
                "features": {feature: value for feature, value in sorted(sums.items()) if value},
                "score": score,
            }
        )
    nodes = [
        {"category": native.category_name(category), "span": span}
        for category, span in zip(native.node_category.tolist(), native.node_span.tolist(), strict=True)
    ]
    return {
        "format": FORMAT,
        "version": VERSION,
        "source_length": native.source_length,
        "rules": rules,
        "nodes": nodes,
        "edges": edges,
    }


def _parts(document: Any, weights: Weights) -> _native.ForestParts:
    _expect(isinstance(document, dict) and document.get("format") == FORMAT, f'"format": "{FORMAT}"')
    _expect(document.get("version") == VERSION, f'"version": {VERSION}')
    parts = _native.ForestParts()
    parts.source_length = _integer(document.get("source_length"), "source_length")
    parts.rules = [_rule(rule, f"rule {r}", weights) for r, rule in enumerate(_list(document, "rules", ""))]
    category, span = [], []
    for v, node in enumerate(_list(document, "nodes", "")):
        where = f"node {v}: "
        category.append(_text(_member(node, "category", where), where + "category"))
        ends = _list(node, "span", where)
        _expect(len(ends) == 2, where + "span of two numbers")
        span += [_integer(end, where + "span") for end in ends]
    parts.category, parts.span = category, span
    _read_edges(_list(document, "edges", ""), parts, weights)
    return parts


def _read_edges(edges: Sequence[Any], parts: _native.ForestParts, weights: Weights) -> None:
    head, rule, score = [], [], []
    tails: list[int] = []
    features: list[int] = []
    values: list[float] = []
    tails_begin, features_begin = [0], [0]
    for e, edge in enumerate(edges):
        where = f"edge {e}: "
        head.append(_integer(_member(edge, "head", where), where + "head"))
        rule.append(_integer(_member(edge, "rule", where), where + "rule"))
        score.append(_number(_member(edge, "score", where), where + "score"))
        tails += [_integer(tail, where + "tails") for tail in _list(edge, "tails", where)]
        tails_begin.append(len(tails))
        for name, value in _features(edge, where):
            features.append(weights.id(name))
            values.append(value)
        features_begin.append(len(features))
    parts.head, parts.rule, parts.score = head, rule, score
    parts.tails, parts.tails_begin = tails, tails_begin
    parts.features, parts.values, parts.features_begin = features, values, features_begin


def _rule(rule: Any, where: str, weights: Weights) -> _native.RuleParts:
    where += ": "
    parts = _native.RuleParts()
    parts.lhs = _text(_member(rule, "lhs", where), where + "lhs")
    source: list[tuple[str, bool]] = []
    for symbol in _list(rule, "source", where):
        if isinstance(symbol, list):  # [category, index], the indices in order
            _expect(len(symbol) == 2, where + "source nonterminals as [category, index]")
            source.append((_text(symbol[0], where + "source"), True))
            _expect(symbol[1] == sum(nonterminal for _, nonterminal in source), where + "indices in order")
        else:
            source.append((_text(symbol, where + "source"), False))
    parts.source = source
    target: list[tuple[str, int]] = []
    for symbol in _list(rule, "target", where):
        if isinstance(symbol, str):
            target.append((_text(symbol, where + "target"), 0))
        else:
            index = _integer(symbol, where + "target")
            _expect(index >= 1, where + "indices of nonterminals from 1")
            target.append(("", index))
    parts.target = target
    features = _features(rule, where)
    parts.features = [weights.id(name) for name, _ in features]
    parts.values = [value for _, value in features]
    alignment = []
    for point in _list(rule, "alignment", where):
        _expect(isinstance(point, list) and len(point) == 2, where + "alignment points as [source, target]")
        alignment.append((_integer(point[0], where + "alignment"), _integer(point[1], where + "alignment")))
    parts.alignment = alignment
    return parts


def _features(item: Any, where: str) -> list[tuple[str, float]]:
    features = _member(item, "features", where)
    _expect(isinstance(features, dict), where + '"features" as an object')
    return [
        (_text(name, where + "features"), _number(value, where + name)) for name, value in features.items()
    ]


def _member(item: Any, key: str, where: str) -> Any:
    _expect(isinstance(item, dict) and key in item, f'{where}an object with "{key}"')
    return item[key]


def _list(item: Any, key: str, where: str) -> list[Any]:
    values = _member(item, key, where)
    _expect(isinstance(values, list), f'{where}"{key}" as a list')
    return values  # type: ignore[no-any-return]


def _text(value: Any, what: str) -> str:
    _expect(isinstance(value, str) and bool(value) and "\0" not in value, f"{what}: a text")
    value.encode()  # half a surrogate pair is a ValueError
    return value  # type: ignore[no-any-return]


def _integer(value: Any, what: str) -> int:
    _expect(type(value) is int and -(2**31) <= value < 2**31, f"{what}: a whole number")
    return value  # type: ignore[no-any-return]


def _number(value: Any, what: str) -> float:
    _expect(type(value) in (int, float), f"{what}: a number")
    return float(value)


def _expect(fine: bool, what: str) -> None:
    if not fine:
        raise ValueError(f"expected {what}")

"""A derivation as a tree of rules over the source, with the score of each rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base.texts import split_words
from hopefear.plugins import RuleText
from hopefear.plugins.written import Written
from hopefear.text import Restored
from hopefear.text.languages import Span
from hopefear.text.tokens import kind_of

from ..hypergraph import Hypergraph
from ..weights import Weights
from .comparison import Contribution, contributions

_GLUE = "Glue"


@dataclass(frozen=True, slots=True)
class SourceWords:
    """Neighbouring source words of a rule."""

    span: tuple[int, int]
    text: str


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A rule in a derivation; all glue rules of a chain are one node with many children."""

    category: str
    span: tuple[int, int]
    rule: RuleText | None
    words: tuple[SourceWords, ...]
    children: tuple[TreeNode, ...]
    text: str
    features: tuple[Contribution, ...]
    score: float
    place: Span | None = None

    @property
    def source_side(self) -> str:
        """The source side of the rule, nonterminals as in a grammar."""
        return "" if self.rule is None else self.rule.source_side

    @property
    def target_side(self) -> str:
        """The target side of the rule, nonterminals as in a grammar."""
        return "" if self.rule is None else self.rule.target_side

    def walk(self) -> Iterator[tuple[int, TreeNode]]:
        """Iterate over depth and node in preorder."""
        stack = [(0, self)]
        while stack:
            depth, node = stack.pop()
            yield depth, node
            stack += [(depth + 1, child) for child in reversed(node.children)]

    def record(self) -> dict[str, Any]:
        """Return the tree as JSON can hold it."""
        records: list[dict[str, Any]] = []
        for _, node in reversed(list(self.walk())):
            children = [records.pop() for _ in node.children]
            records.append(
                {
                    "category": node.category,
                    "span": list(node.span),
                    **({} if node.place is None else {"place": list(node.place)}),
                    "source": node.source_side,
                    "target": node.target_side,
                    "words": [[list(word.span), word.text] for word in node.words],
                    "items": list(range(1, len(children) + 1) if node.rule is None else node.rule.target),
                    "text": node.text,
                    "score": node.score,
                    "features": [feature.record() for feature in node.features],
                    "children": children,
                }
            )
        return records[0]

    def __str__(self) -> str:
        lines = []
        continued: list[bool] = []  # for each depth above: whether a sibling follows
        stack: list[tuple[int, TreeNode, bool]] = [(0, self, False)]
        while stack:
            depth, node, followed = stack.pop()
            del continued[depth:]
            branch = ""
            if depth:
                bars = ("│  " if more else "   " for more in continued[1:])
                branch = "".join(bars) + ("├─ " if followed else "└─ ")
            continued.append(followed)
            lines.append(f"{branch}{node.label}  {node.score:.4f}")
            last = len(node.children) - 1
            stack += [(depth + 1, node.children[i], i < last) for i in range(last, -1, -1)]
        return "\n".join(lines)

    @property
    def label(self) -> str:
        """Category, span and rule in one line."""
        begin, end = self.span
        rule = "glue" if self.rule is None else f"{self.source_side} → {self.target_side}"
        return f"{self.category} {begin}–{end}  {rule}"


def derivation_tree(
    forest: Hypergraph,
    derivation: Sequence[int] | NDArray[np.int32] | None = None,
    weights: Weights | None = None,
) -> TreeNode:
    """Return a derivation as a tree of rules with their features.

    Parameters
    ----------
    derivation : sequence of int, optional
        A derivation of the forest, edges in preorder; by default the best one.
    weights : Weights, optional
        The weights by which the forest was scored; by default the forest's.
    """
    derivation = forest.best() if derivation is None else derivation
    if len(derivation) == 0:
        raise ValueError("expected the edges of a derivation, got none")
    weights = forest.weights if weights is None else weights
    edges, nodes = forest.edges, forest.nodes
    built: list[TreeNode] = []
    for edge in reversed([int(edge) for edge in derivation]):
        head = int(edges.head[edge])
        children = tuple(built.pop() for _ in edges.tails_of(edge))
        named = {weights.name(feature): value for feature, value in edges.features_of(edge).items()}
        rule = forest.rule(edge)
        texts = [child.text for child in children]
        target = (item if isinstance(item, str) else texts[item - 1] for item in rule.target)
        node = TreeNode(
            category=forest.category(int(nodes.category[head])),
            span=(int(nodes.span[head, 0]), int(nodes.span[head, 1])),
            rule=rule,
            words=_own_words(rule, (int(nodes.span[head, 0]), int(nodes.span[head, 1])), children),
            children=children,
            text=" ".join(filter(None, target)),
            features=contributions(named, weights),
            score=float(edges.score[edge]),
        )
        built.append(_join_glue(node, weights) if _GLUE in named else node)
    if forest.source is None:
        return built[0]
    return _as_written(built[0], forest.source, forest.restored(np.asarray(derivation, np.int32)))


def _as_written(root: TreeNode, source: Written, shown: Restored) -> TreeNode:
    """Return a tree with texts as written, and with pieces that stay in the place of their placeholders."""
    nodes, waiting = list[tuple[TreeNode, int]](), [(root, 0)]
    while waiting:
        node, first = waiting.pop()
        nodes.append((node, first))
        firsts = {item: at for item, at in _target_items(node, first) if isinstance(item, int)}
        waiting += [(child, firsts[i]) for i, child in reversed(list(enumerate(node.children, 1)))]
    built = list[TreeNode]()
    for node, first in reversed(nodes):
        children = tuple(built.pop() for _ in node.children)
        rule = node.rule
        if rule is not None:
            target = [
                item
                if isinstance(item, int) or kind_of(item) is None
                else _part(shown.text, shown.places[at : at + 1]) or item
                for item, at in _target_items(node, first)
            ]
            rule = replace(rule, source=_source_items(node, source), target=tuple(target))
        words = (
            replace(word, text=_part(source.text, source.places[slice(*word.span)])) for word in node.words
        )
        size = len(split_words(node.text))
        begin, end = node.span
        built.append(
            replace(
                node,
                rule=rule,
                words=tuple(words),
                children=children,
                text=_part(shown.text, shown.places[first : first + size]),
                place=(source.places[begin][0], source.places[end - 1][1]) if begin < end else (0, 0),
            )
        )
    return built[0]


def _target_items(node: TreeNode, first: int) -> Iterator[tuple[str | int, int]]:
    """Iterate over the target side of a node, with the position of each first word."""
    for item in range(1, len(node.children) + 1) if node.rule is None else node.rule.target:
        yield item, first
        first += len(split_words(node.children[item - 1].text)) if isinstance(item, int) else 1


def _source_items(node: TreeNode, source: Written) -> tuple[str | tuple[str, int], ...]:
    """Return the source side of a node's rule with the pieces that its placeholders stand for."""
    assert node.rule is not None
    items, position, tails = list[str | tuple[str, int]](), node.span[0], iter(node.children)
    for item in node.rule.source:
        if isinstance(item, str):
            items.append(source.contents.get(position, item))
            position += 1
        else:
            items.append(item)
            position = next(tails).span[1]
    return tuple(items)


def _part(text: str, places: Sequence[Span]) -> str:
    """Return the part of a text in which tokens stand."""
    return text[places[0][0] : places[-1][1]] if places else ""


def _own_words(
    rule: RuleText, span: tuple[int, int], children: Sequence[TreeNode]
) -> tuple[SourceWords, ...]:
    """Find where the words of the source side stand: between the nonterminals."""
    runs = []
    begin = span[0]
    words: list[str] = []
    tails = iter(children)
    for item in rule.source:
        if isinstance(item, str):
            words.append(item)
            continue
        child = next(tails)
        if words:
            runs.append(SourceWords((begin, child.span[0]), " ".join(words)))
        words, begin = [], child.span[1]
    if words:
        runs.append(SourceWords((begin, span[1]), " ".join(words)))
    return tuple(runs)


def _join_glue(node: TreeNode, weights: Weights) -> TreeNode:
    """Let the children of a glue rule's first child be children of the glue rule."""
    if not _only_joins(node):
        return node
    first, *rest = node.children
    if first.category != node.category or not _only_joins(first):
        return node
    named: dict[str, float] = {}
    for feature in (*first.features, *node.features):
        named[feature.feature] = named.get(feature.feature, 0.0) + feature.value
    return TreeNode(
        category=node.category,
        span=node.span,
        rule=None,
        words=(),
        children=(*first.children, *rest),
        text=node.text,
        features=contributions(named, weights),
        score=first.score + node.score,
    )


def _only_joins(node: TreeNode) -> bool:
    """Tell whether a rule has no words, and its children in the same order on both sides."""
    in_order = tuple(range(1, len(node.children) + 1))
    return node.rule is None or (not node.words and bool(in_order) and node.rule.target == in_order)

"""A derivation as a tree of rules over the source, with the score of each rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import RuleText

from ..hypergraph import Hypergraph
from ..weights import Weights
from .comparison import Contribution, contributions

_GLUE = "Glue"


@dataclass(frozen=True, slots=True)
class SourceWords:
    """Neighbouring source words of a rule.

    Attributes
    ----------
    span : (int, int)
        Source positions [begin, end).
    text : str
        The words.
    """

    span: tuple[int, int]
    text: str


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A rule in a derivation; all glue rules of a chain are one node with many children.

    Attributes
    ----------
    category : str
        The category of the rule's left side.
    span : (int, int)
        Source positions [begin, end).
    rule : RuleText or None
        The rule; None for glue rules.
    words : tuple of SourceWords
        The source words of the rule itself.
    children : tuple of TreeNode
        What the rule's nonterminals cover, in source order.
    text : str
        The target words below the node.
    features : tuple of Contribution
        The features of the rule in this derivation, the greatest contribution first.
    score : float
        w·f of the rule, without the rules below.
    """

    category: str
    span: tuple[int, int]
    rule: RuleText | None
    words: tuple[SourceWords, ...]
    children: tuple[TreeNode, ...]
    text: str
    features: tuple[Contribution, ...]
    score: float

    @property
    def source_side(self) -> str:
        """The source side of the rule, nonterminals as in a grammar."""
        return "" if self.rule is None else source_side(self.rule)

    @property
    def target_side(self) -> str:
        """The target side of the rule, nonterminals as in a grammar."""
        return "" if self.rule is None else target_side(self.rule)

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
                    "source": node.source_side,
                    "target": node.target_side,
                    "text": node.text,
                    "score": node.score,
                    "features": [one.record() for one in node.features],
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


def source_side(rule: RuleText) -> str:
    """Write the source side of a rule as in a grammar."""
    return " ".join(item if isinstance(item, str) else f"[{item[0]},{item[1]}]" for item in rule.source)


def target_side(rule: RuleText) -> str:
    """Write the target side of a rule as in a grammar."""
    return " ".join(item if isinstance(item, str) else f"[{item}]" for item in rule.target)


def derivation_tree(
    forest: Hypergraph,
    derivation: Sequence[int] | NDArray[np.int32] | None = None,
    weights: Weights | None = None,
) -> TreeNode:
    """Return a derivation as a tree of rules with their features.

    Parameters
    ----------
    forest : Hypergraph
        The forest.
    derivation : sequence of int, optional
        A derivation of the forest, edges in preorder; by default the best one.
    weights : Weights, optional
        The weights by which the forest was scored; by default the forest's.
    """
    derivation = forest.best() if derivation is None else derivation
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
    return built[0]


def _own_words(
    rule: RuleText, span: tuple[int, int], children: Sequence[TreeNode]
) -> tuple[SourceWords, ...]:
    """Find where the words of the source side stand: between the nonterminals."""
    found = []
    begin = span[0]
    words: list[str] = []
    tails = iter(children)
    for item in rule.source:
        if isinstance(item, str):
            words.append(item)
            continue
        child = next(tails)
        if words:
            found.append(SourceWords((begin, child.span[0]), " ".join(words)))
        words, begin = [], child.span[1]
    if words:
        found.append(SourceWords((begin, span[1]), " ".join(words)))
    return tuple(found)


def _join_glue(node: TreeNode, weights: Weights) -> TreeNode:
    """Let the children of a glue rule's first child be children of the glue rule."""
    first, *rest = node.children
    if first.category != node.category:
        return node
    named: dict[str, float] = {}
    for one in (*first.features, *node.features):
        named[one.feature] = named.get(one.feature, 0.0) + one.value
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

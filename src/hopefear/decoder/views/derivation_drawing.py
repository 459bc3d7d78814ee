"""The drawing of a derivation: source above, target below in its own order, rules and links between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree as ET

from hopefear.base.texts import split_words

from .tree import TreeNode

_USUAL = "X"  # the category that goes without saying

WIDTH = 960
"""Pixels at which a drawing goes on in another line."""

_LETTER, _WORD, _GAP = 7.4, 26, 8  # pixels of a letter, the height of a word, and between words
_LEVEL, _PILL = 30, 58  # the height of a level of rules, and the width of a rule's label
_COLOURS = ("#2f6db5", "#b35f00", "#2b8a4b", "#c0392b", "#7b5ea7", "#138089", "#6f7d00", "#c2408a")


def derivation_svg(root: TreeNode | Mapping[str, Any], *, width: float = WIDTH) -> str:
    """Draw a derivation.

    The source words stand above, the target words below in their own order. The words of a rule have its
    colour on both sides, and lines lead from them to its label between them, which has category, score
    and a bar as long as the score is large; a dashed line leads from a rule to those in its places. A pointer
    or the focus on a rule lights both of its sides; its tooltip has the rule and its features. Glue is not
    drawn: where a derivation is wider than `width`, it goes on in another line after a child of glue.
    """
    record = root.record() if isinstance(root, TreeNode) else root
    nodes = _read(record)
    pieces = _pieces(nodes[0])
    lines: list[list[_Node]] = [[]]
    used = 0.0
    for piece in pieces:
        if lines[-1] and used + piece.width + 2 * _GAP > width:
            lines.append([])
            used = 0.0
        lines[-1].append(piece)
        used += piece.width + 2 * _GAP
    wide = max(sum(piece.width + 2 * _GAP for piece in line) for line in lines)
    most = max((abs(node.score) for node in nodes if node.is_drawn), default=0.0) or 1.0
    svg = ET.Element("svg", {"class": "derivation", "xmlns": "http://www.w3.org/2000/svg", "role": "img"})
    ET.SubElement(svg, "title").text = f"Derivation of: {record['text']}"
    ET.SubElement(svg, "style").text = _style()
    ground = ET.SubElement(svg, "rect", {"class": "ground", "fill": "#ffffff"})
    top = 2.0
    for line in lines:
        top = _draw_line(svg, line, top, most) + 18
    size = {"width": f"{max(wide, 40):.0f}", "height": f"{max(top - 14, 20):.0f}"}
    for name, value in size.items():
        svg.set(name, value)
        ground.set(name, value)
    svg.set("viewBox", f"0 0 {size['width']} {size['height']}")
    svg.set(
        "style", f"width: 100%; height: auto; max-width: {size['width']}px; min-width: {0.5 * wide:.0f}px"
    )
    return ET.tostring(svg, encoding="unicode")


def switched(drawings: Mapping[str, str], name: str) -> str:
    """Return HTML that shows one of several drawings, and a switch between them that needs no script."""
    if len(drawings) < 2:
        return "".join(f'<div class="wide">{drawing}</div>' for drawing in drawings.values())
    rules = "".join(
        f".switch > input:nth-of-type({i}):checked ~ .panel:nth-of-type({i}) {{ display: block; }}"
        for i in range(1, len(drawings) + 1)
    )
    style = f"<style>.switch > .panel {{ display: none; overflow-x: auto; }} {rules}</style>"
    buttons = "".join(
        f'<input type="radio" name="{name}" id="{name}-{i}"{" checked" if i == 0 else ""}>'
        f'<label for="{name}-{i}"> {escape(what)} </label> '
        for i, what in enumerate(drawings)
    )
    panels = "".join(f'<div class="panel">{drawing}</div>' for drawing in drawings.values())
    return f'{style}<div class="switch">{buttons}{panels}</div>'


@dataclass
class _Node:
    """A rule, and where it is drawn."""

    number: int
    record: Mapping[str, Any]
    children: list[_Node] = field(default_factory=list)
    depth: int = 0
    x: float = 0.0
    y: float = 0.0

    @property
    def score(self) -> float:
        return float(self.record["score"])

    @property
    def is_drawn(self) -> bool:
        """Glue, and what only passes its child on, is not."""
        return bool(self.record["words"]) or any(isinstance(item, str) for item in self.record["items"])

    def source(self) -> list[tuple[_Node, str]]:
        """List the source words below the node, each with its rule."""
        words = [(tuple(span), self, text) for span, text in self.record["words"]]
        waiting = [*self.children]
        while waiting:
            node = waiting.pop()
            words += [(tuple(span), node, text) for span, text in node.record["words"]]
            waiting += node.children
        words.sort(key=lambda placed: placed[0])
        return [(node, word) for _, node, text in words for word in split_words(text) or [text]]

    def target(self) -> Iterator[tuple[_Node, str]]:
        """Iterate over the target words below the node, in their order, each with its rule."""
        waiting: list[tuple[_Node, str | int]] = [(self, item) for item in reversed(self.record["items"])]
        while waiting:
            node, item = waiting.pop()
            if isinstance(item, str):
                yield from ((node, word) for word in split_words(item) or [item])
            else:
                child = node.children[item - 1]
                waiting += [(child, each) for each in reversed(child.record["items"])]

    @property
    def width(self) -> float:
        """The width of the wider side."""
        sides = self.source(), [*self.target()]
        return max(_PILL, *(_width([word for _, word in side]) for side in sides))

    def walk(self) -> Iterator[_Node]:
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)


def _read(record: Mapping[str, Any]) -> list[_Node]:
    """Return all rules of a record, the root first."""
    root = _Node(0, record)
    nodes, waiting = [root], [root]
    while waiting:
        node = waiting.pop()
        for child in node.record["children"]:
            made = _Node(len(nodes), child)
            node.children.append(made)
            nodes.append(made)
        waiting += node.children
    return nodes


def _pieces(root: _Node) -> list[_Node]:
    """Return the parts that stand in the same order on both sides: the children of glue."""
    waiting, pieces = [root], list[_Node]()
    while waiting:
        node = waiting.pop(0)
        in_order = [item for item in node.record["items"] if isinstance(item, int)]
        if not node.is_drawn and node.children and in_order == sorted(in_order):
            waiting = [*node.children, *waiting]
        else:
            pieces.append(node)
    return pieces


def _width(words: Sequence[str]) -> float:
    return sum(_of_word(word) for word in words) + _GAP * max(len(words) - 1, 0)


def _of_word(word: str) -> float:
    return max(len(word) * _LETTER + 12, 20)


def _draw_line(svg: ET.Element, pieces: Sequence[_Node], top: float, most: float) -> float:
    """Draw pieces beside one another; give the bottom."""
    levels = 1
    for piece in pieces:
        for node in piece.walk():
            for child in node.children:
                child.depth = node.depth + node.is_drawn
            levels = max(levels, node.depth + 1)
    below = top + _WORD + 34 + levels * _LEVEL
    begin = float(_GAP)
    words: dict[int, list[tuple[float, float, str]]] = {}  # of a rule: middle, upper border, word
    nodes: list[_Node] = []
    for piece in pieces:
        wide = piece.width
        for y, side in ((top, piece.source()), (below, [*piece.target()])):
            x = begin + (wide - _width([word for _, word in side])) / 2
            for node, word in side:
                words.setdefault(node.number, []).append((x + _of_word(word) / 2, y, word))
                x += _of_word(word) + _GAP
        nodes += [node for node in piece.walk() if node.is_drawn]
        begin += wide + 2 * _GAP
    _place(nodes, words, top, begin)
    for node in nodes:
        _draw_rule(svg, node, words.get(node.number, []), most)
    return below + _WORD


def _place(
    nodes: Sequence[_Node], words: Mapping[int, list[tuple[float, float, str]]], top: float, end: float
) -> None:
    """Put the label of each rule between its words, beside the others of its level."""
    by_level: dict[int, list[_Node]] = {}
    for node in nodes:
        all_words = [x for below in node.walk() for x, _, _ in words.get(below.number, [])]
        mine = [x for x, _, _ in words.get(node.number, [])] or all_words
        node.x = sum(mine) / len(mine) if mine else end / 2
        node.y = top + _WORD + 24 + node.depth * _LEVEL
        by_level.setdefault(node.depth, []).append(node)
    for level in by_level.values():
        level.sort(key=lambda node: node.x)
        free = 0.0
        for node in level:
            node.x = max(node.x, free + _PILL / 2)
            free = node.x + _PILL / 2 + 4
        over = free - 4 - max(end, _PILL)
        for node in reversed(level):  # back from beyond the right border
            if over <= 0:
                break
            node.x -= over
            before = level[level.index(node) - 1] if node is not level[0] else None
            over = 0.0 if before is None else before.x + _PILL + 4 - node.x


def _draw_rule(svg: ET.Element, node: _Node, words: Sequence[tuple[float, float, str]], most: float) -> None:
    colour = node.number % len(_COLOURS)
    group = ET.SubElement(svg, "g", {"class": f"rule c{colour}", "tabindex": "0"})
    ET.SubElement(group, "title").text = _tooltip(node.record)
    line = {"stroke": _COLOURS[colour], "fill": "none"}
    for x, y, _ in words:
        is_source = y < node.y
        begin = y + _WORD if is_source else y
        end = node.y - 9 if is_source else node.y + 9
        bend = (begin + end) / 2
        path = f"M{x:.1f} {begin:.1f}C{x:.1f} {bend:.1f} {node.x:.1f} {bend:.1f} {node.x:.1f} {end:.1f}"
        ET.SubElement(group, "path", {"d": path, **line})
    for child in _drawn_below(node):
        tail = f"M{node.x:.1f} {node.y + 9:.1f}L{child.x:.1f} {child.y - 9:.1f}"
        ET.SubElement(group, "path", {"class": "tail", "d": tail, "stroke": "#8c959f"})
    for x, y, word in words:
        wide = _of_word(word)
        box = {"x": f"{x - wide / 2:.1f}", "y": f"{y:.1f}", "width": f"{wide:.1f}", "height": f"{_WORD}"}
        shade = {"fill": _COLOURS[colour], "fill-opacity": "0.14", "rx": "4"}
        ET.SubElement(group, "rect", {"class": "word", **box, **shade})
        _write(group, x, y + 18, word)
    left = node.x - _PILL / 2
    box = {"x": f"{left:.1f}", "y": f"{node.y - 9:.1f}", "width": f"{_PILL}", "height": "18", "rx": "9"}
    ET.SubElement(group, "rect", {"class": "label", **box, "fill": "#ffffff", "stroke": _COLOURS[colour]})
    category = node.record["category"]
    name = "" if category == _USUAL else f"{category[:4]} "
    _write(group, node.x, node.y + 3, f"{name}{_number(node.score)}", kind="score")
    bar = (_PILL - 16) * abs(node.score) / most
    kind = "good" if node.score >= 0 else "bad"
    size = {"x": f"{left + 8:.1f}", "y": f"{node.y + 5:.1f}", "width": f"{bar:.1f}", "height": "2.5"}
    ET.SubElement(group, "rect", {"class": kind, **size})


def _drawn_below(node: _Node) -> Iterator[_Node]:
    waiting = [*node.children]
    while waiting:
        child = waiting.pop()
        if child.is_drawn:
            yield child
        else:
            waiting += child.children


def _write(parent: ET.Element, x: float, y: float, text: str, *, kind: str = "") -> None:
    at = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": "middle"}
    ET.SubElement(parent, "text", {**({"class": kind} if kind else {}), **at}).text = text


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _tooltip(record: Mapping[str, Any]) -> str:
    begin, end = record["span"]
    rule = f"{record['source']} → {record['target']}"
    lines = [f"{record['category']} {begin}–{end}  {rule}", record["text"], f"score {record['score']:.4f}"]
    for feature in record["features"]:
        value, weight = feature["value"], feature["weight"]
        lines.append(f"{feature['feature']}: {value:.4g} × {weight:.4g} = {value * weight:.4f}")
    return "\n".join(lines)


@cache
def _style() -> str:
    return (files(__package__) / "derivation.css").read_text("utf-8")

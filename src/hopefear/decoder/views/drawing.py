"""Drawings of derivations and of small forests: SVG and DOT."""

from __future__ import annotations

from itertools import accumulate
from xml.etree import ElementTree as ET

from ..hypergraph import Hypergraph, drawing
from .tree import TreeNode, derivation_tree, source_side, target_side

MOST_NODES = 60
"""The nodes of the largest forest that is drawn as a graph."""

_LETTER = 7.2  # pixels of a letter of 12 pixels
_ROW = 40
_NARROWEST = 68
_COLOURS = ("#e8f0fa", "#fdf3e1", "#e9f5ea", "#f6e9f3", "#eef0f2")
_TEXT = "font: 12px ui-sans-serif, system-ui, sans-serif"


Point = tuple[float, float]


@drawing.register
def forest_html(forest: Hypergraph) -> str:
    """Draw the best derivation of a forest, and a forest of at most `MOST_NODES` nodes, too."""
    if not len(forest.nodes):
        return "<p>An empty forest.</p>"
    drawn = derivation_svg(derivation_tree(forest))
    return drawn + forest_svg(forest) if len(forest.nodes) <= MOST_NODES else drawn


def derivation_svg(root: TreeNode) -> str:
    """Draw a derivation over the source: a box for each rule, as wide as the words that the rule covers.

    A box shows the target side of its rule and the score; its tooltip also shows the source side and the
    features. The source words are at the bottom.
    """
    nodes = list(root.walk())
    words = [part for _, node in nodes for part in node.words]
    left = _columns(root, [(part.span, part.text) for part in words])
    depth = 1 + max(depth for depth, _ in nodes)
    width, height = left[-1] + 2, (depth + 1) * _ROW
    svg = _picture(width, height, f"Derivation of: {root.text}")
    svg.set("viewBox", f"0 0 {width:.0f} {height}")
    origin = root.span[0]
    for level, node in nodes:
        x, end = left[node.span[0] - origin], left[node.span[1] - origin]
        box = ET.SubElement(svg, "g")
        ET.SubElement(box, "title").text = _tooltip(node)
        ET.SubElement(
            box,
            "rect",
            {
                "x": f"{x + 1:.0f}",
                "y": f"{level * _ROW + 1}",
                "width": f"{max(end - x - 2, 1):.0f}",
                "height": f"{_ROW - 3}",
                "rx": "4",
                "fill": _COLOURS[level % len(_COLOURS)],
                "stroke": "#8a949e",
            },
        )
        middle = (x + end) / 2
        shown = "glue" if node.rule is None else node.target_side or "(nothing)"
        _write(box, middle, level * _ROW + 15, _cut(shown, end - x), "#1f2328")
        _write(box, middle, level * _ROW + 31, _cut(f"{node.category} {node.score:.3g}", end - x), "#57606a")
    for part in words:
        x, end = left[part.span[0] - origin], left[part.span[1] - origin]
        _write(svg, (x + end) / 2, depth * _ROW + 22, part.text, "#0a3069", bold=True)
    return ET.tostring(svg, encoding="unicode")


def forest_svg(forest: Hypergraph) -> str:
    """Draw a forest as a graph: nodes over their spans, a dot for each edge, arrows from tails to head.

    The best derivation is drawn in bold.
    """
    nodes, edges = forest.nodes, forest.edges
    best = set(forest.best().tolist())
    column = 110
    place: list[Point] = []
    spans = nodes.span.tolist()
    level: list[int] = [0] * len(nodes)
    for edge in range(len(edges)):
        tails = edges.tails_of(edge)
        head = int(edges.head[edge])
        level[head] = max([level[head], *(level[tail] + 1 for tail in tails)])
    top = max(level)
    used: dict[int, float] = {}
    for node, (begin, end) in enumerate(spans):
        wanted = (begin + end) / 2 * column
        x = max(wanted, used.get(level[node], 0.0) + column * 0.9)
        used[level[node]] = x
        place.append((x, 30 + (top - level[node]) * 110))
    width, height = max(x for x, _ in place) + 80, 60 + top * 110 + 30
    svg = _picture(width, height, f"Forest of {len(nodes)} nodes and {len(edges)} edges")
    first = nodes.in_edges.tolist()
    for edge in range(len(edges)):
        head = int(edges.head[edge])
        x, y = place[head]
        siblings, number = first[head + 1] - first[head], edge - first[head]
        dot = (x + (number - (siblings - 1) / 2) * 14, y + 46)
        ink = {"stroke": "#0969da", "stroke-width": "2"} if edge in best else {"stroke": "#b6bec6"}
        group = ET.SubElement(svg, "g")
        rule = forest.rule(edge)
        text = f"{source_side(rule)} → {target_side(rule)}\n{edges.score[edge]:.4f}"
        ET.SubElement(group, "title").text = text
        tails = edges.tails_of(edge)
        for point in [(x, y + 14), *((place[tail][0], place[tail][1] - 14) for tail in tails)]:
            _line(group, dot, point, ink)
        ET.SubElement(
            group, "circle", {"cx": f"{dot[0]:.1f}", "cy": f"{dot[1]:.1f}", "r": "4", "fill": ink["stroke"]}
        )
    for node, (x, y) in enumerate(place):
        name = f"{forest.category(int(nodes.category[node]))} {spans[node][0]}–{spans[node][1]}"
        box = ET.SubElement(svg, "g")
        ET.SubElement(
            box,
            "rect",
            {
                "x": f"{x - 44:.1f}",
                "y": f"{y - 14:.1f}",
                "width": "88",
                "height": "28",
                "rx": "14",
                "fill": "#ffffff",
                "stroke": "#57606a",
            },
        )
        _write(box, x, y + 4, _cut(name, 84), "#1f2328")
    return ET.tostring(svg, encoding="unicode")


def forest_dot(forest: Hypergraph) -> str:
    """Write a forest in Graphviz's language; the edges of the best derivation are blue."""
    nodes, edges = forest.nodes, forest.edges
    best = set(forest.best().tolist())
    lines = ["digraph forest {", "  rankdir=BT;", "  node [shape=box, style=rounded];"]
    for node, (begin, end) in enumerate(nodes.span.tolist()):
        name = f"{forest.category(int(nodes.category[node]))} {begin}–{end}"
        lines.append(f"  n{node} [label={_quoted(name)}];")
    for edge in range(len(edges)):
        rule = forest.rule(edge)
        label = _quoted(f"{source_side(rule)} → {target_side(rule)}  {edges.score[edge]:.4g}")
        colour = ", color=blue" if edge in best else ""
        lines.append(f"  e{edge} [shape=plain, label={label}{colour}];")
        lines.append(f"  e{edge} -> n{edges.head[edge]}{' [color=blue]' if edge in best else ''};")
        for tail in edges.tails_of(edge):
            lines.append(f"  n{tail} -> e{edge} [arrowhead=none{colour}];")
    return "\n".join([*lines, "}\n"])


def _picture(width: float, height: float, title: str) -> ET.Element:
    svg = ET.Element("svg", xmlns="http://www.w3.org/2000/svg", width=f"{width:.0f}", height=f"{height}")
    svg.set("role", "img")
    ET.SubElement(svg, "title").text = title
    return svg


def _columns(root: TreeNode, words: list[tuple[tuple[int, int], str]]) -> list[float]:
    """Return the left border of each source position, and the right border of the last."""
    origin, size = root.span[0], root.span[1] - root.span[0]
    widths = [float(_NARROWEST)] * size
    for (begin, end), text in words:
        share = (len(text) * _LETTER + 16) / max(end - begin, 1)
        for position in range(begin - origin, end - origin):
            widths[position] = max(widths[position], share)
    return list(accumulate(widths, initial=0.0))


def _tooltip(node: TreeNode) -> str:
    lines = [node.label, node.text, f"score {node.score:.4f}"]
    lines += [
        f"{one.feature}: {one.value:.4g} × {one.weight:.4g} = {one.product:.4f}" for one in node.features
    ]
    return "\n".join(lines)


def _write(parent: ET.Element, x: float, y: float, text: str, colour: str, *, bold: bool = False) -> None:
    style = f"{_TEXT}; font-weight: 600" if bold else _TEXT
    at = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": "middle", "fill": colour, "style": style}
    ET.SubElement(parent, "text", at).text = text


def _line(
    parent: ET.Element, start: tuple[float, float], end: tuple[float, float], ink: dict[str, str]
) -> None:
    at = {"x1": f"{start[0]:.1f}", "y1": f"{start[1]:.1f}", "x2": f"{end[0]:.1f}", "y2": f"{end[1]:.1f}"}
    ET.SubElement(parent, "line", at | ink)


def _cut(text: str, width: float) -> str:
    fits = max(int((width - 6) / _LETTER), 1)
    return text if len(text) <= fits else text[: fits - 1] + "…"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

"""Drawings of small forests, SVG and DOT, and forests as graphs of networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from hopefear.base import InputError

from ..hypergraph import Hypergraph, drawing
from .derivation_drawing import derivation_svg
from .tree import derivation_tree

if TYPE_CHECKING:
    from networkx import MultiDiGraph

MOST_NODES = 60
"""The nodes of the largest forest that is drawn as a graph."""

_LETTER = 7.2  # pixels of a letter of 12 pixels
_TEXT = "font: 12px ui-sans-serif, system-ui, sans-serif"


Point = tuple[float, float]


@drawing.register
def forest_html(forest: Hypergraph) -> str:
    """Draw the best derivation of a forest, and a forest of at most `MOST_NODES` nodes, too."""
    if not len(forest.nodes):
        return "<p>An empty forest.</p>"
    drawn = derivation_svg(derivation_tree(forest))
    return drawn + forest_svg(forest) if len(forest.nodes) <= MOST_NODES else drawn


def forest_svg(forest: Hypergraph) -> str:
    """Draw a forest as a graph: nodes over their spans, a dot for each edge, arrows from tails to head.

    The best derivation is drawn in bold.
    """
    nodes, edges = forest.nodes, forest.edges
    best = set(forest.best().tolist())
    column = 110
    points: list[Point] = []
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
        points.append((x, 30 + (top - level[node]) * 110))
    width, height = max(x for x, _ in points) + 80, 60 + top * 110 + 30
    svg = _picture(width, height, f"Forest of {len(nodes)} nodes and {len(edges)} edges")
    first = nodes.in_edges.tolist()
    for edge in range(len(edges)):
        head = int(edges.head[edge])
        x, y = points[head]
        siblings, number = first[head + 1] - first[head], edge - first[head]
        dot = (x + (number - (siblings - 1) / 2) * 14, y + 46)
        ink = {"stroke": "#0969da", "stroke-width": "2"} if edge in best else {"stroke": "#b6bec6"}
        group = ET.SubElement(svg, "g")
        rule = forest.rule(edge)
        text = f"{rule.source_side} → {rule.target_side}\n{edges.score[edge]:.4f}"
        ET.SubElement(group, "title").text = text
        tails = edges.tails_of(edge)
        for point in [(x, y + 14), *((points[tail][0], points[tail][1] - 14) for tail in tails)]:
            _line(group, dot, point, ink)
        ET.SubElement(
            group, "circle", {"cx": f"{dot[0]:.1f}", "cy": f"{dot[1]:.1f}", "r": "4", "fill": ink["stroke"]}
        )
    for node, (x, y) in enumerate(points):
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
        label = _quoted(f"{rule.source_side} → {rule.target_side}  {edges.score[edge]:.4g}")
        colour = ", color=blue" if edge in best else ""
        lines.append(f"  e{edge} [shape=plain, label={label}{colour}];")
        lines.append(f"  e{edge} -> n{edges.head[edge]}{' [color=blue]' if edge in best else ''};")
        for tail in edges.tails_of(edge):
            lines.append(f"  n{tail} -> e{edge} [arrowhead=none{colour}];")
    return "\n".join([*lines, "}\n"])


def forest_graph(forest: Hypergraph) -> MultiDiGraph:
    """Return a forest as a `networkx.MultiDiGraph` of ``("node", v)`` and ``("edge", e)``.

    An arrow to an edge comes from each of its tails, with the tail's index, and one goes to its head.

    Raises
    ------
    InputError
        networkx is not installed.
    """
    try:
        from networkx import MultiDiGraph
    except ImportError:
        raise InputError("forest_graph needs networkx: pip install networkx") from None
    nodes, edges = forest.nodes, forest.edges
    graph = MultiDiGraph()
    for node, (category, span) in enumerate(zip(nodes.category.tolist(), nodes.span.tolist(), strict=True)):
        graph.add_node(("node", node), category=forest.category(category), span=tuple(span))
    for edge in range(len(edges)):
        graph.add_node(("edge", edge), rule=str(forest.rule(edge)), score=float(edges.score[edge]))
        graph.add_edge(("edge", edge), ("node", int(edges.head[edge])))
        for index, tail in enumerate(edges.tails_of(edge)):
            graph.add_edge(("node", tail), ("edge", edge), tail=index)
    return graph


def _picture(width: float, height: float, title: str) -> ET.Element:
    svg = ET.Element("svg", xmlns="http://www.w3.org/2000/svg", width=f"{width:.0f}", height=f"{height}")
    svg.set("role", "img")
    ET.SubElement(svg, "title").text = title
    return svg


def _write(parent: ET.Element, x: float, y: float, text: str, colour: str) -> None:
    at = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": "middle", "fill": colour, "style": _TEXT}
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

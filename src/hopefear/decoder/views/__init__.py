"""Views of forests: derivations as trees, comparisons of translations, tables and drawings."""

from __future__ import annotations

from .comparison import Comparison, Contribution, compare, contributions
from .drawing import MOST_NODES, derivation_svg, forest_dot, forest_svg
from .explanation import Explanation, Rival, explain, translated
from .phrases import Alternative, alternatives
from .tables import Cell, Table, data_frame
from .tree import SourceWords, TreeNode, derivation_tree

__all__ = [
    "MOST_NODES",
    "Alternative",
    "Cell",
    "Comparison",
    "Contribution",
    "Explanation",
    "Rival",
    "SourceWords",
    "Table",
    "TreeNode",
    "alternatives",
    "compare",
    "contributions",
    "data_frame",
    "derivation_svg",
    "derivation_tree",
    "explain",
    "forest_dot",
    "forest_svg",
    "translated",
]

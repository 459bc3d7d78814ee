"""Views of forests: derivations as trees, comparisons of translations, and drawings.

Forests know no views; `forest_html` is registered for notebooks when this package is imported.
"""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .comparison import Comparison, Contribution, compare, contributions
from .derivation_drawing import derivation_svg, switched
from .drawing import MOST_NODES, forest_dot, forest_graph, forest_html, forest_svg
from .explanation import Explanation, Rival, explain, tree_of_words
from .phrases import Alternative, alternatives
from .shown import ShownTranslation
from .tree import SourceWords, TreeNode, derivation_tree

__all__ = [
    "MOST_NODES",
    "Alternative",
    "Comparison",
    "Contribution",
    "Explanation",
    "Rival",
    "ShownTranslation",
    "SourceWords",
    "TreeNode",
    "alternatives",
    "compare",
    "contributions",
    "derivation_svg",
    "derivation_tree",
    "explain",
    "forest_dot",
    "forest_graph",
    "forest_html",
    "forest_svg",
    "switched",
    "tree_of_words",
]

check_exports(__name__)

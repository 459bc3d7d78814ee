from __future__ import annotations

import math

from support.plugin_batches import Sentence, Span, fired_on_edges

from hopefear.feature_extractors import CMRReordering
from hopefear.plugins import create

RULES = (
    "[X] ||| [X,1] a [X,2] ||| [1] [2] b",
    "[X] ||| [X,1] a [X,2] ||| b [2] [1]",
    "[S] ||| [S,1] [X,2] ||| [1] [2]",
    "[X] ||| a [X,1] ||| [1] b",
    "[X] ||| a ||| b",
    "[X] ||| [X,1] [X,2] [X,3] ||| [3] [2] [1]",
)


def fire(plugin: CMRReordering, edges: list[tuple[int, Span]]) -> list[dict[str, float]]:
    # cdec looks at the head's span only.
    return fired_on_edges(plugin, RULES, [(rule, span, []) for rule, span in edges], Sentence(), 40)


def test_cdecs_names() -> None:
    # SpanSizeTransform (ff_spans.cc) of 1 to 15: log(s + 1) / log(1.39) is 2.1, 3.3, 4.2, 4.9, 5.4, 5.9, ...
    bins = [1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7]
    assert bins == [int(math.log(size + 1) / math.log(1.39)) - 1 for size in range(1, 16)]
    spans = [(20, 20 + size) for size in range(1, 16)]
    fired = fire(CMRReordering(), [(0, span) for span in spans] + [(1, span) for span in spans])
    assert fired == [{kind: 1, f"{kind}_{size}": 1} for kind in ("CMRMono", "CMRReorder") for size in bins]


def test_spans_at_which_cdec_stops() -> None:
    assert fire(CMRReordering(), [(1, (0, 40))]) == [{"CMRReorder": 1, "CMRReorder_10": 1}]


def test_other_rules_fire_nothing() -> None:
    assert fire(CMRReordering(), [(rule, (0, 4)) for rule in (2, 3, 4, 5)]) == [{}] * 4
    plugin = create("CMR2008ReorderingFeatures --goal X")
    assert fire(plugin, [(0, (0, 4)), (2, (0, 4))]) == [{}, {"CMRMono": 1, "CMRMono_3": 1}]

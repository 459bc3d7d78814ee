"""The charts of a run."""

from __future__ import annotations

import re

import numpy as np

from hopefear.base.charts import COLOURS
from hopefear.reports import colours_of, weight_charts

NAMES = ["LanguageModel", "WordPenalty", "PassThrough", "Glue", "MaxLexEgivenF"]


def test_a_feature_keeps_its_colour_whatever_moves_more() -> None:
    def shown(names: list[str], scale: float) -> dict[str, str]:
        paths = {name: np.array([0.0, 1.0 + i, scale]) for i, name in enumerate(names)}
        charts = "".join(weight_charts(paths, ["start", "pass 1", "now"]))
        found = re.findall(r'<circle class="dot line (c\d)"[^>]*><title>(\w+):', charts)
        assert len({*found}) == len(names)
        return {name: colour for colour, name in found}

    assert shown(NAMES, 1.0) == shown(NAMES[::-1], 900.0)


def test_charts_of_several_runs_give_a_feature_one_colour() -> None:
    together = colours_of(NAMES)
    for some in (NAMES[:2], NAMES[1:4], NAMES[3:]):
        assert colours_of(some, together) == {name: together[name] for name in some}


def test_colours_differ_while_there_are_any_left() -> None:
    for count in (1, 5, COLOURS):
        names = [f"Feature{number}" for number in range(count)]
        assert len({*colours_of(names).values()}) == count
    assert {*colours_of(map(str, range(20))).values()} == {*range(COLOURS)}

"""Runs as tests of parts of their test sets."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from hopefear.base.arrays import Floats

from ..plan import Part
from ..results import Result
from .marks import Marks


def parts_of(runs: Iterable[Result], parts: Sequence[Part], marks: Marks) -> tuple[list[Result], Marks]:
    """Return each run once for each part of its test set, named by first and last sentence, and its marks.

    Sentences count in the order in which a run corrected them; otherwise in that of the set.
    """
    whole: dict[Result, tuple[Result, list[int]]] = {}
    for run in runs:
        order = marks.order(run) or range(run.sentences)
        for first, end in parts:
            places = [*order[first:end]]
            if not places:
                continue
            rows = marks.statistics(run)[places]
            part = replace(
                run,
                tested_on=f"{first + 1}–{first + len(places)}",
                sentences=len(places),
                score=float(marks.metric(run).score(rows.sum(axis=0))),
            )
            whole[part] = run, places

    def statistics(part: Result) -> Floats:
        run, places = whole[part]
        return marks.statistics(run)[places]

    def test_set(part: Result) -> Hashable:
        run, places = whole[part]
        return marks.test_set(run), tuple(places)

    return [*whole], replace(
        marks,
        statistics=statistics,
        test_set=test_set,
        learned_from=lambda part: marks.learned_from(whole[part][0]),
    )

"""Runs as tests of parts of their test sets."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace

from hopefear.base.arrays import Floats

from ..plan import Part
from ..results import Result
from .marks import Marks


def parts_of(runs: Iterable[Result], parts: Sequence[Part], marks: Marks) -> tuple[list[Result], Marks]:
    """Return each run once for each part of its test set, named by first and last sentence, and its marks.

    Sentences count in the order in which a run corrected them. A run that corrected none is divided in each
    of the orders of the others, as if it were a run of the seed that draws the order.
    """
    runs = [*runs]
    whole: dict[Result, tuple[Result, list[int]]] = {}
    for run in runs:
        for seed, order in _orders(run, runs, marks):
            for first, end in parts:
                places = [*order[first:end]]
                if not places:
                    continue
                rows = marks.statistics(run)[places]
                part = replace(
                    run,
                    seed=seed,
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


def _orders(run: Result, runs: Sequence[Result], marks: Marks) -> Iterator[tuple[int, Sequence[int]]]:
    """Iterate over the orders of a run's sentences, with the seeds that draw them."""
    own = marks.order(run)
    if own is not None:
        yield run.seed, own
        return
    same = (other for other in runs if marks.test_set(other) == marks.test_set(run))
    drawn = {other.seed: order for other in same if (order := marks.order(other)) is not None}
    yield from (drawn or {run.seed: range(run.sentences)}).items()

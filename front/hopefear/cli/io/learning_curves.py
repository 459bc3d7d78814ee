"""Learning curves: what the log of a tuning run says of how well it went, pass by pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hopefear.base.stored import parse_json

Interval = tuple[float, float]


class Point(NamedTuple):
    """A score of a set."""

    x: float
    score: float
    interval: Interval | None = None
    """Its 95 % bootstrap interval, where that is known."""


class Series(NamedTuple):
    """Scores of one set, by x."""

    name: str
    points: list[Point]


class Chosen(NamedTuple):
    """The place whose weights are the result."""

    name: str
    x: float


@dataclass(frozen=True)
class LearningCurves:
    """What a picture of learning shows.

    Attributes
    ----------
    title : str
    metric : str
        The name of the metric of all scores.
    x_name : str
        What x counts.
    series : sequence of Series
        Scores of whole sets; none is empty.
    behind : Series or None
        Scores of what changes while learning goes on, to be drawn faintly.
    chosen : Chosen or None
    """

    title: str
    metric: str
    x_name: str
    series: Sequence[Series]
    behind: Series | None = None
    chosen: Chosen | None = None


def read_curves(lines: Iterable[str]) -> tuple[LearningCurves, list[int]]:
    """Read the ``log.jsonl`` of a run.

    Online tuners translate the tuning set while they learn from it: the score of pass n stands at n, the
    updates of pass n between n - 1 and n. Batch tuners and HOLS translate before they learn: a score stands
    at the pass that ended with the weights it was found with, at 0 if the run began with them. After
    ``--resume`` the log may hold updates and passes twice: the last of a number counts.

    Returns
    -------
    curves : LearningCurves
    damaged : list of int
        The numbers of lines, from 1, that are no event of a run; they are left out.
    """
    updates: dict[int, _Update] = {}
    passes: dict[int, _Pass] = {}
    damaged = []
    for number, line in enumerate(lines, 1):
        try:
            event = parse_json(line)
            if event["event"] == "update":
                update = _Update(int(event["pass_number"]), float(event["pseudo_score"]))
                updates[int(event["update"])] = update
            else:
                found = _Pass.of(event)
                passes[found.number] = found
        except (ValueError, TypeError, KeyError, IndexError, OverflowError):
            damaged.append(number)
    records = [passes[number] for number in sorted(passes)]
    what, behind = "pass", None
    if any(record.searched for record in records):
        what, series = "update", _of_hols(records)
    elif any(record.pool is not None for record in records):
        series = [_series("tuning set", [(r.number - 1, r.score) for r in records])]
        pool = [(r.number, r.pool) for r in records]
        behind = _series("tuning set, chosen from the k-best lists so far", pool)
    else:
        series = [_series("tuning set, translated while learning", [(r.number, r.score) for r in records])]
        behind = _pseudo_document([updates[number] for number in sorted(updates)])
    series.append(_series("held-out set", [(r.number, r.development) for r in records]))
    chosen = [record.number for record in records if record.chosen]
    metric = records[-1].metric if records else "score"
    curves = LearningCurves(
        title=f"{metric} while tuning",
        metric=metric,
        x_name="passes done" if what == "pass" else "updates done",
        series=[one for one in series if one.points],
        behind=behind if behind is not None and behind.points else None,
        chosen=Chosen(f"chosen weights: {what} {chosen[-1]}", chosen[-1]) if chosen else None,
    )
    return curves, damaged


class _Score(NamedTuple):
    value: float
    interval: Interval | None = None

    @classmethod
    def of(cls, event: dict[str, Any], score: str, interval: str = "") -> _Score | None:
        if event.get(score) is None:
            return None
        bounds = event.get(interval)
        return cls(float(event[score]), None if bounds is None else (float(bounds[0]), float(bounds[1])))


class _Update(NamedTuple):
    pass_number: int
    score: float


class _Pass(NamedTuple):
    """What the log says of a pass."""

    number: int
    metric: str
    score: _Score | None
    pool: _Score | None
    searched: _Score | None
    held_out: bool
    development: _Score | None
    chosen: bool

    @classmethod
    def of(cls, event: dict[str, Any]) -> _Pass:
        return cls(
            number=int(event["pass_number"]),
            metric=str(event["metric"]),
            score=_Score.of(event, "score", "score_interval"),
            pool=_Score.of(event, "pool_score"),
            searched=_Score.of(event, "search_score", "search_interval"),
            held_out=bool(event.get("held_out")),
            development=_Score.of(event, "development_score", "development_interval"),
            chosen=bool(event.get("chosen")),
        )


def _series(name: str, scores: Iterable[tuple[float, _Score | None]]) -> Series:
    return Series(name, [Point(x, *score) for x, score in scores if score is not None])


def _of_hols(records: list[_Pass]) -> list[Series]:
    """Give the scores of the sets of line searches, before the first and after each."""
    series = []
    folds = any(record.held_out for record in records)
    last = "the last line search" if folds else "line searches"
    names = {True: "held-out fold, on which line searches ran", False: f"tuning set, on which {last} ran"}
    for held_out, name in names.items():
        own = [record for record in records if record.held_out == held_out]
        before = [(record.number - 1, record.score) for record in own[:1]]
        after = [(record.number, record.searched) for record in own]
        series.append(_series(name, [*before, *after]))
    return series


def _pseudo_document(updates: list[_Update]) -> Series:
    """Spread the updates of each pass over it."""
    of_pass, done = Counter(update.pass_number for update in updates), Counter[int]()
    points = []
    for number, score in updates:
        done[number] += 1
        points.append(Point(number - 1 + done[number] / of_pass[number], score))
    return Series("pseudo-document after each update", points)

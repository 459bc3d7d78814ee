"""Learning curves: what the log of a tuning run says of the scores, pass by pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hopefear.base.stored import parse_json

from .base import Interval

_LARGEST, _LARGEST_WHOLE = 1e100, 10**15
"""Of the numbers of a log, that pictures and counts can take."""


class LearningPoint(NamedTuple):
    """A score of a set."""

    x: float
    score: float
    interval: Interval | None = None
    """Its 95 % bootstrap interval, where that is known."""


class Series(NamedTuple):
    """Scores of one set, by x."""

    name: str
    points: list[LearningPoint]


class Chosen(NamedTuple):
    """The place whose weights are the result."""

    name: str
    x: float


@dataclass(frozen=True)
class LearningCurves:
    """What a picture of learning shows."""

    title: str
    metric: str
    x_name: str
    series: Sequence[Series]
    behind: Series | None = None
    chosen: Chosen | None = None


class LearningLog:
    """The ``log.jsonl`` of a tuning run.

    Online tuners translate the tuning set while they learn from it: the score of pass n stands at n, the
    updates of pass n between n - 1 and n; of several first passes, those of the one that the run has gone on
    from count, or of the one under way. Batch tuners and HOLS translate before they learn: a score stands
    at the pass that ended with the weights it was found with, at 0 if the run began with them. After a
    resumption the log may hold updates and passes twice: the last of a number counts. The choice of a tuner
    is no part of these scores.
    """

    def __init__(self, lines: Iterable[str], number: str = "score") -> None:
        self.damaged: dict[int, str] = {}
        updates: dict[tuple[int, int], _Update] = {}
        passes: dict[int, _Pass] = {}
        for line_number, line in enumerate(lines, 1):
            try:
                event = parse_json(line)
                if event["event"] == "update":
                    start = _whole(event.get("start", 1))
                    update = _Update(_whole(event["pass_number"]), _number(event["pseudo_score"]), start)
                    updates[start, _whole(event["update"])] = update
                elif event["event"] != "choice":
                    found = _Pass.of(event, number)
                    passes[found.number] = found
            except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
                self.damaged[line_number] = str(error)
        self._number = number
        self._passes = [passes[number] for number in sorted(passes)]
        of = self._passes[-1:] or updates.values()
        start = max((one.start for one in of), default=1)
        self._updates = [update for _, update in sorted(updates.items()) if update.start == start]

    @property
    def pass_numbers(self) -> list[int]:
        """The numbers of the passes, ascending."""
        return [record.number for record in self._passes]

    @property
    def updates(self) -> int:
        """The number of updates so far."""
        return len(self._updates)

    @property
    def metric(self) -> str:
        """The name of the metric of all scores; "score" without a pass."""
        return self._passes[-1].metric if self._passes else "score"

    def scores(self, name: str = "tuning set") -> Series:
        """Return the scores of the sentences learned from, as the passes translated them."""
        return _series(name, [(record.translated_at, record.score) for record in self._passes])

    def numbers(self) -> Series:
        """Return the number of each pass: scores as in `scores`, another number at the end of a pass."""
        if self._number == "score":
            return self.scores()
        return Series(self._number, [LearningPoint(record.number, record.value) for record in self._passes])

    def length_ratios(self) -> list[tuple[int, float]]:
        """Return pass and length ratio of the passes that have one: those of online tuners."""
        return [(one.number, one.length_ratio) for one in self._passes if one.length_ratio is not None]

    def curves(self) -> LearningCurves:
        """Return what a picture of learning shows."""
        records, what, behind = self._passes, "pass", None
        if any(record.searched for record in records):
            what, series = "update", _of_hols(records)
        elif any(record.pool is not None for record in records):
            series = [self.scores()]
            pool = [(r.number, r.pool) for r in records]
            behind = _series("tuning set, chosen from the k-best lists so far", pool)
        else:
            series = [self.scores("tuning set, translated while learning")]
            behind = _pseudo_document(self._updates)
        series.append(_series("held-out set", [(r.number, r.development) for r in records]))
        chosen = [record.number for record in records if record.chosen]
        return LearningCurves(
            title=f"{self.metric} while tuning",
            metric=self.metric,
            x_name="passes done" if what == "pass" else "updates done",
            series=[one for one in series if one.points],
            behind=behind if behind is not None and behind.points else None,
            chosen=Chosen(f"chosen weights: {what} {chosen[-1]}", chosen[-1]) if chosen else None,
        )


def _number(value: Any) -> float:
    """Return a number that can be drawn."""
    number = float(value)
    if not abs(number) <= _LARGEST:
        raise ValueError(f"expected a number of at most {_LARGEST:g} in size, got {value}")
    return number


def _whole(value: Any) -> int:
    number = _number(value)
    if not number.is_integer() or abs(number) > _LARGEST_WHOLE:
        raise ValueError(f"expected a whole number of at most {_LARGEST_WHOLE}, got {value}")
    return int(number)


class _Score(NamedTuple):
    value: float
    interval: Interval | None = None

    @classmethod
    def of(cls, event: dict[str, Any], score: str, interval: str = "") -> _Score | None:
        if event.get(score) is None:
            return None
        bounds = event.get(interval)
        return cls(
            _number(event[score]), None if bounds is None else (_number(bounds[0]), _number(bounds[1]))
        )


class _Update(NamedTuple):
    pass_number: int
    score: float
    start: int


class _Pass(NamedTuple):
    """What the log says of a pass."""

    number: int
    value: float
    metric: str
    score: _Score | None
    pool: _Score | None
    searched: _Score | None
    held_out: bool
    development: _Score | None
    chosen: bool
    length_ratio: float | None
    start: int

    @classmethod
    def of(cls, event: dict[str, Any], number: str) -> _Pass:
        return cls(
            value=_number(event[number]),
            number=_whole(event["pass_number"]),
            metric=str(event["metric"]),
            score=_Score.of(event, "score", "score_interval"),
            pool=_Score.of(event, "pool_score"),
            searched=_Score.of(event, "search_score", "search_interval"),
            held_out=bool(event.get("held_out")),
            development=_Score.of(event, "development_score", "development_interval"),
            chosen=bool(event.get("chosen")),
            length_ratio=_number(event["length_ratio"]) if "length_ratio" in event else None,
            start=_whole(event.get("start", 1)),
        )

    @property
    def translated_at(self) -> int:
        """The number of passes done when the sentences learned from were translated."""
        return self.number if self.pool is None else self.number - 1


def _series(name: str, scores: Iterable[tuple[float, _Score | None]]) -> Series:
    return Series(name, [LearningPoint(x, *score) for x, score in scores if score is not None])


def _of_hols(records: list[_Pass]) -> list[Series]:
    """Return the scores of the sets of line searches, before the first and after each."""
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
    for number, score, _ in updates:
        done[number] += 1
        points.append(LearningPoint(number - 1 + done[number] / of_pass[number], score))
    return Series("pseudo-document after each update", points)

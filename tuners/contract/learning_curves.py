"""Learning curves: what the log of a tuning run says of the scores, pass by pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct

from hopefear.base.stored import parse_json
from hopefear.base.typed import typed

from .base import Interval

_Number = Annotated[float, Meta(ge=-1e100, le=1e100)]
"""A number that can be drawn."""
_Whole = Annotated[int, Meta(ge=-(10**15), le=10**15)]
_Bounds = tuple[_Number, _Number]


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
        self._number, self._values = number, dict[int, float]()
        for line_number, line in enumerate(lines, 1):
            try:
                event = parse_json(line)
                if event["event"] == "update":
                    update = typed(_Update, event)
                    updates[update.start, update.update] = update
                elif event["event"] != "choice":
                    value, found = typed(_Number, event[number]), typed(_Pass, event)
                    self._values[found.pass_number], passes[found.pass_number] = value, found
            except (ValueError, TypeError, KeyError) as error:
                self.damaged[line_number] = str(error)
        self._passes = [passes[number] for number in sorted(passes)]
        of = self._passes[-1:] or updates.values()
        start = max((one.start for one in of), default=1)
        self._updates = [update for _, update in sorted(updates.items()) if update.start == start]

    @property
    def pass_numbers(self) -> list[int]:
        """The numbers of the passes, ascending."""
        return [record.pass_number for record in self._passes]

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
        return _series(name, [(one.translated_at, one.score, one.score_interval) for one in self._passes])

    def numbers(self) -> Series:
        """Return the number of each pass: scores as in `scores`, another number at the end of a pass."""
        if self._number == "score":
            return self.scores()
        return Series(self._number, [LearningPoint(*each) for each in sorted(self._values.items())])

    def length_ratios(self) -> list[tuple[int, float]]:
        """Return pass and length ratio of the passes that have one: those of online tuners."""
        return [(one.pass_number, one.length_ratio) for one in self._passes if one.length_ratio is not None]

    def curves(self) -> LearningCurves:
        """Return what a picture of learning shows."""
        records, what, behind = self._passes, "pass", None
        if any(record.search_score is not None for record in records):
            what, series = "update", _of_hols(records)
        elif any(record.pool_score is not None for record in records):
            series = [self.scores()]
            pool = [(r.pass_number, r.pool_score, None) for r in records]
            behind = _series("tuning set, chosen from the k-best lists so far", pool)
        else:
            series = [self.scores("tuning set, translated while learning")]
            behind = _pseudo_document(self._updates)
        development = [(r.pass_number, r.development_score, r.development_interval) for r in records]
        series.append(_series("held-out set", development))
        chosen = [record.pass_number for record in records if record.chosen]
        return LearningCurves(
            title=f"{self.metric} while tuning",
            metric=self.metric,
            x_name="passes done" if what == "pass" else "updates done",
            series=[one for one in series if one.points],
            behind=behind if behind is not None and behind.points else None,
            chosen=Chosen(f"chosen weights: {what} {chosen[-1]}", chosen[-1]) if chosen else None,
        )


class _Update(Struct, frozen=True):
    update: _Whole
    pass_number: _Whole
    pseudo_score: _Number
    start: _Whole = 1


class _Pass(Struct, frozen=True):
    """What the log says of a pass."""

    pass_number: _Whole
    metric: str
    score: _Number | None = None
    score_interval: _Bounds | None = None
    pool_score: _Number | None = None
    search_score: _Number | None = None
    search_interval: _Bounds | None = None
    held_out: bool = False
    development_score: _Number | None = None
    development_interval: _Bounds | None = None
    chosen: bool = False
    length_ratio: _Number | None = None
    start: _Whole = 1

    @property
    def translated_at(self) -> int:
        """The number of passes done when the sentences learned from were translated."""
        return self.pass_number if self.pool_score is None else self.pass_number - 1


def _series(name: str, scores: Iterable[tuple[float, float | None, Interval | None]]) -> Series:
    known = [LearningPoint(x, score, interval) for x, score, interval in scores if score is not None]
    return Series(name, known)


def _of_hols(records: list[_Pass]) -> list[Series]:
    """Return the scores of the sets of line searches, before the first and after each."""
    series = []
    folds = any(record.held_out for record in records)
    last = "the last line search" if folds else "line searches"
    names = {True: "held-out fold, on which line searches ran", False: f"tuning set, on which {last} ran"}
    for held_out, name in names.items():
        own = [record for record in records if record.held_out == held_out]
        before = [(record.pass_number - 1, record.score, record.score_interval) for record in own[:1]]
        after = [(record.pass_number, record.search_score, record.search_interval) for record in own]
        series.append(_series(name, [*before, *after]))
    return series


def _pseudo_document(updates: list[_Update]) -> Series:
    """Spread the updates of each pass over it."""
    of_pass, done = Counter(update.pass_number for update in updates), Counter[int]()
    points = []
    for update in updates:
        number = update.pass_number
        done[number] += 1
        points.append(LearningPoint(number - 1 + done[number] / of_pass[number], update.pseudo_score))
    return Series("pseudo-document after each update", points)

"""What a translator's page shows of learning: a reader of the events of a session."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from hopefear.base.texts import split_words
from hopefear.decoder import Segment
from hopefear.metrics import Bleu, Ksmr, Metric, Ter, approximate_randomisation, paired_bootstrap
from hopefear.text.documents import Unit

from ..events import Corrected, Effort, Event, Measured, Withdrawn
from ..session import LiveSession
from .models import ComparedScore, CurvePoint, ReportPart, SessionInfo, SessionReport
from .system import TranslationSystem

_MOST_POINTS = 300
"""Points of a curve; when there are more, every second is dropped."""

_LATEST = 30
"""The sentences of a point, and those whose time is told."""

_SHUFFLES = 2000
"""Of the test of a difference."""

_SHOWN_RULES, _LONGEST_RULE = 6, 4
"""Rules of a correction that are shown, and their most source words."""

_TER, _KSMR, _BLEU = Ter(), Ksmr(), Bleu()
_METRICS: tuple[Metric, ...] = (_TER, _KSMR, _BLEU)
_ENDS = np.cumsum([one.size for one in _METRICS]).tolist()
_SIZE = 2 * _ENDS[-1]
"""Numbers of the statistics of a correction: of what was shown, then of the untouched system."""


def measure(
    event: Corrected, session: LiveSession, system: TranslationSystem, unit: Unit | None = None
) -> Measured:
    """Measure what was shown, and what the untouched system says, against a correction of a unit."""
    assert event.shown is not None
    source, target = event.texts()
    shown, untouched = event.shown.text, event.shown.untouched
    if untouched is None:
        untouched = system.says(source, unit=unit)
    of_shown = _statistics(shown, target, system)
    of_untouched = of_shown if untouched == shown else _statistics(untouched, target, system)
    rules = _new_rules(event, session, system)
    return Measured(event.number, untouched, (*of_shown, *of_untouched), tuple(rules))


def _statistics(text: str, target: str, system: TranslationSystem) -> list[float]:
    """Return the statistics of a translation: words are compared by TER and BLEU, what is typed by KSMR."""
    words, wanted = system.compared(text), system.compared(target)
    typed = _KSMR.stats(text, [target])
    return [*_TER.stats(words, [wanted]).tolist(), *typed.tolist(), *_BLEU.stats(words, [wanted]).tolist()]


def _new_rules(event: Corrected, session: LiveSession, system: TranslationSystem) -> list[tuple[str, str]]:
    """List rules of a correction that the untouched system does not have, the shortest first."""
    correction = session.active.corrections.get(event.number)
    if correction is None:
        return []
    segment = Segment(correction.source)
    texts = [f" {' '.join(side)} " for side in (correction.source, correction.target)]
    learned = []
    for rule in session.learned_rules(segment):
        words = [
            side for side in (rule.source, rule.target) if all(isinstance(symbol, str) for symbol in side)
        ]
        if len(words) == 2 and len(rule.source) <= _LONGEST_RULE:
            source, target = (" ".join(map(str, side)) for side in words)
            if f" {source} " in texts[0] and f" {target} " in texts[1]:
                learned.append((source, target))
    if not learned:
        return []
    untouched = system.known_rules(segment)
    new = [pair for pair in dict.fromkeys(learned) if pair not in untouched]
    return sorted(new, key=lambda pair: (len(split_words(pair[0])), len(split_words(pair[1]))))[:_SHOWN_RULES]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A corrected sentence."""

    rows: NDArray[np.float32]
    document: int | None
    expert: str | None
    effort: Effort | None


class Figures:
    """The work of a session, and the rules that are new by its corrections."""

    def __init__(self) -> None:
        self.unmeasured: dict[int, Corrected] = {}
        self._rules: dict[int, str] = {}  # lines of two sides take the least memory
        self._sentences: dict[int, _Sentence] = {}  # by the number of the correction
        self._of_place: dict[tuple[int, int], int] = {}  # the same numbers, by document and sentence
        self._latest: deque[int] = deque(maxlen=_LATEST)
        self._points: list[CurvePoint] = []
        self._count, self._every = 0, 1

    def read(self, event: Event) -> None:
        """Take in an event."""
        match event:
            case Corrected():
                for number in event.forgets:
                    self._rules.pop(number, None)
                if event.shown is not None:
                    self.unmeasured[event.number] = event
                    self._rules.pop(event.shown.replaces or 0, None)
            case Withdrawn():
                self._rules.pop(event.number, None)
            case Measured() if len(event.statistics) == _SIZE:  # else it is measured anew, by these metrics
                self._add(self.unmeasured.pop(event.number), event)
                if event.rules:
                    self._rules[event.number] = "\n".join(map("\t".join, event.rules))

    def rules(self, number: int) -> list[tuple[str, str]]:
        """List both sides of the rules that are new by a correction."""
        lines = (line.partition("\t") for line in self._rules.get(number, "").split("\n") if line)
        return [(source, target) for source, _, target in lines]

    def _add(self, event: Corrected, measured: Measured) -> None:
        shown = event.shown
        assert shown is not None
        effort, replaced = shown.effort, shown.replaces or 0
        if shown.place is not None:  # between two corrections, a translation by hand has no number
            replaced = replaced or self._of_place.get(shown.place, 0)
            self._of_place[shown.place] = event.number
        before = self._sentences.pop(replaced, None)
        if before is not None:  # corrected once more: the same sentence, and more work
            self._latest = deque((number for number in self._latest if number != replaced), _LATEST)
            effort = _together([before.effort, effort])
        rows = np.array(measured.statistics, np.float32).reshape(2, -1)
        self._sentences[event.number] = _Sentence(rows, event.document, shown.expert, effort)
        self._latest.append(event.number)
        self._count += 1
        self._points = [point for point in self._points if point.corrections % self._every == 0]
        self._points.append(self._point())
        if len(self._points) > _MOST_POINTS:
            self._every *= 2

    def points(self) -> list[CurvePoint]:
        """List points of the curves, with the latest one."""
        return self._points

    def seconds_a_sentence(self) -> float | None:
        """Return the median time of the latest sentences; None if it was not counted."""
        efforts = [self._sentences[number].effort for number in self._latest]
        times = [effort.seconds for effort in efforts if effort is not None]
        return round(median(times), 1) if times else None

    def _point(self) -> CurvePoint:
        rows = np.stack([self._sentences[number].rows for number in self._latest])
        return CurvePoint(corrections=self._count, **_means(rows))

    def report(self, about: SessionInfo, names: dict[int, str]) -> Callable[[], SessionReport]:
        """Return what reports on the work so far, also while the session goes on."""
        sentences, points = list(self._sentences.values()), list(self._points)
        return lambda: _report(about, names, sentences, points)


def _report(
    about: SessionInfo, names: dict[int, str], sentences: Sequence[_Sentence], points: list[CurvePoint]
) -> SessionReport:

    def document(sentence: _Sentence) -> str:
        return (
            "other sentences"
            if sentence.document is None
            else names.get(sentence.document, "a deleted document")
        )

    effort = _together(sentence.effort for sentence in sentences)
    hter, ksmr, bleu = _scores(sentences)
    return SessionReport(
        **dict(about),
        sentences=len(sentences),
        unchanged=sum(not sentence.rows[0, _ENDS[0]] for sentence in sentences),
        hter=hter,
        ksmr=ksmr,
        bleu=bleu,
        counted=sum(sentence.effort is not None for sentence in sentences),
        keys=effort.keys if effort else 0,
        clicks=effort.clicks if effort else 0,
        seconds=effort.seconds if effort else 0.0,
        documents=_parts((sentence.document, document(sentence), sentence) for sentence in sentences),
        experts=_parts((sentence.expert, sentence.expert or "not known", sentence) for sentence in sentences),
        points=points,
    )


def _scores(sentences: Sequence[_Sentence]) -> list[ComparedScore | None]:
    """Compare what was shown with the untouched system by each metric."""
    if not sentences:
        return [None] * len(_METRICS)
    rows = np.stack([sentence.rows for sentence in sentences]).astype(float)
    scores: list[ComparedScore | None] = []
    for metric, end in zip(_METRICS, _ENDS, strict=True):
        shown, untouched = rows[:, :, end - metric.size : end].swapaxes(0, 1)
        apart = paired_bootstrap(untouched, shown, metric)
        test = approximate_randomisation([untouched], [shown], metric, shuffles=_SHUFFLES, samples=2)
        scores.append(
            ComparedScore(
                shown=apart.system.value,
                untouched=apart.baseline.value,
                difference=apart.delta.value,
                interval=(apart.delta.lower, apart.delta.upper),
                p=test.p_value,
            )
        )
    return scores


def _parts(sentences: Iterable[tuple[object, str, _Sentence]]) -> list[ReportPart]:
    """Divide sentences by what is before them; the names of the parts are next to it."""
    parts: dict[object, tuple[str, list[_Sentence]]] = {}
    for key, name, sentence in sentences:
        parts.setdefault(key, (name, []))[1].append(sentence)
    reported = []
    for name, members in parts.values():
        effort = _together(sentence.effort for sentence in members)
        rows = np.stack([sentence.rows for sentence in members])
        means = _means(rows)
        seconds = effort.seconds if effort else None
        reported.append(ReportPart(name=name, sentences=len(members), seconds=seconds, **means))
    return reported


def _together(efforts: Iterable[Effort | None]) -> Effort | None:
    """Return the efforts that were counted as one; None if none was."""
    counted = [effort for effort in efforts if effort is not None]
    return sum(counted[1:], counted[0]) if counted else None


def _means(rows: NDArray[np.float32]) -> dict[str, float]:
    """Return mean error rates over sentences, of what was shown and of the untouched system."""
    rates = {}
    for name, metric, end in zip(("hter", "ksmr"), _METRICS, _ENDS, strict=False):
        means = metric.scores(rows[:, :, end - metric.size : end].astype(float)).mean(axis=0)
        rates[name], rates[f"untouched_{name}"] = np.round(means, 2).tolist()
    return rates

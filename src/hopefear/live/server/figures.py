"""What a translator's page shows of learning: a reader of the events of a session."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from hopefear.decoder import Segment
from hopefear.metrics import Bleu, Ter
from hopefear.text.documents import Unit

from ..events import Corrected, Event, Measured, Withdrawn
from ..session import LiveSession
from .models import Point
from .system import System

_MOST_POINTS = 300
"""Points of a curve; when there are more, every second is dropped."""

_LATEST = 20
"""Corrections that the speed counts."""

_SHOWN_RULES, _LONGEST_RULE = 6, 4
"""Rules of a correction that are shown, and their most source words."""

_TER, _BLEU = Ter(), Bleu()
_SIZE = 2 * (_TER.size + _BLEU.size)
"""Numbers of the statistics of a correction: TER and BLEU of what was shown, then of the untouched system."""


def measure(event: Corrected, session: LiveSession, system: System, unit: Unit | None = None) -> Measured:
    """Measure what was shown, and what the untouched system says, against a correction of a unit."""
    assert event.shown is not None
    source, target = event.texts()
    shown, untouched = event.shown.text, event.shown.untouched
    if untouched is None:
        untouched = system.says(source, unit=unit)
    compared = [system.compared(text) for text in (shown, untouched, target)]
    of_shown = _of(compared[0], compared[2])
    of_untouched = of_shown if untouched == shown else _of(compared[1], compared[2])
    rules = _new_rules(event, session, system)
    return Measured(event.number, untouched, (*of_shown, *of_untouched), tuple(rules))


def _new_rules(event: Corrected, session: LiveSession, system: System) -> list[tuple[str, str]]:
    """List rules of a correction that the untouched system does not have, the shortest first."""
    correction = session.ledger.corrections.get(event.number)
    if correction is None:
        return []
    segment = Segment(correction.source)
    texts = [f" {' '.join(side)} " for side in (correction.source, correction.target)]
    learned = []
    for rule in session.learned_rules(segment):
        words = [side for side in (rule.source, rule.target) if all(isinstance(one, str) for one in side)]
        if len(words) == 2 and len(rule.source) <= _LONGEST_RULE:
            source, target = (" ".join(map(str, side)) for side in words)
            if f" {source} " in texts[0] and f" {target} " in texts[1]:
                learned.append((source, target))
    if not learned:
        return []
    known = system.known_rules(segment)
    new = [pair for pair in dict.fromkeys(learned) if pair not in known]
    return sorted(new, key=lambda pair: (len(pair[0].split()), len(pair[1].split())))[:_SHOWN_RULES]


def _of(text: str, target: str) -> list[float]:
    return [*_TER.stats(text, [target]).tolist(), *_BLEU.stats(text, [target]).tolist()]


class Figures:
    """The curves of a session, its speed, and the rules that are new by its corrections.

    The curves are HTER and BLEU of all corrections so far, with learning and without. HTER is the translation
    edit rate of what was shown against the correction, BLEU is the corpus score.

    Attributes
    ----------
    unmeasured : dict of int to Corrected
        The corrections that wait for their `Measured`, by number.
    """

    def __init__(self) -> None:
        self.unmeasured: dict[int, Corrected] = {}
        self._rules: dict[int, str] = {}  # lines of two sides take the least memory
        self._sum = np.zeros(_SIZE)
        self._points: list[Point] = []
        self._every = 1
        self._count = 0
        self._times: deque[float] = deque(maxlen=_LATEST)

    def read(self, event: Event) -> None:
        """Take in an event.

        Raises
        ------
        KeyError
            It measures a correction that was not made, or was measured before.
        ValueError
            It measures something else.
        """
        match event:
            case Corrected():
                for number in event.forgets:
                    self._rules.pop(number, None)
                if event.shown is not None:
                    self.unmeasured[event.number] = event
                    self._rules.pop(event.shown.replaces or 0, None)
            case Withdrawn():
                self._rules.pop(event.number, None)
            case Measured():
                if len(event.statistics) != _SIZE:
                    raise ValueError(f"expected {_SIZE} statistics, got {len(event.statistics)}")
                self._add(event.statistics, self.unmeasured.pop(event.number).time)
                if event.rules:
                    self._rules[event.number] = "\n".join(map("\t".join, event.rules))

    def rules(self, number: int) -> list[tuple[str, str]]:
        """List both sides of the rules that are new by a correction."""
        lines = (line.partition("\t") for line in self._rules.get(number, "").split("\n") if line)
        return [(source, target) for source, _, target in lines]

    def _add(self, statistics: Sequence[float], time: float) -> None:
        self._sum += statistics
        self._count += 1
        self._times.append(time)
        if self._count % self._every == 0:
            self._points.append(self._point())
        if len(self._points) > _MOST_POINTS:
            self._every *= 2
            self._points = [one for one in self._points if one.corrections % self._every == 0]

    def points(self) -> list[Point]:
        """List points of the curves, with the latest one."""
        if self._count and (not self._points or self._points[-1].corrections != self._count):
            return [*self._points, self._point()]
        return self._points

    def speed(self) -> float | None:
        """Return the sentences a minute of the latest corrections; None if there are too few."""
        if len(self._times) < 2 or self._times[-1] <= self._times[0]:
            return None
        return 60 * (len(self._times) - 1) / (self._times[-1] - self._times[0])

    def _point(self) -> Point:
        scores = []
        for half in np.split(self._sum, 2):
            scores += [_TER.score(half[: _TER.size]), _BLEU.score(half[_TER.size :])]
        hter, bleu, untouched_hter, untouched_bleu = (round(float(score), 2) for score in scores)
        return Point(
            corrections=self._count,
            hter=hter,
            bleu=bleu,
            untouched_hter=untouched_hter,
            untouched_bleu=untouched_bleu,
        )

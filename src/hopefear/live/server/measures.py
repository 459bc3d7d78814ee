"""What a translator's page shows of learning: scores of what was shown against what was wanted, and speed."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from hopefear.metrics import Bleu, Ter

_MOST_POINTS = 300
"""Points of a curve; when there are more, every second is dropped."""

_LATEST = 20
"""Corrections that the speed counts."""

_TER, _BLEU = Ter(), Bleu()
SIZE = 2 * (_TER.size + _BLEU.size)
"""Numbers of the statistics of a correction."""


def statistics(shown: str, untouched: str, target: str) -> list[float]:
    """Measure what was shown, and what the untouched system says, against a correction.

    Returns
    -------
    list of float
        Statistics of TER and BLEU of what was shown, then of the untouched system.
    """
    of_shown = _of(shown, target)
    return [*of_shown, *(of_shown if untouched == shown else _of(untouched, target))]


def _of(text: str, target: str) -> list[float]:
    return [*_TER.stats(text, [target]).tolist(), *_BLEU.stats(text, [target]).tolist()]


class Progress:
    """The curves of a session: HTER and BLEU of all corrections so far, with learning and without.

    HTER is the translation edit rate of what was shown against the correction, BLEU is the corpus score.
    """

    def __init__(self) -> None:
        self._sum = np.zeros(SIZE)
        self._points: list[dict[str, float]] = []
        self._every = 1
        self._count = 0
        self._times: deque[float] = deque(maxlen=_LATEST)

    def add(self, statistics: Sequence[float], time: float) -> None:
        """Add a correction with its statistics and its time, in seconds since the epoch."""
        self._sum += statistics
        self._count += 1
        self._times.append(time)
        if self._count % self._every == 0:
            self._points.append(self._point())
        if len(self._points) > _MOST_POINTS:
            self._every *= 2
            self._points = [one for one in self._points if one["corrections"] % self._every == 0]

    def record(self) -> dict[str, Any]:
        """Give points and speed as JSON can hold them."""
        points = self._points
        if self._count and (not points or points[-1]["corrections"] != self._count):
            points = [*points, self._point()]
        return {"points": points, "sentences_a_minute": self._speed()}

    def _speed(self) -> float | None:
        if len(self._times) < 2 or self._times[-1] <= self._times[0]:
            return None
        return 60 * (len(self._times) - 1) / (self._times[-1] - self._times[0])

    def _point(self) -> dict[str, float]:
        scores = []
        for half in np.split(self._sum, 2):
            scores += [_TER.score(half[: _TER.size]), _BLEU.score(half[_TER.size :])]
        names = ("hter", "bleu", "untouched_hter", "untouched_bleu")
        rounded = (round(float(score), 2) for score in scores)
        return {"corrections": self._count, **dict(zip(names, rounded, strict=True))}

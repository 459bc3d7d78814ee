"""Experts: weight vectors over one forest, of which a session shows the one that has cost the least work.

What a correction would have cost with each expert's translation is known, whichever was shown. So the trust
in the experts follows from the events of a session, by the fixed-share forecaster (Herbster and Warmuth
1998): an expert's trust falls by a factor exp(-η · cost), and with each correction a small share of all trust
is divided anew. For n experts and a stream on which the best expert changes k times, the mean cost by these
trusts is at most that of these best experts plus (ln n + k ln(1/α)) / η, up to terms of the second order:
an expert whose translation is far too long may cost more in one sentence than it has saved, so the lengths
count, too.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .active_corrections import Effect
from .events import Corrected
from .part import SessionPart

CERTAIN, UNTOUCHED, ADAPTED, LEARNED = "certain", "untouched", "adapted", "learned"
"""The experts: the system with what follows from corrections for certain, the words that it does not know and
the sentences that are close to corrected ones; without corrections; with all that corrections add, and
weights that stay; and with weights that have learned."""

ETA = 0.2
"""η, for a cost of one edit."""

ALPHA, ALPHA_OF_DOCUMENT = 0.001, 0.05
"""The share of all trust that is divided anew at a correction, and at the first one of a document."""

PRIOR = {CERTAIN: 0.8, UNTOUCHED: 0.1, ADAPTED: 0.05, LEARNED: 0.05}
"""How far each expert is trusted at first, and its part of what is divided anew."""


class Experts(SessionPart):
    """The trust in the experts of a session, which follows from its events."""

    def __init__(self) -> None:
        self._prior = self._trust = np.array([*PRIOR.values()])
        self._document: int | None = None

    @property
    def trust(self) -> dict[str, float]:
        """How far each expert is trusted; adds up to 1."""
        return dict(zip(PRIOR, self._trust.tolist(), strict=True))

    def best_for(self, words: Mapping[str, int]) -> str:
        """Return the expert that is trusted most for a sentence; of equal ones the first.

        If a correction has no more words than the untouched translation, u, this one costs at most u edits,
        and one of n words at least n - u. So trust falls as if n - 2u edits, where positive, were known.
        """
        u = words[UNTOUCHED]
        more = np.array([max(0, words[name] - 2 * u) if u else 0 for name in PRIOR])
        return [*PRIOR][int(np.argmax(np.log(self._trust) - ETA * more))]

    def recall(self, effect: Effect) -> None:
        """Take in an event, whenever it was."""
        self.apply(effect)

    def apply(self, effect: Effect) -> None:
        """Take in an event: a correction says what each expert would have cost."""
        event = effect.event
        if not isinstance(event, Corrected) or event.costs.keys() != PRIOR.keys():
            return
        alpha = ALPHA if event.document == self._document else ALPHA_OF_DOCUMENT
        self._document = event.document
        costs = np.array([event.costs[name] for name in PRIOR])
        trust = self._trust * np.exp(-ETA * (costs - costs.min()))
        self._trust = (1 - alpha) * trust / trust.sum() + alpha * self._prior

"""Experts: weight vectors over one forest, of which a session shows the one that has cost the least work.

What a correction would have cost with each expert's translation is known, whichever was shown. So the trust
in the experts follows from the events of a session, by the fixed-share forecaster (Herbster and Warmuth
1998): an expert's trust falls by a factor exp(-η · cost), and with each correction a small share of all trust
is divided anew. For n experts and a stream on which the best expert changes k times, the mean cost by these
trusts is at most that of these best experts plus (ln n + k ln(1/α)) / η, up to terms of the second order.

One more forecaster chooses an expert for each sentence: `ESTIMATED`. It estimates from what is known before
the correction, the `evidence`, how many edits each expert will save, and it is trusted as the experts are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import count
from math import isfinite

import numpy as np

from hopefear.base.texts import split_words
from hopefear.metrics.edits import edit_distances

from .events import EVIDENCE, Corrected, Event, Evidence

CERTAIN, UNTOUCHED, ADAPTED, LEARNED = "certain", "untouched", "adapted", "learned"
"""The experts: the system with what follows from corrections for certain, the words that it does not know and
the sentences that are close to corrected ones; without corrections; with all that corrections add, and
weights that stay; and with weights that have learned."""

EXPERTS = CERTAIN, UNTOUCHED, ADAPTED, LEARNED

ESTIMATED = "estimated"
"""The forecaster that shows, for each sentence, the expert of which the least edits are expected."""

ETA = 0.2
"""η, for a cost of one edit."""

ALPHA, ALPHA_OF_DOCUMENT = 0.001, 0.05
"""The share of all trust that is divided anew at a correction, and at the first one of a document."""

PRIOR = {CERTAIN: 0.2, UNTOUCHED: 0.05, ADAPTED: 0.025, LEARNED: 0.025, ESTIMATED: 0.7}
"""How far each forecaster is trusted at first, and its part of what is divided anew."""

RIDGE = 1.0
"""How much the estimates of edits are drawn to 0, at which `CERTAIN` is shown."""

_DIGITS = 4  # of the numbers of evidence


class Experts:
    """The trust in the experts of a session: a reader of its events."""

    def __init__(self) -> None:
        self._prior = self._trust = np.array([*PRIOR.values()])
        self._document: int | None = None
        # Ridge regression of the edits that an expert needs more than `CERTAIN`, on the evidence.
        self._gram, self._moment = RIDGE * np.eye(EVIDENCE), np.zeros(EVIDENCE)

    @property
    def trust(self) -> dict[str, float]:
        """How far each forecaster is trusted; adds up to 1."""
        return dict(zip(PRIOR, self._trust.tolist(), strict=True))

    def best(self, known: Mapping[str, Evidence]) -> str:
        """Return the expert that is to be shown: the choice of the forecaster that is trusted most."""
        trust = self.trust
        forecaster = max(trust, key=trust.__getitem__)
        return self.estimated(known) if forecaster == ESTIMATED else forecaster

    def estimated(self, known: Mapping[str, Evidence]) -> str:
        """Return the expert of which the least edits are expected; of equal ones `CERTAIN`."""
        if not known:
            return CERTAIN
        model = np.linalg.solve(self._gram, self._moment)
        edits = {CERTAIN: 0.0} | {name: float(np.dot(model, values)) for name, values in known.items()}
        return min(edits, key=edits.__getitem__)

    def read(self, event: Event) -> None:
        """Take in an event: a correction says what each expert would have cost."""
        if not isinstance(event, Corrected) or event.costs.keys() != {*EXPERTS}:
            return
        alpha = ALPHA if event.document == self._document else ALPHA_OF_DOCUMENT
        self._document = event.document
        known = event.costs | {ESTIMATED: event.costs[self.estimated(event.evidence)]}
        costs = np.array([known[name] for name in PRIOR])
        trust = self._trust * np.exp(-ETA * (costs - costs.min()))
        self._trust = (1 - alpha) * trust / trust.sum() + alpha * self._prior
        for name, values in event.evidence.items():
            row = np.array(values)
            # The more words differ, the more the edits vary.
            self._gram += np.outer(row, row) / row[1]
            self._moment += row * (event.costs[name] - event.costs[CERTAIN]) / row[1]


def evidence(texts: Mapping[str, str], scores: Mapping[str, Sequence[float]]) -> dict[str, Evidence]:
    """Return what is known of the experts' translations before the correction.

    Parameters
    ----------
    texts : dict of str to str
        The words that each expert says.
    scores : dict of str to sequence of float
        Values of three features of each of these translations: the model of corrections, the share of
        corrections in its rules, and the n-gram model.

    Returns
    -------
    dict of str to Evidence
        For each expert that differs from `CERTAIN`: 1; the words that differ, their number's square root;
        the words that it has more; how much farther it is on average from the others; and how much more it
        has of each of the three features.
    """
    numbers = defaultdict[str, int](count().__next__)
    words = [np.array([numbers[word] for word in split_words(text)], np.int64) for text in texts.values()]
    names, found = [*texts], dict[str, Evidence]()
    differ = {name: edit_distances(words, own) for name, own in zip(names, words, strict=True)}
    first = names.index(CERTAIN)
    for place, name in enumerate(names):
        edits = float(differ[name][first])
        length = len(words[place]) - len(words[first])
        apart = float(differ[name].mean() - differ[CERTAIN].mean())
        more = (one - other for one, other in zip(scores[name], scores[CERTAIN], strict=True))
        values = 1.0, edits, edits**0.5, float(length), apart, *more
        if edits and all(map(isfinite, values)):
            found[name] = tuple(round(value, _DIGITS) for value in values)
    return found

"""What the corrections of one session tell a neural joint model."""

from __future__ import annotations

from collections.abc import Sequence

from hopefear import _native
from hopefear.tuners.joint import affiliations

from .corrections import Correction
from .ledger import Ledger

PRIOR, SHARPNESS, MOST = 0.3, 30.0, 30
"""The options of a `JointCache`: native/scorers/joint_cache.h."""


class OwnJoint:
    """The cache of a joint model: the words of corrections, each with the last layer before it."""

    def __init__(self, model: _native.StatefulScorer, ledger: Ledger) -> None:
        self._model, self._ledger = model, ledger
        self.reset()

    def follow(self, new: Sequence[Correction], gone: Sequence[Correction]) -> None:
        """Do what the ledger has done: the cache is as if what is gone had never been there."""
        for correction in new:
            self._add(correction)
        for correction in gone:
            self.native.remove(correction.number)

    def reset(self) -> None:
        """Put all corrections into a new cache."""
        self.native = _native.JointCache(model=self._model, prior=PRIOR, sharpness=SHARPNESS, most=MOST)
        for correction in self._ledger.corrections.values():
            self._add(correction)

    def _add(self, correction: Correction) -> None:
        if correction.links:
            words = list(correction.source), list(correction.target)
            self.native.add(correction.number, *words, affiliations(len(words[1]), correction.links))

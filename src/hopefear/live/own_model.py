"""The n-gram model of one session's corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hopefear import _native

from .corrections import Correction
from .ledger import Ledger

ORDER, DISCOUNT = 4, 0.7
SHARE = 0.4
"""What the model of the corrections has of the interpolated model; the n-gram model of the configuration has
the rest."""


class OwnModel:
    """An n-gram model that grows with corrections, and forgets them."""

    def __init__(
        self,
        background: Callable[[Sequence[str]], list[float]],
        ngram_model: _native.StatefulScorer | None,
        ledger: Ledger,
    ) -> None:
        self._background, self._ngram_model, self._ledger = background, ngram_model, ledger
        self.reset()

    def follow(self, new: Sequence[Correction], gone: Sequence[Correction]) -> None:
        """Do what the ledger has done: count the n-grams of what is new, and no more of what is gone."""
        self._removed += len(gone)
        if self._removed > len(self._ledger.corrections):  # the model's table keeps what it has forgotten
            self.reset()
            return
        for correction in new:
            self._add(correction)
        for correction in gone:
            self.native.remove(list(correction.target))

    def reset(self) -> None:
        """Count all corrections with a new model."""
        self.native = _native.GrowingModel(
            order=ORDER, discount=DISCOUNT, continuation=True, share=SHARE, background=self._ngram_model
        )
        self._removed = 0
        for correction in self._ledger.corrections.values():
            self._add(correction)

    def _add(self, correction: Correction) -> None:
        words = list(correction.target)
        self.native.add(words, self._background([*words, "</s>"]))

"""The n-gram model of one session's corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hopefear import _native
from hopefear.decoder import Context, ExtraScorer

from .active_corrections import ActiveCorrections, Effect
from .corrections import Correction
from .part import CorrectionsPart

POST_EDIT_MODEL = "PostEditModel"
"""The feature of the n-gram model of corrections."""

ORDER, DISCOUNT = 4, 0.7
SHARE = 0.4
"""What the model of the corrections has of the interpolated model; the n-gram model of the configuration has
the rest."""


class CorrectionsModel(CorrectionsPart):
    """An n-gram model that grows with corrections, and forgets them."""

    def __init__(
        self,
        background: Callable[[Sequence[str]], list[float]],
        ngram_model: _native.StatefulScorer | None,
        feature: int,
        active: ActiveCorrections,
    ) -> None:
        self._background, self._ngram_model = background, ngram_model
        self._feature = feature
        super().__init__(active)

    def apply(self, effect: Effect) -> None:
        """Count the n-grams of what is new, and no more of what is gone."""
        self._removed += len(effect.gone)
        if self._removed > len(self._active.corrections):  # the model's table keeps what it has forgotten
            self.reset()
        else:
            super().apply(effect)

    def clear(self) -> None:
        """Make a new model."""
        self.native = _native.GrowingModel(
            order=ORDER, discount=DISCOUNT, continuation=True, share=SHARE, background=self._ngram_model
        )
        self._removed = 0

    def add(self, correction: Correction) -> None:
        """Count the n-grams of a correction."""
        words = list(correction.target)
        self.native.add(words, self._background([*words, "</s>"]))

    def remove(self, correction: Correction) -> None:
        """Count the n-grams of a correction no more."""
        self.native.remove(list(correction.target))

    def add_to(self, context: Context, document: int | None) -> Context:
        """Add the model as a scorer."""
        scorer = _native.growing_model_scorer(self.native, self._feature)
        return context.with_scorers(ExtraScorer(POST_EDIT_MODEL, scorer))

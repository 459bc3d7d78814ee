"""What the corrections of one session tell a neural joint model."""

from __future__ import annotations

from hopefear import _native
from hopefear.decoder import Context, ExtraScorer

from .active_corrections import ActiveCorrections
from .corrections import Correction
from .part import CorrectionsPart

POST_EDIT_JOINT = "PostEdit"
"""What the name of the feature of a joint model's cache begins with; the name of the joint model follows."""

PRIOR, SHARPNESS, MOST = 0.3, 30.0, 30
"""The options of a `JointCache`: native/scorers/joint_cache.h."""


class JointModelCache(CorrectionsPart):
    """The cache of a joint model: the words of corrections, each with the last layer before it."""

    def __init__(
        self, model: _native.StatefulScorer, name: str, feature: int, active: ActiveCorrections
    ) -> None:
        self._model, self._name, self._feature = model, name, feature
        super().__init__(active)

    def clear(self) -> None:
        """Make a new cache."""
        self.native = _native.JointCache(model=self._model, prior=PRIOR, sharpness=SHARPNESS, most=MOST)

    def add(self, correction: Correction) -> None:
        """Add the words of a correction, if it has links."""
        if correction.links:
            from hopefear.tuners.joint import affiliations  # of a leaf

            words = list(correction.source), list(correction.target)
            self.native.add(correction.number, *words, affiliations(len(words[1]), correction.links))

    def remove(self, correction: Correction) -> None:
        """Remove the words of a correction."""
        self.native.remove(correction.number)

    def add_to(self, context: Context, document: int | None) -> Context:
        """Let the model with its cache stand in place of the model."""
        scorer = _native.cached_joint_model(self._model, self.native, self._feature)
        return context.with_scorers(ExtraScorer(self._name, scorer, replaces=self._model))

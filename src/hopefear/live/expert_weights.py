"""The weights that experts translate with: overlays of one array."""

from __future__ import annotations

from collections.abc import Mapping

from hopefear.decoder import Weights
from hopefear.decoder.glossary import GLOSSARY, Glossary
from hopefear.decoder.weights import set_priors
from hopefear.grammars.extractor import (
    POST_EDIT_NEW,
    POST_EDIT_ONLY,
    POST_EDIT_SHARE,
    POST_EDIT_SUPPORT,
)

from .corrections_model import POST_EDIT_MODEL
from .experts import ADAPTED, CERTAIN, UNTOUCHED
from .memory import MEMORY, MEMORY_PRIOR

NEVER = -1e4
"""The weight of a feature that no derivation is to have if there is another one."""

_LEAST = 0.1
"""The weight of `POST_EDIT_MODEL` at first, if no n-gram model of the configuration has a positive one."""

_SHARE = 0.2
"""The weight of `POST_EDIT_SHARE` at first, for a weight of 1 of the n-gram model."""


class ExpertWeights:
    """The weights of experts that do not learn, and those that learning begins with."""

    def __init__(
        self, weights: Weights, ngram_feature: str | None, joint_features: Mapping[str, str]
    ) -> None:
        self._joint_features = joint_features
        first = weights.sibling(weights.array)
        priors = {GLOSSARY: Glossary.PRIOR, MEMORY: MEMORY_PRIOR}
        set_priors(first.array, {first.id(name): times for name, times in priors.items() if name in first})
        self._adapt(first, ngram_feature)
        self._snapshot = first.snapshot()
        growing = (POST_EDIT_SUPPORT, POST_EDIT_SHARE, POST_EDIT_MODEL, *joint_features)
        alone = {name: 0.0 for name in growing if name in first}
        never = {name: NEVER for name in (POST_EDIT_ONLY, POST_EDIT_NEW, MEMORY) if name in first}
        only = {name: value for name, value in never.items() if name == POST_EDIT_ONLY}
        self._fixed = {
            # What follows from corrections for certain are rules for words that the system does not know,
            # and those of a memory.
            CERTAIN: self._snapshot.overlay({**alone, **only}).fixed(),
            UNTOUCHED: self._snapshot.overlay({**alone, **never}).fixed(),
            ADAPTED: self._snapshot.overlay().fixed(),
        }

    def of(self, expert: str) -> Weights:
        """Return the weights of an expert that does not learn."""
        return self._fixed[expert]

    def learning(self) -> Weights:
        """Return weights that begin with those of `ADAPTED`."""
        return self._snapshot.overlay()

    def _adapt(self, first: Weights, ngram_feature: str | None) -> None:
        """Give what corrections add weights that were measured, where it has none.

        The model of the corrections is a part of an interpolated model, so it begins with the weight of the
        n-gram model that it is interpolated with; `PostEditShare`, a log10 of probabilities as well, with a
        part of this weight. So does the cache of a joint model begin with the weight of that model.
        """
        ngrams = (0.0 if ngram_feature is None else max(first[ngram_feature], 0.0)) or _LEAST
        for name, part in ((POST_EDIT_MODEL, 1.0), (POST_EDIT_SHARE, _SHARE)):
            if name in first and not first[name]:
                first[name] = part * ngrams
        for name, joint in self._joint_features.items():
            if not first[name]:
                first[name] = max(first[joint], 0.0)
        self.keep_bounds(first)

    @property
    def bounded(self) -> list[str]:
        """The features whose weights have bounds."""
        return [POST_EDIT_SUPPORT, *self._joint_features]

    def keep_bounds(self, weights: Weights) -> None:
        """Bring weights of what corrections add that are out of their bounds back to them.

        What a correction gave is no worse for it: `PostEditSupport` is at least 0. The cache of a joint model
        has this model as its prior, and counts no more than the model: a greater weight would pay twice.
        """
        if weights[POST_EDIT_SUPPORT] < 0:
            weights[POST_EDIT_SUPPORT] = 0.0
        for name, joint in self._joint_features.items():
            most = max(weights[joint], 0.0)
            if weights[name] > most:
                weights[name] = most

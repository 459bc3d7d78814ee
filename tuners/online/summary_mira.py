"""MIRA of the dense features, with one weight for the learned score of all sparse features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import (
    Hypotheses,
    KBestList,
    ScoredList,
    Segment,
    Translation,
    Translator,
    Weights,
)

from ..contract import State, UpdateRecord, load_features, renumbered, setting
from ..solvers import row_sums
from .mira import Mira
from .run import OnlineRun, Progress

SUMMARY = "SummaryOfPlugins"
"""The name of the feature Σ g_s f_s. No plugin fires it, and learned weights do not have it."""


@dataclass(kw_only=True, eq=False, repr=False)
class SummaryMira(Mira):
    """`Mira` of the model's own features and of one weight α for the features of all plugins.

    The weights g that the features of plugins have in the beginning, such as those of ``hopefear train``,
    are kept but for a common factor: w_d of the model's own features and α g of plugins' features are
    learned. So weights are conditioned on a development set that is too small for sparse features, as in
    Flanigan, Dyer & Carbonell (2013, section 5.1), who do it with MERT.

    Parameters
    ----------
    scale : float
        Factor of the summary feature g·f, which has the weight α / scale: with a larger factor, α changes
        faster.
    C, k, hope_mu, fear_mu, effective_reference_length, oracle_pop_limit, oracle, metric
        See `Mira`; for the others see `OnlineTuner`.

    Raises
    ------
    InputError
        By `fit`: no weight of a plugin's feature is other than 0, or the decoder does not tell which features
        come from plugins.
    """

    learns_online = False
    """It needs weights of plugins' features to begin with, which a live session may not have."""

    scale: float = setting(1.0, above=0, finite=True)

    _direction: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0), init=False)
    _summary: int = field(default=0, init=False)

    def factor(self, weights: Weights) -> float:
        """Give α of the present weights of a decoder that is tuned."""
        return float(weights.array[self._summary]) * self.scale

    def _begin(self, decoder: Translator, corpus: Sequence[Segment] = ()) -> OnlineRun:
        if self._run is None and self._restored is None:
            weights = decoder.weights
            own = {weights.id(name) for name in decoder.model_features(corpus[0] if corpus else None)}
            self._direction = weights.array.copy()
            self._direction[[*own]] = 0.0
            if not self._direction.any():
                raise InputError(
                    "expected weights of plugins' features to begin with, such as those of hopefear train, "
                    "got none"
                )
            self._summary = weights.id(SUMMARY)
            weights.array[self._summary] = 1 / self.scale
        return super()._begin(decoder, corpus)

    def _own_state(self, weights: Weights) -> State:
        own = super()._own_state(weights)
        return {"facts": own["facts"], "arrays": {**own["arrays"], "direction": self._direction}}

    def _set_own_state(self, state: State, weights: Weights) -> None:
        super()._set_own_state(state, weights)
        numbers = load_features(state["arrays"]["names"], weights)
        self._direction = renumbered(state["arrays"]["direction"], numbers)
        self._summary = weights.id(SUMMARY)

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "scale": repr(self.scale)}

    def _take_in(
        self, progress: Progress, decoder: Translator, forest: Translation, segment: Segment
    ) -> list[Hypotheses]:
        found = super()._take_in(progress, decoder, forest, segment)
        return [self._summed(decoder, hypotheses) for hypotheses in found]

    def _update(
        self, progress: Progress, decoder: Translator, batch: Sequence[Hypotheses], pass_number: int
    ) -> UpdateRecord:
        record = super()._update(progress, decoder, batch, pass_number)
        self._spread(decoder.weights.array)
        return record

    def _learned(self, progress: Progress, weights: Weights) -> NDArray[np.float64]:
        learned = super()._learned(progress, weights)
        self._spread(learned)
        learned[self._summary] = 0.0
        return learned

    def _spread(self, weights: NDArray[np.float64]) -> None:
        """Give plugins' features the weights α g, by feature number."""
        features = np.flatnonzero(self._direction)
        weights[features] = weights[self._summary] * self.scale * self._direction[features]

    def _summed(self, decoder: Translator, found: Hypotheses) -> Hypotheses:
        """Replace plugins' features by the summary feature."""
        best, hope = self._reduced(decoder, found.best), self._reduced(decoder, found.hope)
        fear = best if found.fear is found.best else self._reduced(decoder, found.fear)
        return replace(found, best=best, hope=hope, fear=fear)

    def _reduced(self, decoder: Translator, scored: ScoredList) -> ScoredList:
        translations = scored.translations
        count, features, values = len(translations), translations.features, translations.values
        rows = np.repeat(np.arange(count), np.diff(translations.indptr))
        dense = ~decoder.of_plugins(features)
        known = features < len(self._direction)
        self._direction[features[dense & known]] = 0.0  # features that only sentences' own grammars name
        factors = np.zeros(len(features))
        factors[known] = self._direction[features[known]]
        sums = row_sums(rows[~dense], self.scale * factors[~dense] * values[~dense], count)
        rows = np.concatenate((rows[dense], np.arange(count)))
        features = np.concatenate((features[dense], np.full(count, self._summary, np.int32)))
        order = np.lexsort((features, rows))
        reduced = KBestList(
            translations.texts,
            np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=count)))),
            features[order],
            np.concatenate((values[dense], sums))[order],
        )
        return replace(scored, translations=reduced)

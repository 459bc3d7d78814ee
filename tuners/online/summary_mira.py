"""MIRA of the dense features, with one weight for the learned score of all sparse features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.decoder import Hypotheses, ScoredList, Segment, Translator
from hopefear.metrics import PseudoDocument

from ..contract import Can, Step, Training, array, part, setting
from ..oracles import SearchSpace
from ..solvers import Constraints, Rates, StepLength, list_of_entries, row_sums
from .mira import Mira

SUMMARY = "SummaryOfPlugins"
"""The name of the feature Σ g_s f_s. No plugin fires it, and learned weights do not have it."""


@dataclass(eq=False)
class SummaryMemory:
    """What a run of `SummaryMira` keeps."""

    length: StepLength = part()
    direction: Floats = array(by_feature=True)
    summary: int = 0


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

    can: ClassVar[Can] = Can(0)
    """It needs weights of plugins' features to begin with, which a live session may not have."""

    OF_FAMILIES: ClassVar[tuple[str, ...]] = ()

    scale: float = setting(1.0, above=0, finite=True)

    def can_begin(self, decoder: Translator, corpus: Sequence[Segment]) -> bool:
        """Tell whether there are weights of plugins' features to begin with."""
        return decoder.tells_plugins and bool(_direction(decoder, corpus[0]).any())

    def init(self) -> SummaryMemory:
        """Return the measured length of steps, and room for the weights g."""
        return SummaryMemory(super().init())

    def begin(self, training: Training, document: PseudoDocument, memory: SummaryMemory) -> None:
        """Remember the weights of plugins' features, and give the summary feature its weight."""
        weights = training.decoder.weights
        if not training.resumed:
            direction = _direction(training.decoder, training.corpus[0])
            if not direction.any():
                raise InputError(
                    "expected weights of plugins' features to begin with, such as those of hopefear train, "
                    "got none"
                )
            memory.direction = direction
            weights[SUMMARY] = 1 / self.scale
        memory.summary = weights.id(SUMMARY)
        super().begin(training, document, memory)

    def example(self, found: Hypotheses, space: SearchSpace, memory: SummaryMemory) -> Constraints:
        """Return the hypotheses with the summary feature in place of plugins' features."""
        return super().example(self._summed(space.decoder, found, memory), space, memory)

    def update(
        self,
        batch: Sequence[Constraints],
        weights: Floats,
        memory: SummaryMemory,
        rates: Rates | None = None,
    ) -> Step:
        """Return the change of the model's own features and of the summary feature."""
        return super().update(batch, weights, memory.length, rates)

    def after_update(self, weights: Floats, memory: SummaryMemory) -> None:
        """Set the weights of plugins' features to α g, by feature number."""
        features = np.flatnonzero(memory.direction)
        weights[features] = weights[memory.summary] * self.scale * memory.direction[features]

    def finish(self, learned: Floats, memory: SummaryMemory) -> None:
        """Leave out the summary feature."""
        self.after_update(learned, memory)
        learned[memory.summary] = 0.0

    def _summed(self, decoder: Translator, found: Hypotheses, memory: SummaryMemory) -> Hypotheses:
        """Replace plugins' features by the summary feature."""
        best, hope = (self._reduced(decoder, scored, memory) for scored in (found.best, found.hope))
        fear = best if found.fear is found.best else self._reduced(decoder, found.fear, memory)
        return replace(found, best=best, hope=hope, fear=fear)

    def _reduced(self, decoder: Translator, scored: ScoredList, memory: SummaryMemory) -> ScoredList:
        translations = scored.translations
        count, features, values = len(translations), translations.features, translations.values
        rows = np.repeat(np.arange(count), np.diff(translations.indptr))
        dense = ~decoder.of_plugins(features)
        known = features < len(memory.direction)
        memory.direction[features[dense & known]] = 0.0  # features that only sentences' own grammars name
        factors = np.zeros(len(features))
        factors[known] = memory.direction[features[known]]
        sums = row_sums(rows[~dense], self.scale * factors[~dense] * values[~dense], count)
        rows = np.concatenate((rows[dense], np.arange(count)))
        features = np.concatenate((features[dense], np.full(count, memory.summary, np.int32)))
        values = np.concatenate((values[dense], sums))
        return replace(scored, translations=list_of_entries(translations.texts, rows, features, values))


def _direction(decoder: Translator, segment: Segment) -> Floats:
    """Return the weights of plugins' features by feature number, and 0 for the model's own features."""
    own = [decoder.weights.id(name) for name in decoder.model_features(segment)]
    direction = decoder.weights.array.copy()
    direction[own] = 0.0
    return direction

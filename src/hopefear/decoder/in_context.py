"""A decoder and the context of its translations as one translator, which tuners can learn from."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import Lattice, Segment, SentenceGrammar

from .context import Context
from .decoder import Decoder
from .feature_account import FamilyReport, Fired
from .hypergraph import Hypergraph
from .translator import Translator
from .weights import Weights


class DecoderInContext(Translator):
    """A translator whose translations are those of a decoder in one context."""

    tells_plugins: ClassVar[bool] = True

    def __init__(self, decoder: Decoder, context: Context) -> None:
        self._decoder, self._context = decoder, context
        self.weights = decoder.weights if context.weights is None else context.weights
        self.on_error = decoder.on_error

    def translate(
        self,
        source: str | Lattice | Segment,
        grammar: str | SentenceGrammar = "",
        *,
        reference: str | Lattice | None = None,
    ) -> Hypergraph:
        """Translate a sentence or lattice in the context."""
        return self._decoder.translate(source, grammar, reference=reference, context=self._context)

    @property
    def last_weights(self) -> Weights:
        """The weights by which the edges of forests are scored."""
        scoring = self._decoder.last_weights
        return self.weights if scoring is self._decoder.weights else scoring

    def of_plugins(self, features: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Mark the features that come from plugins."""
        return self._decoder.of_plugins(features)

    def model_features(self, segment: Segment | None = None) -> list[str]:
        """List the features of the model itself."""
        return self._decoder.model_features(segment)

    def fired(self) -> Fired:
        """Return all features that plugins fired so far."""
        return self._decoder.fired()

    def feature_report(self) -> list[FamilyReport]:
        """Count the features that each plugin fired."""
        return self._decoder.feature_report()

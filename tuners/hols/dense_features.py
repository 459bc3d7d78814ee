"""Which features a search finds weights for one by one (Flanigan et al. 2013, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import Translator


class DenseFeatures:
    """Which features are dense; all others are sparse."""

    def __init__(self, decoders: Iterable[Translator], names: Sequence[str] | None = None) -> None:
        self.names = None if names is None else tuple(names)
        for decoder in decoders:
            if names is not None:
                unknown = [name for name in names if name not in decoder.weights]
                if unknown:
                    raise InputError(f"dense: expected names of the decoder's features, got {unknown[0]!r}")
            elif not decoder.tells_plugins:
                raise InputError(
                    f"{type(decoder).__name__} does not tell which features are sparse: "
                    "name the dense features, dense=..."
                )

    def mask(self, decoder: Translator, features: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Tell which features, of translations by a decoder, are dense; shape of `features`."""
        if self.names is not None:
            return np.isin(features, [decoder.weights.id(name) for name in self.names])
        return ~decoder.of_plugins(features)

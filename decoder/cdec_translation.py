"""What cdec gives for a sentence: a k-best list where the engine gives a forest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .hypergraph import Hypergraph
from .oracle import KBestList
from .weights import Weights


class CdecCannot(InputError, AttributeError):
    """What was asked for is not to be had from cdec."""


class CdecTranslation:
    """The k best translations of a sentence, as cdec found them.

    It has the methods of `Hypergraph` that a list of different strings can answer; all others say that they
    cannot.

    Attributes
    ----------
    translations : KBestList
        Best first, with the features that cdec reports, without zeros.
    scores : array of float64, shape (k,)
        As cdec writes them, with six digits.
    weights : Weights
        The process's.
    source_length : int
        Words of the input, or positions of the lattice.
    k : int
        How many translations cdec was asked for.
    """

    def __init__(
        self,
        translations: KBestList,
        scores: NDArray[np.float64],
        weights: Weights,
        *,
        source_length: int,
        k: int,
    ) -> None:
        self.translations = translations
        self.scores = scores
        self.weights = weights
        self.source_length = source_length
        self.k = k

    def best_translations(self, k: int, *, unique: bool = True) -> KBestList:
        """Give the k best; see `hopefear.decoder.best_translations`.

        Raises
        ------
        InputError
            cdec was asked for fewer, or for different strings only.
        """
        if not unique:
            raise CdecCannot("cdec was asked for different strings, not for all derivations")
        if k > self.k:
            raise CdecCannot(f"cdec was asked for {self.k} translations, not for {k}: give CdecProcess k={k}")
        return self.translations.take(range(min(k, len(self.translations))))

    def features(self, number: int) -> dict[str, float]:
        """Give the feature values of the translation of a number by name, sorted by name."""
        found = self.translations.take([number])
        names = map(self.weights.name, found.features.tolist())
        return dict(sorted(zip(names, found.values.tolist(), strict=True)))

    def viterbi(self) -> str:
        """Give the best translation."""
        return self.translations.texts[0]

    def viterbi_features(self) -> Mapping[str, float]:
        """Give the features of the best translation."""
        return self.features(0)

    def viterbi_score(self) -> float:
        """Give the score of the best translation."""
        return float(self.scores[0])

    def unique_kbest(self, size: int) -> Iterator[str]:
        """Go through the k best strings."""
        return iter(self.best_translations(size).texts)

    def unique_kbest_features(self, size: int) -> Iterator[Mapping[str, float]]:
        """Go through the features of the k best strings."""
        return map(self.features, range(len(self.best_translations(size))))

    def __getattr__(self, name: str) -> NoReturn:
        """Say what a k-best list cannot do."""
        if not hasattr(Hypergraph, name) and name != "native":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise CdecCannot(
            f"{name}: cdec gives lists of different translations, no forests; decode with hopefear.Decoder "
            "for these, or learn from the list (oracle KBestLocal)"
        )

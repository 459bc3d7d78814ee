"""cdec's result for a sentence: a k-best list, where hopefear's decoder gives a forest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from hopefear.base.errors import InputError
from hopefear.decoder.hypergraph import Hypergraph
from hopefear.decoder.hypotheses import KBestList
from hopefear.decoder.weights import Weights


class CdecCannot(InputError, AttributeError):
    """cdec does not offer what was requested."""


class CdecTranslation:
    """cdec's k best translations of a sentence.

    It has the methods of `Hypergraph` that need only a list of distinct strings; all others raise
    `CdecCannot`.

    Attributes
    ----------
    translations : KBestList
        Best first, with the features that cdec reports, without zeros.
    scores : array of float64, shape (k,)
        The scores that cdec writes, with six digits.
    weights : Weights
        The weights of the `CdecProcess`.
    source_length : int
        Words of the input, or positions of the lattice.
    k : int
        The number of translations that cdec was started for.
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
        """Return the k best translations with their features.

        Raises
        ------
        InputError
            `k` is above the process's k, or `unique` is false.
        """
        if not unique:
            raise CdecCannot("cdec was started for distinct translations, it does not list all derivations")
        if k > self.k:
            raise CdecCannot(f"cdec was started for {self.k} translations, not {k}: give CdecProcess k={k}")
        return self.translations.take(range(min(k, len(self.translations))))

    def features(self, number: int) -> dict[str, float]:
        """Return the feature values of the translation with this number by name, sorted by name."""
        translation = self.translations.take([number])
        names = map(self.weights.name, translation.features.tolist())
        return dict(sorted(zip(names, translation.values.tolist(), strict=True)))

    def viterbi(self) -> str:
        """Return the best translation."""
        return self.translations.texts[0]

    def viterbi_features(self) -> Mapping[str, float]:
        """Return the features of the best translation."""
        return self.features(0)

    def viterbi_score(self) -> float:
        """Return the score of the best translation."""
        return float(self.scores[0])

    def unique_kbest(self, size: int) -> Iterator[str]:
        """Iterate over the k best strings."""
        return iter(self.best_translations(size).texts)

    def unique_kbest_features(self, size: int) -> Iterator[Mapping[str, float]]:
        """Iterate over the features of the k best strings."""
        return map(self.features, range(len(self.best_translations(size))))

    def __getattr__(self, name: str) -> NoReturn:
        """Raise `CdecCannot` for a method that a k-best list cannot offer."""
        if not hasattr(Hypergraph, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise CdecCannot(
            f"{name}: with k, cdec gives lists of distinct translations, not forests; start CdecProcess "
            "without k, or learn from the list (oracle KBestLocal)"
        )

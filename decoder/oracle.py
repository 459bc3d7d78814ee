"""Oracle translations from a forest (Chiang, Marton & Resnik 2008, sections 2.3 and 2.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hopefear import _native
from hopefear.base.texts import expect_several

from .hypergraph import Hypergraph


@dataclass(frozen=True, slots=True)
class KBestList:
    """The k best translations of a forest, best first.

    Attributes
    ----------
    texts : list of str, length k
        The translations.
    indptr, features, values : arrays of int64 (k + 1,), int32 (n,), float64 (n,)
        Feature numbers and values of translation j are at ``indptr[j]:indptr[j + 1]``, the numbers ascending.
    """

    texts: list[str]
    indptr: NDArray[np.int64]
    features: NDArray[np.int32]
    values: NDArray[np.float64]

    def __len__(self) -> int:
        """Count the translations."""
        return len(self.texts)

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return h·w of each translation, shape (k,), for weights by feature number."""
        products = self.values * weights[self.features]
        rows = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        return np.bincount(rows, products, minlength=len(self)).astype(np.float64, copy=False)

    def take(self, rows: Sequence[int] | NDArray[np.int64]) -> KBestList:
        """Return some of the translations, in the order of `rows`."""
        ranges = [slice(self.indptr[row], self.indptr[row + 1]) for row in rows]
        return KBestList(
            [self.texts[row] for row in rows],
            np.array([0, *accumulate(int(r.stop - r.start) for r in ranges)], np.int64),
            np.concatenate([self.features[r] for r in ranges] or [self.features[:0]]),
            np.concatenate([self.values[r] for r in ranges] or [self.values[:0]]),
        )

    @staticmethod
    def concatenate(lists: Sequence[KBestList]) -> KBestList:
        """Return the translations of at least one list, one list after another."""
        counts = np.concatenate([np.diff(x.indptr) for x in lists])
        return KBestList(
            [text for x in lists for text in x.texts],
            np.concatenate(([0], np.cumsum(counts))),
            np.concatenate([x.features for x in lists]),
            np.concatenate([x.values for x in lists]),
        )


class KBestSource(Protocol):
    """A source of k-best lists that is not a forest, such as `hopefear.decoder.CdecTranslation`."""

    def best_translations(self, k: int, *, unique: bool = True) -> KBestList:
        """Return the k best translations with their features."""


def best_translations(forest: Hypergraph | KBestSource, k: int, *, unique: bool = True) -> KBestList:
    """Return the k best translations with their features.

    Parameters
    ----------
    unique : bool
        Whether to keep only the best derivation of each string.
    """
    if not isinstance(forest, Hypergraph):
        return forest.best_translations(k, unique=unique)
    return KBestList(*_native.best_hypotheses(forest.native, k, unique=unique))


class BleuOracle:
    """Finds translations of one sentence by a combination of BLEU and the model's score.

    Parameters
    ----------
    references : sequence of str
        Reference translations, tokens separated by white space.
    document : array_like, shape (10,)
        O, the counts of the pseudo-document: hypothesis length, reference length, n-grams of the orders
        1 to 4, matches of the orders 1 to 4.
    document_source_length : float
        O_f.
    reference_length : float, optional
        The effective reference length of the sentence; by default the length of the shortest reference.

    Raises
    ------
    ValueError
        There is no reference, or the pseudo-document does not have 10 counts.
    """

    def __init__(
        self,
        references: Sequence[str],
        document: ArrayLike,
        document_source_length: float,
        *,
        reference_length: float | None = None,
    ) -> None:
        expect_several("references", references)
        self._tokens = [reference.split() for reference in references]
        if not self._tokens:
            raise ValueError("expected at least one reference, got none")
        self._document = np.ascontiguousarray(document, np.float64)
        if self._document.shape != (10,):
            raise ValueError(f"expected 10 counts of the pseudo-document, got shape {self._document.shape}")
        self._document_source_length = float(document_source_length)
        shortest = min(map(len, self._tokens))
        self._reference_length = float(shortest if reference_length is None else reference_length)

    @cached_property
    def _ngrams(self) -> _native.ReferenceNgrams:
        return _native.ReferenceNgrams(self._tokens)

    def rescore(self, forest: Hypergraph, mu: float, *, pop_limit: int = 0) -> Hypergraph:
        """Rescore a forest so that its best derivations are those of equation 11.

        A derivation scores (1 - μ)(B - B of no translation) + μ h·w; for μ = ∞, h·w - (B - …). As in the
        paper n-gram matches are not clipped, and the search keeps the best derivation of each state only.

        Parameters
        ----------
        forest : Hypergraph
            Any forest; it is not changed.
        mu : float
            μ, at least 0: 0 for the highest BLEU, 0.5 for hope, 1 for the model alone, ∞ for fear.
        pop_limit : int
            Approximate number of candidates that are scored at a node; 0 for all.

        Raises
        ------
        ValueError
            μ is below 0 or not a number.
        """
        if not mu >= 0:
            raise ValueError(f"mu must be at least 0, got {mu}")
        model, bleu = (1.0, -1.0) if math.isinf(mu) else (mu, 1.0 - mu)
        rescored = _native.bleu_forest(
            forest.native,
            self._ngrams,
            document=self._document,
            document_source_length=self._document_source_length,
            reference_length=self._reference_length,
            model_weight=model,
            bleu_weight=bleu,
            pop_limit=pop_limit,
        )
        return Hypergraph(rescored, forest.weights)

"""Oracle translations from a forest (Chiang, Marton & Resnik 2008, sections 2.3 and 2.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from hopefear import _native
from hopefear.base.texts import expect_several, split_words

from .hypergraph import Hypergraph


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
        self._tokens = [split_words(reference) for reference in references]
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
        return replace(forest, native=rescored, evidence=forest.evidence or forest.native)

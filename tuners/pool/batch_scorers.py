"""Scorers of whole translations, such as a neural model, by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from numpy.typing import ArrayLike

from hopefear.base.catalogue import Catalogue, method_fault


class BatchScorer(Protocol):
    """What gives features of translations, in batches; no base class is needed.

    Attributes
    ----------
    names : sequence of str
        The features, known once the scorer is made.
    """

    names: Sequence[str]

    def score(self, sources: Sequence[str], translations: Sequence[str]) -> ArrayLike:
        """Return the values of the features.

        Parameters
        ----------
        sources, translations : sequences of str, length n
            Pairs, in the order of the lists; a batch may have pairs of several sentences.

        Returns
        -------
        array, shape (n, len(names))
            Finite values; of one feature, the shape may be (n,).
        """


def _complaint(found: type) -> str:
    return method_fault(found, {"score": ("sources", "translations")})


scorers: Catalogue[BatchScorer] = Catalogue("scorer", "hopefear.scorers", _complaint)
"""Scorers by name; packages add scorers in the entry point group ``hopefear.scorers``."""


def create_scorer(line: str, *, base: Path | None = None) -> BatchScorer:
    """Make the scorer of a line ``NAME arguments``; see `Catalogue.create`."""
    return scorers.create(line, base=base)

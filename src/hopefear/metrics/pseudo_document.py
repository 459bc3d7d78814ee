"""The pseudo-document of online training: a sentence is scored together with the sentences before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hopefear.base.state import array, fact

from .base import Metric, Statistics


@dataclass(init=False, eq=False, repr=False)
class PseudoDocument:
    """An exponentially decayed sum of the statistics of past translations.

    Chiang, Marton & Resnik 2008, section 2.2.

    Parameters
    ----------
    metric : Metric
        In the paper ``Bleu(effective_reference_length="shortest")``.
    decay : float
        The factor of equations 6 and 7, from 0 to 1. With 0 there is no document: each sentence is scored
        alone, which needs a metric for sentences, such as ``Bleu(smoothing="add-one")``.
    initial : array_like, shape (metric.size,), optional
        Initial value of O; by default all ones (zeros if `decay` is 0). The paper names none. With an empty
        O, BLEU is 0 for every hypothesis without a 4-gram match, and nothing would be learned from the first
        sentences. Ones mean one matched n-gram of each order in a document that is not too short; they decay
        with O.

    Attributes
    ----------
    statistics : ndarray, shape (metric.size,), float64
        O.
    source_length : float
        O_f.

    Raises
    ------
    ValueError
        If the decay is out of range, or `initial` has another shape or negative or infinite numbers.
    """

    statistics: Statistics = array(least=0)
    source_length: float = fact(0.0, least=0)

    def __init__(self, metric: Metric, decay: float = 0.9, initial: ArrayLike | None = None) -> None:
        if not 0 <= decay <= 1:
            raise ValueError(f"decay must be from 0 to 1, got {decay}")
        self.metric = metric
        self.decay = decay
        if initial is None:
            initial = np.ones(metric.size) if decay else np.zeros(metric.size)
        self.statistics = self._checked(initial)
        self.source_length = 0.0

    def _checked(self, statistics: ArrayLike) -> Statistics:
        array = np.array(statistics, dtype=np.float64)
        if array.shape != (self.metric.size,) or not np.all((array >= 0) & np.isfinite(array)):
            raise ValueError(f"statistics must be {self.metric.size} numbers of at least 0, got {array}")
        return array

    def B(self, stats: ArrayLike, source_length: float) -> Statistics:
        """The score of hypotheses in the context of O, scaled by the length of the input (equation 8).

        Parameters
        ----------
        stats : array_like, shape (k, size) or (size,)
            c(e) of k hypotheses of one sentence.
        source_length : float
            ``|f|``, the number of its tokens.

        Returns
        -------
        ndarray, shape (k,) or (), float64
            ``(O_f + |f|)`` times the score of O + c(e), from 0 to 1; negated for error rates.
        """
        total = self.statistics + np.asarray(stats, dtype=np.float64)
        return (self.source_length + source_length) * self.metric.quality(total) / 100

    def loss(self, oracle: ArrayLike, stats: ArrayLike, source_length: float) -> Statistics:
        """B(e*) - B(e) (equation 9) of hypotheses with the given statistics, shapes as for `B`."""
        return self.B(oracle, source_length) - self.B(stats, source_length)

    def update(self, stats: ArrayLike, source_length: float) -> None:
        """Add the 1-best translation of a sentence of `source_length` tokens (equations 6 and 7)."""
        self.statistics = self.decay * (self.statistics + self._checked(stats))
        self.source_length = self.decay * (self.source_length + source_length)

    def restored(self) -> None:
        """Refuse the saved document of another metric.

        Raises
        ------
        ValueError
            Its statistics are not as many.
        """
        self.statistics = self._checked(self.statistics)

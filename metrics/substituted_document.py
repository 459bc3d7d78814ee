"""A document of oracle translations in which one is replaced: how Watanabe et al. 2007 score a sentence."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hopefear.metrics.base import Metric, Statistics


class SubstitutedDocument:
    """The oracle translations of a corpus, as statistics of its sentences.

    Watanabe, Suzuki, Tsukada & Isozaki 2007 (after Watanabe et al. 2006): the score of a translation e of
    sentence t is that of the document of the oracle translations with the one of t replaced,
    BLEU({ê_1, …, ê_{t-1}, e, ê_{t+1}, …}); its loss is how much less this is than the document's own.

    Parameters
    ----------
    metric : Metric
        In the paper ``Bleu()``.
    statistics : array_like, shape (n, metric.size)
        Of the oracle translations; zeros for sentences that have none yet.

    Attributes
    ----------
    metric : Metric
    statistics : ndarray, shape (n, metric.size), float64
        Of the oracle translations.
    total : ndarray, shape (metric.size,), float64
        Their sum.

    Raises
    ------
    ValueError
        If the statistics are of another shape, negative or infinite.
    """

    def __init__(self, metric: Metric, statistics: ArrayLike) -> None:
        self.metric = metric
        self.statistics: Statistics = np.array(statistics, dtype=np.float64)
        shape = self.statistics.shape
        if len(shape) != 2 or shape[1] != metric.size:
            raise ValueError(f"statistics must be of shape (n, {metric.size}), got {shape}")
        _check(self.statistics)
        self.total: Statistics = self.statistics.sum(axis=0)

    def scores(self, sentence: int, stats: ArrayLike) -> Statistics:
        """The score of the document with each of these translations for the oracle translation.

        Parameters
        ----------
        sentence : int
            Which one they are of, from 0.
        stats : array_like, shape (k, metric.size) or (metric.size,)
            The statistics of k translations.

        Returns
        -------
        ndarray, shape (k,) or (), float64
            In per cent; for error rates their negative.
        """
        others = self.total - self.statistics[sentence]
        return self.metric.quality(others + np.asarray(stats, dtype=np.float64))

    def losses(self, sentence: int, stats: ArrayLike) -> Statistics:
        """The score of the document as it is less those of `scores`; below 0 for better translations."""
        return self.metric.quality(self.total) - self.scores(sentence, stats)

    def replace(self, sentence: int, stats: ArrayLike) -> None:
        """Make a translation with these statistics, shape ``(metric.size,)``, the oracle translation.

        Raises
        ------
        ValueError
            If they are of another shape, negative or infinite.
        """
        row = np.asarray(stats, dtype=np.float64)
        if row.shape != (self.metric.size,):
            raise ValueError(f"statistics must be of shape ({self.metric.size},), got {row.shape}")
        _check(row)
        self.statistics[sentence] = row
        self.total = self.statistics.sum(axis=0)  # afresh: it depends on the translations only, not the order


def _check(statistics: Statistics) -> None:
    if not np.all((statistics >= 0) & np.isfinite(statistics)):
        raise ValueError(f"statistics must be numbers of at least 0, got {statistics}")

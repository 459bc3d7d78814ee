"""Scores of sentences in a document of oracle translations, as in Watanabe et al. 2007."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .base import Metric, Statistics


class SubstitutedDocument:
    """The oracle translations of a corpus, as statistics of its sentences.

    Watanabe, Suzuki, Tsukada & Isozaki 2007 (after Watanabe et al. 2006): the score of a translation e of
    sentence t is the score of the document of oracle translations with the translation of t replaced by e,
    BLEU({ê_1, …, ê_{t-1}, e, ê_{t+1}, …}); the loss of e is the document's own score minus this score.

    Parameters
    ----------
    metric : Metric
        In the paper ``Bleu()``.
    statistics : array_like, shape (n, metric.size)
        Statistics of the oracle translations; zeros for sentences without one.

    Attributes
    ----------
    metric : Metric
    statistics : ndarray, shape (n, metric.size), float64
        Statistics of the oracle translations.
    total : ndarray, shape (metric.size,), float64
        The sum of the statistics.

    Raises
    ------
    ValueError
        If the statistics have another shape, or are negative or infinite.
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
        """The score of the document with the sentence's oracle translation replaced by each translation.

        Parameters
        ----------
        sentence : int
            Index of the sentence, from 0.
        stats : array_like, shape (k, metric.size) or (metric.size,)
            The statistics of k translations.

        Returns
        -------
        ndarray, shape (k,) or (), float64
            In per cent; negated for error rates.
        """
        others = self.total - self.statistics[sentence]
        return self.metric.quality(others + np.asarray(stats, dtype=np.float64))

    def losses(self, sentence: int, stats: ArrayLike) -> Statistics:
        """The document's own score minus `scores`; below 0 for better translations."""
        return self.metric.quality(self.total) - self.scores(sentence, stats)

    def replace(self, sentence: int, stats: ArrayLike) -> None:
        """Replace a sentence's oracle translation by one with these statistics, shape ``(metric.size,)``.

        Raises
        ------
        ValueError
            If the statistics have another shape, or are negative or infinite.
        """
        row = np.asarray(stats, dtype=np.float64)
        if row.shape != (self.metric.size,):
            raise ValueError(f"statistics must be of shape ({self.metric.size},), got {row.shape}")
        _check(row)
        self.statistics[sentence] = row
        self.total = self.statistics.sum(axis=0)  # summed anew: the order of replacements has no effect


def _check(statistics: Statistics) -> None:
    if not np.all((statistics >= 0) & np.isfinite(statistics)):
        raise ValueError(f"statistics must be numbers of at least 0, got {statistics}")

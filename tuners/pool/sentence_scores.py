"""How good each candidate of a pool is by itself."""

from __future__ import annotations

from hopefear.base.arrays import Floats
from hopefear.metrics import Bleu, BleuPlusOne, Metric

from .candidates import Candidates


def sentence_scores(pool: Candidates, metric: Metric | None = None) -> Floats:
    """Score each candidate of a pool as a sentence, more is better."""
    if metric is None:
        metric = pool.metric
        if isinstance(metric, Bleu):
            reflen = metric.effective_reference_length
            metric = BleuPlusOne(order=metric.order, effective_reference_length=reflen)
    if metric.size != pool.metric.size:
        raise ValueError(
            f"sentence_metric must use the statistics of {pool.metric.signature()}, got {metric.signature()}"
        )
    return metric.quality(pool.statistics) / 100


def grounded_metric(metric: Metric) -> Metric:
    """Return what Flanigan, Dyer & Carbonell 2013, section 6.1, score sentences by.

    That is grounded BLEU+1 with smoothed brevity penalty where the metric is BLEU, else the metric itself.
    """
    if not isinstance(metric, Bleu):
        return metric
    reflen = metric.effective_reference_length
    return BleuPlusOne(
        order=metric.order, effective_reference_length=reflen, smooth_brevity=True, grounded=True
    )

"""Metrics by name."""

from __future__ import annotations

import shlex
from pathlib import Path

from hopefear.base.arguments import options_of
from hopefear.base.catalogue import Catalogue

from .base import Metric


def _complaint(metric_class: type) -> str:
    wanted = "must be a subclass of hopefear.metrics.Metric"
    return "" if issubclass(metric_class, Metric) else f"{wanted}, got {metric_class!r}"


metrics: Catalogue[Metric] = Catalogue("metric", "hopefear.metrics", _complaint)
"""Metrics by name; packages add metrics in the entry point group ``hopefear.metrics``."""


def create_metric(line: str, *, base: Path | None = None) -> Metric:
    """Make the metric of a line ``NAME arguments``; see `Catalogue.create`.

    Examples
    --------
    >>> create_metric("Bleu --smoothing add-one").smoothing
    'add-one'
    """
    return metrics.create(line, base=base)


def metric_line(metric: Metric) -> str:
    """Return the line of which `create_metric` makes an equal metric; empty if there is none."""
    name = type(metric).__name__
    if name not in metrics.known() or metrics.find(name) is not type(metric):
        return ""
    options = options_of(type(metric), name).values()
    values = [(option, getattr(metric, option.name)) for option in options]
    return shlex.join([name, *(f"{option.flag}={v}" for option, v in values if v != option.default)])

"""The settings of HOLS that a resumed run must share, and the data that they need."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from hopefear.metrics import Metric

from .folds import Fold, Stages

_FREE = {"save_every", "threads", "metric", "sentence_metric"}
"""Settings that a resumed run need not share; of metrics the signature counts."""

_AFTER_GRADIENT = {
    "conditioning",
    "min_count",
    "line_search_passes",
    "line_search_k",
    "restarts",
    "between_passes",
    "metric",
}
"""Settings that matter only once a gradient is complete."""


def check_data(tuner: Any, training: Sequence[Fold] | None, held_out: Fold | None) -> None:
    """Raise ValueError where data is missing, or too much is given."""
    if held_out is not None and training is None:
        raise ValueError("held_out needs training folds, got none")
    if training is not None and tuner.HELD_IN:
        raise ValueError("Hils uses the same data for line search and gradient: give training folds to Hols")
    if training is not None and held_out is None and tuner.updates > 1:
        raise ValueError(f"with training folds and updates={tuner.updates}, held_out must be given")


def free_before_last(tuner: Any) -> set[str]:
    """Name the settings that change nothing before the last line search."""
    free = {"save_every", "threads", "last_seed"}
    return free | _AFTER_GRADIENT if tuner.updates == 1 else free


def shared_settings(tuner: Any, metric: Metric, cost_metric: Metric, stages: Stages) -> dict[str, str]:
    """Give the settings that a resumed run must share, as text, since JSON has no infinity.

    Segments that are not in memory may tell others of the same number from them by a ``fingerprint``.
    """
    texts = [getattr(fold.segments, "fingerprint", None) for fold in stages.all]
    names = [name for name in inspect.signature(type(tuner)).parameters if name not in _FREE]
    selection = stages.last.decoder.weights.selection
    return {
        "tuner": type(tuner).__name__,
        **{name: repr(getattr(tuner, name)) for name in names},
        "metric": metric.signature(),
        "sentence_metric": cost_metric.signature(),
        "selection": selection.comment() if selection is not None else "",
        "segments": repr([len(fold.segments) for fold in stages.all]),
        "texts": sha256(repr(texts).encode()).hexdigest()[:12],
    }

"""Runs of parallel MIRA on a small corpus whose features come up while it is translated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hopefear.decoder import Decoder, Segment
from hopefear.parallel import Executor
from hopefear.tuners import ParallelMira

from .world import SPANS

Learned = tuple[dict[str, float], list[Any]]


def learn(
    decoder: Decoder,
    executor: Executor | None = None,
    corpus: Sequence[Segment] = SPANS.corpus,
    **settings: Any,
) -> tuple[ParallelMira, Learned]:
    """Return the tuner, and what must be the same."""
    fit = {key: settings.pop(key) for key in ("checkpoint", "resume", "on_update") if key in settings}
    tuner = ParallelMira.paper(**{"C": 0.1, "passes": 2, "workers": 3, "snapshot_every": 4, **settings})
    tuner.executor = executor
    tuner.fit(decoder, corpus, **fit)
    records = [(x.score, x.pseudo_score, x.updates, x.skipped, x.message_bytes) for x in tuner.passes_]
    return tuner, (tuner.weights_, records)

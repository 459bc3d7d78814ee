"""The online tuners that learn by several workers; for the settings of their workers see `Parallel`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..online import AdaptiveMira, Mira, SoftRamp
from .parallel import Parallel


def _without_batches(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != "batch_size"}


@dataclass(kw_only=True, eq=False, repr=False)
class ParallelMira(Mira, Parallel):
    """MIRA by several workers (Chiang, Marton & Resnik 2008, section 2.5).

    Parameters
    ----------
    workers, share, select, exchange, make_decoder, schedule, replay, sentences_a_call, snapshot_every
        See `Parallel`.
    others
        See `Mira` and `OnlineTuner`; `save_every` counts sentences. On a cluster each worker has an oracle
        and a metric of its own; in one process the workers share those that are given, but for an oracle that
        declares state.
    """

    CORPUS_SETTINGS: ClassVar[dict[str, Any]] = _without_batches(Mira.CORPUS_SETTINGS)
    TEXT_SETTINGS: ClassVar[dict[str, Any]] = _without_batches(Mira.TEXT_SETTINGS)

    batch_size: int = field(default=1, init=False)


@dataclass(kw_only=True, eq=False, repr=False)
class ParallelAdaptiveMira(AdaptiveMira, Parallel):
    """`AdaptiveMira` by several workers, with the settings of `Parallel` besides its own.

    Each worker has rates of its own, and looks for more fears of the sentences that it has translated itself.
    """

    CORPUS_SETTINGS: ClassVar[dict[str, Any]] = _without_batches(AdaptiveMira.CORPUS_SETTINGS)
    TEXT_SETTINGS: ClassVar[dict[str, Any]] = _without_batches(AdaptiveMira.TEXT_SETTINGS)

    batch_size: int = field(default=1, init=False)


@dataclass(kw_only=True, eq=False, repr=False)
class ParallelSoftRamp(SoftRamp, Parallel):
    """`SoftRamp` by several workers, with the settings of `Parallel` besides its own."""

    batch_size: int = field(default=1, init=False)

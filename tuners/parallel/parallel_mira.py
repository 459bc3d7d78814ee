"""The online tuners that learn by several workers; for the settings of their workers see `Parallel`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ..contract import Can
from ..online import AdaptiveMira, Mira, OnlineRun, SoftRamp
from .loop import ParallelLoop
from .parallel import BY_SEVERAL, Parallel


@dataclass(kw_only=True, eq=False, repr=False)
class ParallelMira(Mira, Parallel):
    """MIRA by several workers (Chiang, Marton & Resnik 2008, section 2.5).

    Parameters
    ----------
    workers, share, select, make_decoder, schedule, replay, sentences_a_call, snapshot_every
        See `Parallel`.
    others
        See `Mira` and `OnlineTuner`; `save_every` counts sentences. On a cluster each worker has an oracle
        and a metric of its own; in one process the workers share those that are given, but for an oracle that
        declares state.
    """

    can: ClassVar[Can] = BY_SEVERAL
    LOOP: ClassVar[type[OnlineRun]] = ParallelLoop

    batch_size: int = field(default=1, init=False)


@dataclass(kw_only=True, eq=False, repr=False)
class ParallelAdaptiveMira(AdaptiveMira, Parallel):
    """`AdaptiveMira` by several workers, with the settings of `Parallel` besides its own.

    Each worker has rates of its own, and looks for more fears of the sentences that it has translated itself.
    """

    can: ClassVar[Can] = BY_SEVERAL
    LOOP: ClassVar[type[OnlineRun]] = ParallelLoop

    batch_size: int = field(default=1, init=False)


@dataclass(kw_only=True, eq=False, repr=False)
class ParallelSoftRamp(SoftRamp, Parallel):
    """`SoftRamp` by several workers, with the settings of `Parallel` besides its own."""

    can: ClassVar[Can] = BY_SEVERAL
    LOOP: ClassVar[type[OnlineRun]] = ParallelLoop

    batch_size: int = field(default=1, init=False)

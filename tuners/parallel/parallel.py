"""Online training by workers that share what they find (Chiang, Marton & Resnik 2008, section 2.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hopefear.decoder import Translator, Weights

from ..contract import Can, setting
from .loop import ParallelLoop
from .schedules import Turn

BY_SEVERAL = Can.LEARN_ONLINE | Can.LEARN_IN_PARALLEL | Can.USE_CLUSTER
"""What tuners can do that learn by several workers."""


@dataclass(kw_only=True, eq=False, repr=False)
class Parallel:
    """Learning by n workers, each with its own weights, decoder and pseudo-document.

    These are the settings of `ParallelLoop`. A tuner that has them besides its own, in any order, and names
    that loop, learns so: see `ParallelMira`. What its `example` returns is sent to other workers: it names
    the class of that as `EXAMPLE`.

    A worker learns from the sentence it has translated last, and from what has been sent to it meanwhile, as
    one batch; it then translates another sentence, and sends what there is to learn from it to all others.
    After each pass all take in what still waits. What is learned is the mean of all workers' weights.

    What is learned depends on the order in which the workers are done with their sentences, and on nothing
    else: given that, it is the same to the bit in threads, in one thread and on a cluster, also where workers
    die and are made again. A run notes the order, in a file beside its checkpoint that is
    named so with ``.schedule`` behind, and another run can keep to it.

    Outside `fit` one learns, in this process: after a `fit`, `partial_fit` goes on from its weights.

    Parameters
    ----------
    workers : int
        n. With one, what is learned is what the tuner alone learns, one sentence a batch.
    share : bool
        Whether anything is sent; else the processors are independent (line 5 of the paper's table 2).
    select : int
        With a number, and ``share=false``, learning is over shards with ℓ1/ℓ2 regularisation by the selection
        of features (Simianer, Riezler & Dyer 2012, algorithm 4): after each pass, of the features of plugins
        so many remain whose weights have the largest ℓ2 norm over the workers, and all workers begin the next
        pass with the mean of their weights. With 0, all features remain, and each worker keeps its weights.
    make_decoder : callable, optional
        Makes a worker's decoder with the weights it is called with; without it the workers' decoders have the
        configuration of the first, and copies of its plugins.
    schedule : {"auto", "length", "arrival"}
        Who counts as done first: as if a sentence took as many units of time as it has tokens, so that runs
        repeat; or who is done first, so that nobody waits. "auto" is "arrival" on a cluster, else "length".
    replay : str
        A file with the order of another run.
    sentences_a_call : int
        Sentences that a worker gets at a time: it learns from each before the next, but hears of others, and
        they of it, only between. With 0, one; by "arrival" on a cluster, 0.04 seconds' worth, at most 8 / n.
    snapshot_every : int
        Sentences between two snapshots of a worker. What it did since the last one is done again if it dies.
    batch_size : int
        Not to be set: a batch is what has come since the last one.

    Attributes
    ----------
    executor : Executor or None
        Where the workers are, and the development set is translated; None for threads of this process.
    schedule_ : list of Turn
        The order of the last `fit`: whose turn it was, and how many sentences it got.
    """

    workers: int = setting(2, least=1)
    share: bool = True
    select: int = setting(0, least=0)
    make_decoder: Callable[[Weights], Translator] | None = setting(None, shared=False)
    schedule: str = setting("auto", choices=("auto", "length", "arrival"), shared=False)
    replay: str = setting("", shared=False)
    sentences_a_call: int = setting(0, least=0, shared=False)
    snapshot_every: int = setting(50, least=1, shared=False)

    @property
    def schedule_(self) -> list[Turn]:
        """The order of the last `fit`: whose turn it was, and how many sentences it got."""
        loop = getattr(self, "_run", None)
        if not isinstance(loop, ParallelLoop):
            raise AttributeError("expected a tuner that has begun to learn")
        return loop.turns

    @property
    def restarts_(self) -> int:
        """How often a worker died and was made again in the last `fit`."""
        loop = getattr(self, "_run", None)
        return sum(x.restarts for x in loop.learners) if isinstance(loop, ParallelLoop) else 0

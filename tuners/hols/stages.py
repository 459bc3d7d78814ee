"""The two stages of an update of HOLS: the gradient, and the line search along it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from hopefear.decoder import Segment
from hopefear.parallel import Executor, WorkerDied, raise_blame

from .dense_features import DenseFeatures
from .folds import Stages
from .gradient_sum import PartialSum
from .loss_gradient import GradientTask, SentenceLoss
from .progress import HolsProgress, HolsRecord
from .sparse_line import SparseLine
from .sparse_line_search import LineSearch


@dataclass(frozen=True)
class Hooks:
    """Who is told.

    Parameters
    ----------
    tick : callable
        Called after each sentence.
    save : callable
        Called where a run can go on from.
    """

    tick: Callable[[], None]
    save: Callable[[], None]


def take_gradient(
    tuner: Any, state: HolsProgress, stages: Stages, loss: SentenceLoss, executor: Executor, hooks: Hooks
) -> None:
    """Add up the gradient of an update, or what is left of it.

    Sentences are taken in blocks of `save_every`; a block is added up in a tree, where workers are, and only
    its sum comes here. A run that is stopped within a block begins it anew.

    Parameters
    ----------
    tuner : Hols
        Its settings count.

    Raises
    ------
    InputError
        No derivation covers any sentence, or no sparse feature fires; workers die of a sentence.
    WorkerDied
        They die, but of no sentence that can be found.
    """

    def on_chunk(sentences: int) -> None:
        for _ in range(sentences):
            hooks.tick()

    total, number = state.gradient, len(state.records)
    task = GradientTask(loss, tuple(fold.decoder for fold in stages.gradient))
    executor.publish(stages.last.decoder.weights)
    left, size = stages.part(number, tuner.parts, total.sentences), tuner.save_every or None
    while total.sentences < stages.count(number, tuner.parts):
        block = islice(left, size)
        try:
            total.add(executor.reduce(task, PartialSum.merged, block, chunk=tuner.chunk, on_chunk=on_chunk))
        except WorkerDied as error:
            if error.times:
                again = stages.part(number, tuner.parts, total.sentences)
                _find_deadly(task, executor, islice(again, size))
            raise
        if tuner.save_every:
            hooks.save()
    total.check()


def _find_deadly(task: GradientTask, executor: Executor, block: Iterable[tuple[int, Segment]]) -> None:
    """Name the sentence that workers died of, which a tree does not know: one at a time, it is found.

    Raises
    ------
    InputError
        There is one.
    """
    alone = ([own] for own in block)
    for _ in executor.map(task, alone, on_death=lambda own, died: raise_blame(own[0][1], died)):
        pass


def make_search(tuner: Any, state: HolsProgress) -> LineSearch:
    """Give the line search of an update; the last one has settings of its own."""
    passes, seed = tuner.between_passes, tuner.seed
    if len(state.records) + 1 == tuner.updates:
        passes = None
        seed = tuner.seed if tuner.last_seed is None else tuner.last_seed
    return LineSearch(
        passes=tuner.line_search_passes if passes is None else passes,
        k=tuner.line_search_k,
        metric=tuner.metric,
        restarts=tuner.restarts,
        seed=seed,
    )


def search_along(
    tuner: Any,
    search: LineSearch,
    state: HolsProgress,
    stages: Stages,
    dense: DenseFeatures,
    executor: Executor,
    hooks: Hooks,
) -> HolsRecord:
    """Search along the gradient, or what is left to search, and give the record of the update.

    Raises
    ------
    InputError
        Nothing can be translated; workers die of a sentence.
    TuningError
        The weights would not be finite, or all zero.
    WorkerDied
        Workers die again and again.
    """
    assert state.direction is not None
    fold = stages.last if len(state.records) + 1 == tuner.updates else stages.between
    line = SparseLine(fold.decoder, dense, state.weights, state.direction)
    saved, state.search = state.search, None
    search.search(
        line,
        list(fold.segments),
        saved=saved,
        executor=executor,
        on_sentence=hooks.tick,
        on_pass=lambda record: hooks.save(),
    )
    return state.record(search, line, held_out=fold is not stages.last)

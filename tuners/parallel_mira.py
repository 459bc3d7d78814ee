"""MIRA by several workers that share what they find (Chiang, Marton & Resnik 2008, section 2.5)."""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Decoder, Hypotheses, InputError, ParseFailed, Segment, Weights
from hopefear.metrics import Metric, PseudoDocument

from .base import OnUpdate, State, TuningError
from .exchange import Exchange, Mailboxes, Nothing
from .mira import Mira
from .progress import Progress
from .saved_features import load_features
from .search_space import Oracle


@dataclass(frozen=True, slots=True)
class _Worker:
    """A decoder with weights of its own, its pseudo-document, the average of its weights."""

    decoder: Decoder
    progress: Progress


class ParallelMira(Mira):
    """MIRA by n workers, each with its own weights, decoder and pseudo-document, in threads.

    A worker translates a sentence, sends the hypotheses with their losses to all others, takes in what has
    been sent to it meanwhile, learns from all this as one batch, and gets the next sentence. After each pass
    all take in what still waits. What is learned is the mean of all workers' weights.

    Which sentence meets which weights does not depend on how fast the threads are: a sentence counts as
    translated after as many units of time as it has tokens. So two runs learn the same; where features come
    up while the workers decode, to rounding, since threads number them as they come. An oracle that is given
    is asked by all threads.

    Parameters
    ----------
    workers : int
        n. With one it is `Mira`.
    share : bool
        Whether anything is sent; else the processors are independent (line 5 of the paper's table 2).
    exchange : callable, optional
        Makes what carries the hypotheses, an `Exchange`, for a number of workers; `Mailboxes` if not given.
    make_decoder : callable, optional
        Makes a worker's decoder with the weights it is called with. Needed where the decoder was given plugin
        objects; without it the workers' decoders have the configuration of the first.
    C, passes, k, hope_mu, fear_mu, decay, effective_reference_length, seed, shuffle, oracle_pop_limit, \
average, patience, oracle, metric
        See `Mira`. A checkpoint is written after each pass.
    """

    def __init__(
        self,
        *,
        workers: int = 2,
        share: bool = True,
        exchange: Callable[[int], Exchange] | None = None,
        make_decoder: Callable[[Weights], Decoder] | None = None,
        C: float = 0.01,
        passes: int = 8,
        k: int = 10,
        hope_mu: float = 0.5,
        fear_mu: float = math.inf,
        decay: float = 0.9,
        effective_reference_length: Any = "shortest",
        seed: int = 0,
        shuffle: bool = True,
        oracle_pop_limit: int = 0,
        average: str = "last",
        patience: int = 2,
        oracle: Oracle | None = None,
        metric: Metric | None = None,
    ) -> None:
        super().__init__(
            C=C,
            passes=passes,
            k=k,
            hope_mu=hope_mu,
            fear_mu=fear_mu,
            decay=decay,
            effective_reference_length=effective_reference_length,
            seed=seed,
            shuffle=shuffle,
            oracle_pop_limit=oracle_pop_limit,
            average=average,
            patience=patience,
            save_every=0,
            oracle=oracle,
            metric=metric,
        )
        self.workers = workers
        self.share = share
        self.exchange = exchange
        self.make_decoder = make_decoder
        self._others: list[_Worker] = []

    CORPUS_SETTINGS = {name: x for name, x in Mira.CORPUS_SETTINGS.items() if name != "batch_size"}  # noqa: RUF012

    def get_state(self) -> State:
        """Give what `set_state` restores, all workers' weights with it.

        Raises
        ------
        ValueError
            Nothing has been learned yet.
        """
        state = super().get_state()
        size = len(state["arrays"]["weights"])
        for number, worker in enumerate(self._others, 1):
            average = worker.progress.average
            state["facts"][f"worker{number}"] = [worker.progress.document.get_state(), average.updates]
            values = np.zeros((2, size))
            for row, array in zip(values, (worker.decoder.weights.array, average.moment), strict=True):
                row[: len(array)] = array[:size]
            state["arrays"][f"worker{number}"] = values
        return state

    def _begin(self, decoder: Decoder, corpus: Sequence[Segment] = ()) -> Progress:
        if self._progress is not None:
            return super()._begin(decoder, corpus)
        restored, self._others = self._restored, []
        state = super()._begin(decoder, corpus)
        # Outside `fit` there is but one worker.
        for number in range(1, self.workers if corpus else 1):
            progress = Progress(PseudoDocument(state.document.metric, self.decay))
            worker = _Worker(self._copy(decoder), progress)
            if restored is not None:
                _restore(worker, number, restored)
            self._others.append(worker)
        return state

    def _copy(self, decoder: Decoder) -> Decoder:
        """Make a decoder of the same features with weights of its own, the same at first."""
        weights = Weights(native=decoder.weights.native.sibling())
        if self.make_decoder is not None:
            copy = self.make_decoder(weights)
        else:
            copy = Decoder(decoder.config, weights=weights, selection=decoder.selection)
        families = [{report.family for report in x.feature_report()} for x in (decoder, copy)]
        if copy.weights is not weights or families[0] != families[1]:
            raise TuningError(
                "a worker's decoder must have the weights it is given and "
                f"the plugins {sorted(families[0])}, got {sorted(families[1])}: set make_decoder"
            )
        weights.replace(decoder.weights.array)
        return copy

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "workers": repr(self.workers), "share": repr(self.share)}

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.workers < 1:
            raise ValueError(f"workers must be at least 1, got {self.workers}")

    def _pass(
        self,
        state: Progress,
        decoder: Decoder,
        corpus: Sequence[Segment],
        checkpoint: Path | None,
        advance: Callable[[], Any],
        on_update: OnUpdate | None,
    ) -> None:
        """Go through the corpus once."""
        number, clock = len(state.passes) + 1, time.process_time()
        order = np.arange(len(corpus))
        if self.shuffle:
            order = np.random.default_rng([self.seed, number]).permutation(len(corpus))
        workers = [_Worker(decoder, state), *self._others]
        if self.average == "last":
            for worker in workers:
                worker.progress.average.reset()
        exchange = (self.exchange or Mailboxes if self.share else Nothing)(len(workers))
        left = iter(order.tolist())
        running: list[tuple[int, int, Future[list[Hypotheses]]]] = []

        def begin(i: int, now: int) -> None:
            place = next(left, None)
            if place is not None:
                found = pool.submit(self._translate, workers[i], corpus[place])
                heapq.heappush(running, (now + max(corpus[place].length, 1), i, found))

        def learn(i: int, batch: list[Hypotheses]) -> None:
            if batch:
                record = self._update(workers[i].progress, workers[i].decoder, batch, number)
                state.updates += i > 0
                if on_update is not None:
                    on_update(replace(record, update=state.updates))

        with ThreadPoolExecutor(len(workers)) as pool:
            for i in range(len(workers)):
                begin(i, 0)
            while running:
                now, i, future = heapq.heappop(running)
                found = future.result()
                exchange.send(i, found)
                learn(i, found + exchange.receive(i))
                advance()
                begin(i, now)
        for i in range(len(workers)):
            learn(i, exchange.receive(i))
        for worker in self._others:
            _hand_over(worker.progress, state)
        state.seconds += time.process_time() - clock
        if state.skipped == len(corpus):
            raise InputError("no derivation covers any segment: is the grammar that of the source language?")
        if state.skipped + state.without_oracle == len(corpus):
            raise InputError("the oracle finds nothing to learn in any segment: choose another oracle")

    def _translate(self, worker: _Worker, segment: Segment) -> list[Hypotheses]:
        try:
            forest = worker.decoder.translate(segment)
        except ParseFailed:
            worker.progress.skipped += 1
            return []
        return self._take_in(worker.progress, worker.decoder, forest, segment)

    def _learned(self, state: Progress, weights: Weights) -> NDArray[np.float64]:
        """Average over the workers."""
        learned = [super()._learned(state, weights)]
        for worker in self._others:
            learned.append(super()._learned(worker.progress, worker.decoder.weights))
        mean = np.zeros(max(map(len, learned)))
        for array in learned:
            mean[: len(array)] += array / len(learned)
        return mean


def _hand_over(worker: Progress, state: Progress) -> None:
    """Count what a worker has translated in this pass for all together."""
    state.statistics += worker.statistics
    for name in ("words", "reference_words", "skipped", "without_oracle"):
        setattr(state, name, getattr(state, name) + getattr(worker, name))
    worker.start_pass()


def _restore(worker: _Worker, number: int, state: State) -> None:
    weights, average = worker.decoder.weights, worker.progress.average
    try:
        document, average.updates = state["facts"][f"worker{number}"]
        worker.progress.document.set_state(document)
        values = state["arrays"][f"worker{number}"]
        numbers = load_features(state["arrays"]["names"], weights)
        spread = np.zeros((2, len(weights)))
        spread[:, numbers] = values
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"expected the state of {number + 1} workers, got one without {error}") from None
    weights.replace(spread[0])
    average.moment = spread[1]

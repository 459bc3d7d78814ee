"""The loop of online training: a batch is translated, then learned from, then the next with new weights."""

from __future__ import annotations

import copy
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hopefear.base import ParseFailed
from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Hypotheses, Segment, Translation, Translator, Weights
from hopefear.metrics import Bleu, PseudoDocument

from ..contract import (
    FeatureFamilies,
    PassRecord,
    State,
    Step,
    Training,
    TuningError,
    UpdateRecord,
    array,
    authors_code,
    check_step,
    corpus_score,
    declared,
    fact,
    kept,
    part,
)
from ..oracles import Oracle, SearchSpace, find_hypotheses
from .algorithm import OnlineAlgorithm
from .run import OnlineRun


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence to learn from."""

    segment: int | str
    loss: float
    content: Any


@dataclass
class Starts:
    """How far the choice of a first pass is."""

    done: int = fact(0, least=0)
    beginning: State | None = kept()
    best: State | None = kept()
    best_score: float = fact(0.0)
    seconds: float = fact(0.0)


@dataclass(init=False, eq=False)
class OnlineLoop(OnlineRun):
    """Runs an online algorithm: owns its memory, its oracle, and the choice of a first pass."""

    algorithm: OnlineAlgorithm = field(init=False)
    memory: Any = part()
    oracle: Oracle = part()
    starts: Starts = part(Starts)
    _weights: Floats = array(by_feature=True)
    families: FeatureFamilies | None = None
    latest: tuple[Segment, Hypotheses] | None = None
    touched: Ints | None = None  # features whose weights the latest update may have changed

    def __init__(
        self,
        algorithm: OnlineAlgorithm,
        weights: Weights,
        document: PseudoDocument,
        settings: dict[str, str],
        *,
        keep_rows: bool = True,
    ) -> None:
        super().__init__(algorithm, weights, document, settings, keep_rows=keep_rows)
        self.latest = None
        self._weights = np.zeros(0)
        self.starts = Starts()
        self.families = FeatureFamilies.of_tuner(algorithm, weights)
        self.memory = algorithm.init()
        oracle = algorithm.make_oracle(self.memory)
        self.oracle = copy.deepcopy(oracle) if declared(type(oracle)) else oracle

    def saving(self) -> None:
        """Note the decoder's weights."""
        self._weights = self.weights.array

    def restored(self) -> None:
        """Set the decoder's weights to those of then."""
        self.weights.replace(self._weights)

    @contextmanager
    def prepared(self, training: Training) -> Iterator[None]:
        """Let the algorithm set what it begins with."""
        self.algorithm.begin(training, self.progress.document, self.memory)
        yield

    def sentences(self, passes: int, count: int) -> tuple[int | None, int]:
        """Count the sentences of all passes, those of several first ones too, and those done."""
        total, done = super().sentences(passes, count)
        more = (self.algorithm.starts - 1) * count
        done += self.starts.done * count if not self.records else more
        return None if total is None else total + more, done

    def one_pass(self, training: Training) -> tuple[PassRecord, Floats]:
        """Do a pass, or what is left of it; the first one may be chosen from several."""
        if self.records or self.algorithm.starts == 1:
            self.go_through(training)
        else:
            self._choose_start(training)
        return self.counted(len(training.corpus)), self.learned()

    def go_through(self, training: Training) -> None:
        """Learn from the corpus once, or from what is left of it."""
        decoder, corpus, hooks = training.decoder, training.corpus, training.hooks
        algorithm, progress, number = self.algorithm, self.progress, len(self.records) + 1
        order = self.algorithm.order(number, len(corpus), self.starts.done)
        if progress.position == 0:
            self.begin_pass()
        batch: list[Example] = []
        clock = time.process_time()
        for index in range(progress.position, len(corpus)):
            segment = corpus[order[index]]
            try:
                with decoder.attempting(segment):
                    batch += self.take_in(decoder, decoder.translate(segment), segment)
            except ParseFailed:
                progress.skipped += 1
            progress.position = index + 1
            hooks.bar.update()
            if batch and (len(batch) == algorithm.batch_size or progress.position == len(corpus)):
                try:
                    with decoder.attempting(segment):
                        record = self.update(batch, number)
                except ParseFailed:
                    progress.skipped += len(batch)
                else:
                    clock, before = time.process_time(), clock
                    progress.seconds += clock - before
                    hooks.bar.note(self.note(record.pseudo_score))
                    if hooks.on_update is not None:
                        hooks.on_update(record)
                    if algorithm.save_every and progress.updates % algorithm.save_every == 0:
                        hooks.save(self)
                batch = []
            if not batch:
                hooks.sentence()
        progress.seconds += time.process_time() - clock

    def find(
        self, decoder: Translator, forest: Translation, segment: Segment, oracle: Oracle | None = None
    ) -> tuple[SearchSpace, Hypotheses | None]:
        """Return what can be learned from a sentence, and what it was chosen from."""
        space = SearchSpace(decoder, forest, segment, self.progress.document)
        return space, find_hypotheses(oracle or self.oracle, space)

    def take_in(self, decoder: Translator, forest: Translation, segment: Segment) -> list[Example]:
        """Return the example of a sentence, if there is one, and let it join the pseudo-document."""
        space, found = self.find(decoder, forest, segment)
        examples, joining = [], None
        if found is not None:
            self.latest = segment, found
            loss = float(found.hope.B[0] - found.best.B[0])
            with authors_code(self.algorithm, f"segment {segment.id}"):
                examples = [
                    Example(found.segment.id, loss, self.algorithm.example(found, space, self.memory))
                ]
                joining = self.algorithm.joining(found)
        self.progress.take_in(space.best(1), segment, joining)
        self.progress.without_oracle += found is None
        return examples

    def update(self, batch: Sequence[Example], pass_number: int) -> UpdateRecord:
        """Change the weights; an empty batch changes nothing and is no update."""
        progress, segments = self.progress, tuple(one.segment for one in batch)
        step = Step(np.zeros(0, np.int64), np.zeros(0), 0.0, 0)
        if batch:
            with authors_code(self.algorithm, f"segment {segments[-1]}"):
                step = self._updated([one.content for one in batch])
            step.apply(self.weights.array, segments[-1], self.algorithm.remedy)
            progress.average.add(step.features, step.change)
            progress.updates += 1
            where = f"segment {segments[-1]}"
            with authors_code(self.algorithm, where), self._holding(self.weights.array):
                self.algorithm.after_update(self.weights.array, self.memory)
        sets_others = type(self.algorithm).after_update is not OnlineAlgorithm.after_update
        self.touched = None if batch and sets_others else step.features
        return UpdateRecord.of(
            step,
            update=progress.updates,
            pass_number=pass_number,
            segments=segments,
            loss=float(sum(one.loss for one in batch)),
            document=progress.document,
            start=progress.start,
        )

    def learned(self) -> Floats:
        """Return the weights that were learned so far, averaged if need be, by feature number."""
        if self.algorithm.average == "none":
            learned = self.weights.array.copy()
            # The run goes on as if nobody had asked: a worker that is made again is asked at other times.
            with self._holding(learned):
                self.algorithm.settle(learned, copy.deepcopy(self.memory))
        else:
            learned = self.progress.average.mean(self.weights.array)
        wrong = np.flatnonzero(~np.isfinite(learned))
        if len(wrong):
            raise TuningError(
                f"the average weight of {self.weights.name(int(wrong[0]))} is no longer finite after update "
                f"{self.progress.updates}: scale the feature's values down, or {self.algorithm.remedy}"
            )
        with self._holding(learned):
            self.algorithm.finish(learned, self.memory)
        return learned

    def _updated(self, batch: list[Any]) -> Step:
        """Return the change by the algorithm and by the settings of families."""
        algorithm, weights, families = self.algorithm, self.weights.array, self.families
        if families is None:
            step = algorithm.update(batch, weights, self.memory)
            check_step(step)
            return step
        update: Callable[..., Step] = algorithm.update
        if "rates" in inspect.signature(update).parameters:
            step = update(batch, weights, self.memory, rates=families.rates)
            check_step(step)
        else:
            step = update(batch, weights, self.memory)
            check_step(step)
            step = replace(step, change=step.change * families.rates(step.features))
        return families.update(step, self.weights.array)

    def _holding(self, weights: Floats) -> AbstractContextManager[None]:
        """Keep the weights of fixed features, whatever a hook of the algorithm does."""
        return nullcontext() if self.families is None else self.families.holding(weights)

    def _choose_start(self, training: Training) -> None:
        """Do the first passes that are left, and go back to the end of the best one."""
        hooks, most = training.hooks, self.algorithm.starts
        if self.starts.beginning is None and not self.starts.done:
            self.begin_start()
        while self.starts.done < most:
            hooks.bar.name(f"start {self.starts.done + 1} of {most}")
            self.go_through(training)
            metric = Bleu() if self.algorithm.metric is None else self.algorithm.metric
            decoder, corpus = training.decoder, training.corpus
            score, _ = corpus_score(decoder, corpus, self.learned(), metric, training.executor)
            hooks.bar.note(f"start {self.starts.done + 1} of {most}: {self.metric.name} {score:.2f}")
            self.end_start(score, most)
            hooks.save(self)

    def begin_start(self) -> None:
        """Keep what every first pass begins with, before the first one."""
        self.starts.beginning = self._state_of_now()

    def end_start(self, score: float, count: int) -> None:
        """Keep what a first pass has led to if its score is the best so far, and go back to the beginning."""
        starts, sign = self.starts, 1 if self.metric.higher_is_better else -1
        if starts.best is None or sign * score > sign * starts.best_score:
            starts.best, starts.best_score = self._state_of_now(), score
        starts.done, starts.seconds = starts.done + 1, starts.seconds + self.progress.seconds
        state = starts.beginning if starts.done < count else starts.best
        assert state is not None
        self.starts = Starts()
        self.set_state(state)
        self.starts = starts
        if starts.done == count:
            starts.beginning = starts.best = None
            self.progress.seconds = starts.seconds
        else:
            self.progress.start = starts.done + 1

    def _state_of_now(self) -> State:
        """Return the state, but for the states that the choice of a first pass keeps."""
        starts, self.starts = self.starts, Starts()
        state = self.get_state()
        self.starts = starts
        return state

    def begin_pass(self) -> None:
        """Forget the average of earlier passes, where that of the last pass is learned."""
        if self.algorithm.average == "last":
            self.progress.average.reset()

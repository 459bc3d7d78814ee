"""Online training: a batch of sentences is translated, then learned from, then the next with new weights."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from hopefear.base import ParseFailed
from hopefear.base.progress import ProgressBar
from hopefear.cdec import CdecProcess
from hopefear.decoder import Decoder, Hypergraph, Hypotheses, Segment, Weights
from hopefear.metrics import Bleu, Metric, PseudoDocument
from hopefear.parallel import Executor

from ..contract import (
    OnPass,
    OnUpdate,
    Settings,
    State,
    Step,
    TuningError,
    UpdateRecord,
    check_at_least,
    check_references,
    corpus_score,
    resuming,
    state_to_resume,
    write_checkpoint,
)
from ..oracles import Oracle, SearchSpace, check_searchable, find_hypotheses, prepare_oracle
from .progress import Progress

Tuner = TypeVar("Tuner", bound="OnlineTuner")


class OnlineTuner(Settings, ABC):
    """What online tuners share: passes, batches, averaging, checkpoints.

    An algorithm gives `_step`, its change for a batch, `_make_oracle` and `_make_metric`; its constructor
    stores the settings that are annotated here, see `Mira` for their meaning, beside its own.
    """

    passes: int
    batch_size: int
    decay: float
    metric: Metric | None
    seed: int
    shuffle: bool
    average: str
    patience: int
    save_every: int

    STEP_SIZE: ClassVar[str]
    """The setting that says how far an update goes."""

    executor: Executor | None = None
    """Where the development set is translated; here if not given."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._weights: Weights | None = None
        self._restored: State | None = None

    @abstractmethod
    def _step(self, batch: Sequence[Hypotheses], weights: NDArray[np.float64]) -> Step:
        """Find the change that a batch, of at least one sentence, asks for."""

    @abstractmethod
    def _make_oracle(self) -> Oracle:
        """Give what chooses the hypotheses."""

    @abstractmethod
    def _make_metric(self) -> Metric:
        """Give the metric of the pseudo-document."""

    @abstractmethod
    def _settings(self) -> dict[str, Any]:
        """Give the settings that a resumed run must share, as JSON can hold them."""

    def _check_settings(self) -> None:
        """Raise ValueError where a setting is out of range."""
        check_at_least(self, passes=1, batch_size=1, patience=1, save_every=0)
        if self.average not in ("last", "all", "none"):
            raise ValueError(f"average must be 'last', 'all' or 'none', got {self.average!r}")

    def check(self) -> None:
        """Refuse settings that nothing can be learned with; for callers that want to know at the start.

        Raises
        ------
        ValueError
            A setting of the tuner or of its oracle is out of range.
        TuningError
            The oracle searches forests, which the metric cannot measure; or its `prepare` raised another
            exception than ValueError.
        """
        self._check_settings()
        oracle, metric = self._make_oracle(), self._make_metric()
        prepare_oracle(oracle)
        if getattr(oracle, "searches_forest", False):
            check_searchable(metric)

    def hypotheses(self, decoder: Decoder, forest: Hypergraph, segment: Segment) -> Hypotheses:
        """Give the hope, best and fear lists of a forest, without learning from them.

        Raises
        ------
        InputError
            The segment has no reference.
        TuningError
            The oracle finds nothing to learn.
        """
        space = SearchSpace(decoder, forest, segment, self._begin(decoder).document)
        found = find_hypotheses(self._make_oracle(), space)
        if found is None:
            raise TuningError(f"the oracle finds nothing to learn from segment {segment.id}")
        return found

    def partial_fit(self, decoder: Decoder, forest: Hypergraph, segment: Segment) -> UpdateRecord:
        """Learn from one forest and the references of its segment; changes the decoder's weights.

        Raises
        ------
        InputError
            The segment has no reference, or there is not enough memory to learn from it.
        TuningError
            The weights would not be finite; the oracle failed.
        """
        state = self._begin(decoder)
        with decoder.attempting(segment):
            return self._update(state, decoder, self._take_in(state, decoder, forest, segment), 0)

    def fit(
        self: Tuner,
        decoder: Decoder | CdecProcess,
        corpus: Sequence[Segment],
        *,
        development: Sequence[Segment] | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
        progress: bool = False,
        on_update: OnUpdate | None = None,
        on_pass: OnPass | None = None,
    ) -> Tuner:
        """Tune the decoder's weights on a corpus; it has the learned weights in the end.

        Parameters
        ----------
        decoder : Decoder or CdecProcess
            cdec has k-best lists and no forests: it wants an oracle that chooses from a list.
        corpus : sequence of Segment
            With references.
        development : sequence of Segment, optional
            Stop early, and choose the pass, by the score of these with the averaged weights: by the tuner's
            metric, BLEU with the closest reference length where none was given.
        checkpoint : Path, optional
            Where to save the state.
        resume : bool
            Go on from the checkpoint. The weights are the same, bit for bit, as without the stop.
        progress : bool
            Show a progress bar on standard error.
        on_update, on_pass : callable, optional
            Called after each; at `on_pass`, `weights_` is what the pass learned.

        Raises
        ------
        InputError
            A segment has no reference; nothing can be translated; the oracle finds nothing in any segment;
            the checkpoint is of another run.
        TuningError
            The weights would not be finite; the oracle failed.
        """
        decoder = cast(Decoder, decoder)  # what is used of it, the other has too, or says that it has not
        check_references(corpus)
        if development is not None:
            check_references(development)
        self._progress, self._restored = None, state_to_resume(checkpoint) if resume else None
        with resuming(checkpoint if resume else None):
            state = self._begin(decoder, corpus)
        self.passes_ = state.passes
        done, total = len(state.passes) * len(corpus) + state.position, self.passes * len(corpus)
        with ProgressBar(total, done=done, show=progress) as bar:

            def updated(record: UpdateRecord) -> None:
                bar.note(state.note(record.pseudo_score))
                if on_update is not None:
                    on_update(record)

            while len(state.passes) < self.passes and not state.stagnant(self.patience):
                bar.name(f"pass {len(state.passes) + 1} of {self.passes}")
                self._pass(state, decoder, corpus, checkpoint, bar.update, updated)
                learned = self._learned(state, decoder.weights)
                found = None
                if development is not None:
                    found = corpus_score(decoder, development, learned, self.metric or Bleu(), self.executor)
                state.finish_pass(learned, found)
                self.weights_ = decoder.weights.named(learned)
                if checkpoint is not None:
                    write_checkpoint(checkpoint, self.get_state())
                if on_pass is not None:
                    on_pass(state.passes[-1])
        learned = self._learned(state, decoder.weights) if state.chosen is None else state.chosen
        decoder.weights.replace(learned)
        self.weights_ = decoder.weights.nonzero()
        return self

    @property
    def score_per_pass_(self) -> list[float]:
        """The metric's score after each pass of the last `fit`."""
        return [r.score if r.development_score is None else r.development_score for r in self.passes_]

    def get_state(self) -> State:
        """Give what `set_state` restores: ``facts`` that JSON can hold and ``arrays``.

        Raises
        ------
        ValueError
            Nothing has been learned yet.
        """
        if self._progress is None or self._weights is None:
            raise ValueError("expected a tuner that has begun to learn")
        return self._progress.get_state(self._weights, self._settings())

    def set_state(self, state: State) -> None:
        """Go on from a state, which holds the decoder's weights too, with the next `partial_fit`."""
        self._progress, self._restored = None, state

    def _begin(self, decoder: Decoder, corpus: Sequence[Segment] = ()) -> Progress:
        if self._progress is None:
            self.check()
            metric = self._make_metric()
            if corpus:
                metric = metric.for_corpus([segment.references for segment in corpus])
            fresh = Progress(PseudoDocument(metric, self.decay))
            if self._restored is not None:
                fresh.set_state(self._restored, decoder.weights, self._settings())
            self._progress, self._restored = fresh, None
        self._weights = decoder.weights
        return self._progress

    def _pass(
        self,
        state: Progress,
        decoder: Decoder,
        corpus: Sequence[Segment],
        checkpoint: Path | None,
        advance: Callable[[], Any],
        on_update: OnUpdate | None,
    ) -> None:
        """Go through the corpus once, or through what is left of it."""
        number = len(state.passes) + 1
        order = self._order(number, len(corpus))
        if state.position == 0 and self.average == "last":
            state.average.reset()
        batch: list[Hypotheses] = []
        clock = time.process_time()
        for place in range(state.position, len(corpus)):
            segment = corpus[order[place]]
            try:
                with decoder.attempting(segment):
                    forest = decoder.translate(segment)
                    batch += self._take_in(state, decoder, forest, segment)
            except ParseFailed:
                state.skipped += 1
            state.position = place + 1
            advance()
            if len(batch) == self.batch_size or (batch and state.position == len(corpus)):
                try:
                    with decoder.attempting(segment):
                        record = self._update(state, decoder, batch, number)
                except ParseFailed:
                    state.skipped += len(batch)
                    continue
                finally:
                    batch = []
                clock, before = time.process_time(), clock
                state.seconds += clock - before
                if on_update is not None:
                    on_update(record)
                if checkpoint is not None and self.save_every and state.updates % self.save_every == 0:
                    write_checkpoint(checkpoint, self.get_state())
        state.seconds += time.process_time() - clock
        state.check_learnable(len(corpus))

    def _order(self, number: int, sentences: int) -> list[int]:
        """Give the places of the sentences in the order in which pass `number` goes through them."""
        rng = np.random.default_rng([self.seed, number])
        return list(map(int, rng.permutation(sentences) if self.shuffle else range(sentences)))

    def _take_in(
        self, state: Progress, decoder: Decoder, forest: Hypergraph, segment: Segment
    ) -> list[Hypotheses]:
        """Find the hypotheses of a sentence, and add its 1-best translation to the pseudo-document."""
        space = SearchSpace(decoder, forest, segment, state.document)
        found = find_hypotheses(self._make_oracle(), space)
        state.take_in(space.best(1), segment)
        state.without_oracle += found is None
        return [] if found is None else [found]

    def _update(
        self, state: Progress, decoder: Decoder, batch: Sequence[Hypotheses], pass_number: int
    ) -> UpdateRecord:
        """Change the weights; an empty batch changes nothing and is no update."""
        segments = tuple(found.segment.id for found in batch)
        step = Step(np.zeros(0, np.int64), np.zeros(0), 0.0, 0)
        if batch:
            step = self._step(batch, decoder.weights.array)
            remedy = f"lower {self.STEP_SIZE} (it is {getattr(self, self.STEP_SIZE)})"
            step.apply(decoder.weights.array, segments[-1], remedy)
            state.average.add(step.features, step.change)
            state.updates += 1
        return UpdateRecord.of(
            step,
            update=state.updates,
            pass_number=pass_number,
            segments=segments,
            loss=float(sum(found.hope.B[0] - found.best.B[0] for found in batch)),
            document=state.document,
        )

    def _learned(self, state: Progress, weights: Weights) -> NDArray[np.float64]:
        learned = weights.array.copy() if self.average == "none" else state.average.mean(weights.array)
        wrong = np.flatnonzero(~np.isfinite(learned))
        if len(wrong):
            raise TuningError(
                f"the average weight of {weights.name(int(wrong[0]))} is no longer finite after update "
                f"{state.updates}: scale the feature's values down, or lower {self.STEP_SIZE}"
            )
        return learned

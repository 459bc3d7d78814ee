"""Online training: a batch of sentences is translated, then learned from, then the next with new weights."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import ParseFailed
from hopefear.decoder import Hypotheses, Segment, Translation, Translator
from hopefear.metrics import Metric, PseudoDocument
from hopefear.parallel import Executor

from ..contract import (
    Hooks,
    PassRecord,
    PassTuner,
    State,
    TuningError,
    UpdateRecord,
    corpus_score,
    setting,
    shared_settings,
)
from ..oracles import Oracle, check_searchable, describe, prepare_oracle
from .run import Example, OnlineRun
from .update_rule import UpdateRule


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineTuner(UpdateRule, PassTuner[OnlineRun, PassRecord]):
    """What online tuners share: passes, batches, averaging, checkpoints.

    An algorithm is a dataclass with the settings it adds, see `hopefear.tuners.setting`, and an update rule:
    it defines `update`, and other methods of `UpdateRule` where it does otherwise.

    Parameters
    ----------
    passes : int
        Passes over the corpus; fewer if the development set says so.
    starts : int
        First passes, each from the initial weights, with an order of its own. The run goes on from the one
        whose weights translate the corpus best.
    batch_size : int
        Sentences of one update.
    decay : float
        Factor of the pseudo-document after each sentence.
    seed : int
        Of the order of the sentences.
    shuffle : bool
        Whether each pass has an order of its own.
    average : {"last", "all", "none"}
        The weights that are learned: the mean over the last pass, over all passes, or those at the end.
    patience : int
        Stop after so many passes in a row without a new best score of the development set.
    save_every : int
        Updates between two checkpoints; 0 to save after each pass only.
    metric : Metric, optional
        The metric of the pseudo-document.

    Attributes
    ----------
    executor : Executor or None
        Where the development set is translated; None for this process.
    weights_ : dict of str to float
        The learned weights by name, without zeros.
    score_per_pass_ : list of float
        The metric's score of the development set after each pass, or, without one, that of the corpus as it
        was translated while the weights changed.
    passes_ : list of PassRecord
        The passes of the last `fit`.
    """

    learns_online = True

    passes: int = setting(8, least=1, shared=False)
    starts: int = setting(1, least=1)
    batch_size: int = setting(1, least=1)
    decay: float = setting(0.9, least=0, most=1)
    seed: int = setting(0, least=0)
    shuffle: bool = True
    average: str = setting("last", choices=("last", "all", "none"))
    patience: int = setting(2, least=1, shared=False)
    save_every: int = setting(500, least=0, shared=False)
    metric: Metric | None = None

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
        super().check()
        oracle, metric = self.make_oracle(self.make_memory()), self.make_metric()
        prepare_oracle(oracle)
        if getattr(oracle, "searches_forest", False):
            check_searchable(metric)

    def hypotheses(
        self, decoder: Translator, forest: Translation, segment: Segment, *, oracle: Oracle | None = None
    ) -> Hypotheses:
        """Return the hope, best and fear lists of a forest, without learning from them.

        Parameters
        ----------
        oracle : Oracle, optional
            Another one than that of the tuner.

        Raises
        ------
        InputError
            The segment has no reference.
        TuningError
            The oracle finds nothing to learn.
        """
        _, found = self._live_run(decoder).find(decoder, forest, segment, oracle)
        if found is None:
            raise TuningError(f"the oracle finds nothing to learn from segment {segment.id}")
        return found

    def partial_fit(self, decoder: Translator, forest: Translation, segment: Segment) -> UpdateRecord:
        """Learn from one forest and the references of its segment; changes the decoder's weights.

        Raises
        ------
        InputError
            The segment has no reference, or there is not enough memory to learn from it.
        TuningError
            The weights would not be finite; the oracle failed.
        """
        run = self._live_run(decoder)
        with decoder.attempting(segment):
            return run.update(run.take_in(decoder, forest, segment), 0)

    @property
    def position(self) -> int:
        """Sentences of the pass under way that are done."""
        return 0 if self._run is None else self._run.progress.position

    @property
    def latest(self) -> tuple[Segment, Hypotheses] | None:
        """The sentence that was learned from last, with its hope, best and fear."""
        return None if self._run is None else self._run.latest

    def so_far(self) -> tuple[PassRecord, dict[str, float]]:
        """Return what the run has learned so far, for a callback of `fit` such as its `on_sentence`.

        Returns
        -------
        record : PassRecord
            The pass under way up to here.
        weights : dict of str to float
            By name, without zeros: what `weights_` would be if the pass ended here.

        Raises
        ------
        ValueError
            Nothing has been learned yet.
        TuningError
            The weights would not be finite.
        """
        if self._run is None:
            raise ValueError("expected a tuner that has begun to learn")
        run = self._run
        return run.progress.record(len(run.records) + 1), run.weights.named(run.learned())

    def live_state(self, decoder: Translator) -> State:
        """Return what `resume` goes on from, also before the first `partial_fit`."""
        return self._live_run(decoder).get_state()

    def resume(self, decoder: Translator, state: State) -> None:
        """Go on from a `live_state`: the decoder has the weights of then at once.

        Raises
        ------
        InputError
            The state is of another tuner or of other settings, or it is damaged.
        """
        self.set_state(state)
        self._live_run(decoder)

    def set_state(self, state: State) -> None:
        """Go on from a state, which holds the decoder's weights too, with the next `partial_fit`."""
        self._run, self._restored = None, state

    def _begin_run(
        self, decoder: Translator, corpus: Sequence[Segment], saved: State | None, **data: Any
    ) -> OnlineRun:
        self._run, self._restored = None, saved
        return self._begin(decoder, corpus)

    def _live_run(self, decoder: Translator) -> OnlineRun:
        """Return the run under way outside `fit`, which checks the settings itself; or begin one."""
        if self._run is not None:
            return self._run
        self.check()
        return self._begin(decoder)

    def _begin(self, decoder: Translator, corpus: Sequence[Segment] = ()) -> OnlineRun:
        """Begin a run, or the one whose state is to be restored."""
        metric = self.make_metric()
        oracle = describe(self.make_oracle(self.make_memory()))
        settings = shared_settings(self, oracle=oracle, metric=metric.signature())
        text = getattr(corpus, "fingerprint", None)  # of a corpus that is not in memory
        if text is not None:
            settings["text"] = text
        if corpus:
            metric = metric.for_corpus(segment.references for segment in corpus)
        keep_rows = len(corpus) > 0 and text is None  # outside `fit` no pass ends
        document = PseudoDocument(metric, self.decay)
        run = self._new_run(decoder, document, settings, keep_rows=keep_rows)
        if self._restored is not None:
            run.set_state(self._restored)
        self._run, self._restored = run, None
        return run

    def _new_run(
        self, decoder: Translator, document: PseudoDocument, settings: dict[str, str], *, keep_rows: bool
    ) -> OnlineRun:
        return OnlineRun(self, decoder.weights, document, settings, keep_rows=keep_rows)

    def _sentences(self, run: OnlineRun, corpus: Sequence[Segment]) -> tuple[int | None, int]:
        total, done = super()._sentences(run, corpus)
        more = (self.starts - 1) * len(corpus)
        done += run.starts.done * len(corpus) if not run.records else more
        return None if total is None else total + more, done + run.progress.position

    def _one_pass(
        self,
        run: OnlineRun,
        decoder: Translator,
        corpus: Sequence[Segment],
        executor: Executor,
        hooks: Hooks,
    ) -> tuple[PassRecord, NDArray[np.float64]]:
        if run.records or self.starts == 1:
            self._go_through(run, decoder, corpus, hooks)
        else:
            self._choose_start(run, decoder, corpus, executor, hooks)
        run.progress.check_learnable(len(corpus))
        return run.progress.record(len(run.records) + 1), run.learned()

    def _choose_start(
        self,
        run: OnlineRun,
        decoder: Translator,
        corpus: Sequence[Segment],
        executor: Executor,
        hooks: Hooks,
    ) -> None:
        """Do the first passes that are left, and go back to the end of the best one."""
        if run.starts.beginning is None and not run.starts.done:
            run.begin_start()
        while run.starts.done < self.starts:
            hooks.bar.name(f"start {run.starts.done + 1} of {self.starts}")
            self._go_through(run, decoder, corpus, hooks)
            score, _ = corpus_score(decoder, corpus, run.learned(), self._corpus_metric, executor)
            hooks.bar.note(f"start {run.starts.done + 1} of {self.starts}: {run.metric.name} {score:.2f}")
            run.end_start(score, self.starts)
            hooks.save(self)

    def _go_through(
        self, run: OnlineRun, decoder: Translator, corpus: Sequence[Segment], hooks: Hooks
    ) -> None:
        """Learn from the corpus once, or from what is left of it."""
        progress, number = run.progress, len(run.records) + 1
        order = self._order(number, len(corpus), run.starts.done)
        if progress.position == 0:
            run.begin_pass()
        batch: list[Example] = []
        clock = time.process_time()
        for index in range(progress.position, len(corpus)):
            segment = corpus[order[index]]
            try:
                with decoder.attempting(segment):
                    batch += run.take_in(decoder, decoder.translate(segment), segment)
            except ParseFailed:
                progress.skipped += 1
            progress.position = index + 1
            hooks.bar.update()
            if batch and (len(batch) == self.batch_size or progress.position == len(corpus)):
                try:
                    with decoder.attempting(segment):
                        record = run.update(batch, number)
                except ParseFailed:
                    progress.skipped += len(batch)
                else:
                    clock, before = time.process_time(), clock
                    progress.seconds += clock - before
                    hooks.bar.note(run.note(record.pseudo_score))
                    if hooks.on_update is not None:
                        hooks.on_update(record)
                    if self.save_every and progress.updates % self.save_every == 0:
                        hooks.save(self)
                batch = []
            if not batch:
                hooks.sentence()
        progress.seconds += time.process_time() - clock

    def _order(self, number: int, sentences: int, start: int = 0) -> list[int]:
        """Return the indices of the sentences in the order in which pass `number` goes through them."""
        rng = np.random.default_rng(
            [self.seed, number, start] if number == 1 and start else [self.seed, number]
        )
        return list(map(int, rng.permutation(sentences) if self.shuffle else range(sentences)))

"""Held-out line search (Flanigan, Dyer & Carbonell 2013)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from hopefear.base.progress import ProgressBar
from hopefear.cdec import CdecProcess
from hopefear.decoder import Decoder, Segment
from hopefear.metrics import Bleu, Metric
from hopefear.parallel import Executor

from ..contract import (
    Settings,
    State,
    check_references,
    check_weights,
    corpus_score,
    executor_for,
    read_checkpoint,
    resuming,
    setting,
    state_to_resume,
    write_checkpoint,
)
from ..pool import grounded_metric
from .dense_features import DenseFeatures
from .folds import Fold, Stages, dealt
from .loss_gradient import SentenceLoss
from .progress import HolsProgress, HolsRecord
from .settings import check_data, free_before_last, shared_settings
from .sparse_line_search import LineSearch
from .stages import Hooks, make_search, search_along, take_gradient

Tuner = TypeVar("Tuner", bound="Hols")
Call = Callable[[], None]


@dataclass(kw_only=True, eq=False, repr=False)
class Hols(Settings):
    """HOLS: the gradient of soft ramp 3 on training data, then MERT on other data along it.

    An update takes the gradient g of the sparse features' weights w_s over training sentences, and lets MERT
    find new dense weights w_d and the step α for ``w_d·f_d + w_s·f_s + α g·f_s`` (section 4). The gradient
    needs no memory for the sentences. The scale of the weights matters to it, since costs add to scores:
    start from weights that MERT has found for the dense features.

    Parameters
    ----------
    updates : int
        Gradients, each with its line search.
    parts : int
        An update's gradient takes every n-th training sentence, that of the next update those after them: two
        passes and four updates are ``updates=4, parts=2``.
    k : int
        Translations of a sentence that the loss sums over.
    cost_scale : float
        Of 1 - BLEU in the loss.
    conditioning : bool
        Divide a feature's gradient by the number of k-best lists in which the feature is not 0 (section 5.2).
    min_count : int
        Features that are not 0 in fewer k-best lists do not move.
    dense : sequence of str, optional
        The dense features; if not given all but those that plugins name.
    sentence_metric : Metric, optional
        BLEU of the cost; where `metric` is BLEU, grounded BLEU+1 with smoothed brevity penalty if not given,
        else `metric`.
    metric : Metric, optional
        What line searches optimise; BLEU if not given.
    line_search_passes, line_search_k, restarts : int
        `passes`, `k` and `restarts` of `Mert`; the pass counts whose weights translate best.
    between_passes : int, optional
        Passes of the line searches but the last; `line_search_passes` if not given.
    line_search_share : float
        Where there are no folds: the share of the corpus that line searches run on, drawn at random.
    seed : int
        Of the draw, and of the starting points of line searches.
    last_seed : int, optional
        Of the starting points of the last line search; `seed` if not given.
    save_every : int
        A gradient is saved after each so many sentences; 0 for only when it is complete.
    threads : int
        Sentences that are translated at the same time where no executor is given.

    Attributes
    ----------
    executor : Executor or None
        Where sentences are translated, and candidates of line searches kept; if it is not set, threads of
        this process.
    chunk : int
        Sentences of a task of a gradient; what is learned does not depend on it but for rounding.
    weights_ : dict of str to float
        The learned weights by name, without zeros.
    passes_ : list of HolsRecord
        The updates of the last `fit`.
    """

    HELD_IN: ClassVar[bool] = False
    """Whether the corpus that line searches run on is part of what the gradient is taken over."""

    updates: int = setting(1, least=1)
    parts: int = setting(1, least=1)
    k: int = setting(1000, least=1)
    cost_scale: float = setting(20.0, above=0, finite=True)
    conditioning: bool = True
    min_count: int = setting(1, least=1)
    dense: Sequence[str] | None = None
    sentence_metric: Metric | None = None
    metric: Metric | None = None
    line_search_passes: int = setting(10, least=1)
    line_search_k: int = setting(100, least=1)
    restarts: int = setting(20, least=0)
    between_passes: int | None = setting(None, least=1)
    line_search_share: float = setting(1 / 6, above=0, most=1)
    seed: int = setting(0, least=0)
    last_seed: int | None = setting(None, least=0)
    save_every: int = setting(1000, least=0)
    threads: int = setting(1, least=1)

    chunk: int = field(default=25, init=False)
    executor: Executor | None = field(default=None, init=False)
    _state: HolsProgress | None = field(default=None, init=False)
    _search: LineSearch | None = field(default=None, init=False)

    def _check_settings(self) -> None:
        super()._check_settings()
        if isinstance(self.dense, str):
            raise ValueError(f"dense must be a sequence of names, got a single string: {self.dense!r}")

    def fit(
        self: Tuner,
        decoder: Decoder | CdecProcess,
        corpus: Sequence[Segment],
        *,
        training: Sequence[Fold] | None = None,
        held_out: Fold | None = None,
        development: Sequence[Segment] | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
        before_last: Path | None = None,
        progress: bool = False,
        on_sentence: Call | None = None,
        on_pass: Callable[[HolsRecord], None] | None = None,
    ) -> Tuner:
        """Tune the decoder's weights; it has the learned weights in the end.

        With `training`, gradients are taken over these folds, line searches run on `held_out`, and the last
        one on the corpus, which is then the paper's development set (section 5.1). Without, the corpus is a
        tuning set as in section 6.1: a random share is for all line searches, the rest for the gradients; the
        decoder's models should not have been built from it.

        Parameters
        ----------
        corpus : sequence of Segment
            With references.
        training : sequence of Fold, optional
            Each with a decoder of its own.
        held_out : Fold, optional
            Another fold; not needed with one update.
        development : sequence of Segment, optional
            Choose the update by the score of these. Without it the last one counts.
        checkpoint : Path, optional
            Where to save the state: see `save_every`; and after each gradient, each pass of a line search and
            each update.
        resume : bool
            Go on from the checkpoint. The weights are the same, bit for bit, as without the stop.
        before_last : Path, optional
            Where to save the state before the last line search. If the file is there, begin with it: runs
            that differ in the last line search only, or, with one update, in what is made of the gradient,
            share all that comes before. A checkpoint to resume from goes first.
        progress : bool
            Show a progress bar on standard error.
        on_sentence, on_pass : callable, optional
            Called after each sentence and each update; at `on_pass`, `weights_` is what the update learned.

        Raises
        ------
        InputError
            A segment has no reference; nothing can be translated; no sparse feature fires; the checkpoint is
            of another run; workers die of a segment. The checkpoint stays as it is.
        TuningError
            The weights, or the loss, would not be finite.
        ValueError
            A setting is out of range; data is missing; the folds' decoders have other weights.
        """
        self.check()
        check_data(self, training, held_out)
        check_references(corpus)
        if development is not None:
            check_references(development)
        check_weights(decoder.weights)
        own = Fold(decoder, corpus)
        if training is None:
            stages = dealt(own, self.line_search_share, self.seed, held_in=self.HELD_IN)
        else:
            stages = Stages(training, held_out or own, own)
        dense = DenseFeatures([fold.decoder for fold in stages.all], self.dense)
        metric = Bleu() if self.metric is None else self.metric
        loss = SentenceLoss(self.k, self.cost_scale, self.sentence_metric or grounded_metric(metric), dense)
        state = self._state = HolsProgress(decoder.weights.array.copy())
        self._weights, self._search = decoder.weights, None
        self._shared = shared_settings(self, metric, loss.metric, stages)
        if resume:
            with resuming(checkpoint):
                state.set_state(state_to_resume(checkpoint), self._shared, decoder.weights)
        elif before_last is not None and before_last.exists():
            free = free_before_last(self)
            settings = {name: value for name, value in self._shared.items() if name not in free}
            with resuming(before_last):
                state.set_state(read_checkpoint(before_last), settings, decoder.weights)
            state.direction = self._direction(state)
        self.passes_ = state.records

        def save() -> None:
            if checkpoint is not None:
                write_checkpoint(checkpoint, self.get_state())

        with (
            executor_for(self.executor, self.threads) as executor,
            ProgressBar(show=progress) as bar,
        ):

            def tick() -> None:
                bar.update()
                if on_sentence is not None:
                    on_sentence()

            hooks = Hooks(tick, save)
            while len(state.records) < self.updates:
                number = len(state.records) + 1
                if state.direction is None:
                    bar.name(f"update {number} of {self.updates}, gradient")
                    take_gradient(self, state, stages, loss, executor, hooks)
                    state.direction = self._direction(state)
                    if before_last is not None and number == self.updates:
                        write_checkpoint(before_last, self.get_state())
                    save()
                bar.name(f"update {number} of {self.updates}, line search")
                search = self._search = make_search(self, state)
                record = search_along(self, search, state, stages, dense, executor, hooks)
                weights = decoder.weights.array.copy()
                if development is not None:
                    found = corpus_score(cast(Decoder, decoder), development, weights, metric, executor)
                    record = replace(
                        record, development_score=found.score, development_interval=found.interval
                    )
                self._search = None
                state.finish_update(record, weights, higher_is_better=metric.higher_is_better)
                bar.note(record.note)
                self.weights_ = decoder.weights.named(weights)
                save()
                if on_pass is not None:
                    on_pass(state.records[-1])
        decoder.weights.replace(state.learned)
        self.weights_ = decoder.weights.nonzero()
        return self

    @property
    def score_per_pass_(self) -> list[float]:
        """The metric's score after each update: of the development set, else of that of the line search."""
        return [r.search_score if r.development_score is None else r.development_score for r in self.passes_]

    def get_state(self) -> State:
        """Give what a resumed `fit` goes on from.

        Raises
        ------
        ValueError
            Nothing has been learned yet.
        """
        if self._state is None:
            raise ValueError("expected a tuner that has begun to learn")
        search = self._state.search if self._search is None else self._search.get_state()
        return self._state.get_state(self._shared, self._weights, search)

    def _direction(self, state: HolsProgress) -> NDArray[np.float64]:
        return state.gradient.direction(conditioning=self.conditioning, min_count=self.min_count)

"""What does best on held-out parts of the corpus: a tuner, a part of its way, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.decoder import Segment, Translator
from hopefear.metrics import Bleu, Metric
from hopefear.parallel import Executor

from ..catalogue import make_tuner
from ..contract import (
    Can,
    OnUpdate,
    Record,
    Settings,
    State,
    Tuner,
    check_references,
    check_weights,
    executor_for,
    resuming,
    setting,
    shared_settings,
    state_to_resume,
    write_checkpoint,
)
from .cross_validation import CrossValidation, deal
from .trials import UNCHANGED, Choice, Trials, tuners_of


@dataclass(frozen=True, slots=True)
class _Files:
    """What all tuners of a run are given: one checkpoint, and who follows the run."""

    checkpoint: Path | None
    progress: bool
    on_sentence: Callable[[], None] | None
    on_save: Callable[[State], None] | None

    @property
    def bar(self) -> str:
        """The name of the bar of translations; empty for none."""
        return "held out" if self.progress else ""


@dataclass(kw_only=True, eq=False, repr=False)
class CrossValidated(Settings):
    """What does best on held-out parts of the corpus: one of several tuners, a part of its way, or nothing.

    The corpus is dealt into parts. For each part, each tuner learns from all other parts, and the weights of
    each choice translate the part, which they have not seen. So each choice has a score of the whole corpus.
    The first choice is made that is behind the best score by at most `within` standard errors. Then its tuner
    learns from the whole corpus, with the weights of the beginning.

    A few hundred sentences tell choices apart only if they differ by a BLEU point or so. Half of the way to
    the weights of `Mira` is among them, because the mean of two vectors of weights translates better than the
    two do on average: it is rarely far behind the better one (docs/decisions/learning-on-the-text.md).

    Parameters
    ----------
    choices : sequence of str
        What may be done, what changes the weights least first: lines as of `make_tuner`, such as
        ``Mira C=0.01``, maybe with a share before, ``0.5 Mira``: half of the way from the weights of the
        beginning, scaled to the length of the learned weights, to the learned weights; or `UNCHANGED`, to
        leave the weights as they are. A tuner that cannot begin with the weights, as `SummaryMira` without
        weights of plugins' features, is left out.
    folds : int
        Number of parts.
    passes : int
        Passes of each tuner over its corpus, unless its line has others.
    within : float
        See above; 0 for the best score. A larger tolerance prefers small changes to what probably helps.
    seed : int
        Of the deal, and of the tuners.
    metric : Metric, optional
        Of the scores and of the tuners; BLEU if not given.

    Attributes
    ----------
    executor : Executor or None
        Where parts are translated; threads of this process if it is not set.
    weights_ : dict of str to float
        The learned weights by name, without zeros.
    choice_ : CrossValidation
        The scores, and what was chosen: ``{"choice": "0.5 Mira"}``.
    """

    can: ClassVar[Can] = Can.USE_CLUSTER

    choices: Sequence[str] = (UNCHANGED, "0.5 Mira", "SummaryMira", "Mira")
    folds: int = setting(3, least=2)
    passes: int = setting(2, least=1)
    within: float = setting(0.25, least=0, finite=True)
    seed: int = setting(0, least=0)
    metric: Metric | None = None

    executor: Executor | None = field(default=None, init=False)
    weights_: dict[str, float] = field(init=False)
    choice_: CrossValidation = field(init=False)
    _trials: Trials | None = field(default=None, init=False)
    _learner: Tuner | None = field(default=None, init=False)
    _is_last: bool = field(default=False, init=False)
    """Whether the learner is the tuner that was chosen, and not one of a trial."""

    @property
    def passes_(self) -> Sequence[Record]:
        """The passes of the tuner that was chosen; none before the choice."""
        return self._learner.passes_ if self._learner is not None and self._is_last else []

    @property
    def score_per_pass_(self) -> list[float]:
        """The metric's score after each of these passes: see `Record.learned_score`."""
        return [record.learned_score for record in self.passes_]

    def fit(
        self,
        decoder: Translator,
        corpus: Sequence[Segment],
        *,
        development: Sequence[Segment] | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
        progress: bool = False,
        on_sentence: Callable[[], None] | None = None,
        on_update: OnUpdate | None = None,
        on_pass: Callable[[Any], None] | None = None,
        on_save: Callable[[State], None] | None = None,
        on_trial: Callable[[str], None] | None = None,
        on_choice: Callable[[CrossValidation], None] | None = None,
    ) -> CrossValidated:
        """Choose a tuner, and let it tune the decoder's weights on a corpus.

        Parameters
        ----------
        decoder, corpus, checkpoint, resume, progress, on_sentence
            As in `PassTuner.fit`. A trial that was stopped goes on, too.
        development
            As there, for the tuner that is chosen.
        on_update, on_pass, on_save
            As there, but `on_update` and `on_pass` follow the tuner that is chosen only.
        on_trial : callable, optional
            Called after each trial with a line that says what it brought.
        on_choice : callable, optional
            Called with the choice, again in a run that goes on after the choice.

        Raises
        ------
        ValueError, InputError, TuningError, WorkerDied
            As there; or there are fewer segments than parts.
        """
        self.check()
        check_references(corpus)
        check_weights(decoder.weights)
        trials = self._trials = self._begin(decoder, corpus)
        if resume:
            with resuming(checkpoint):
                trials.restore(state_to_resume(checkpoint))
        self._learner, self._is_last = None, False
        start = decoder.weights.array.copy()
        files = _Files(checkpoint, progress, on_sentence, on_save)
        with executor_for(self.executor, 1) as executor:
            if not resume:
                trials.measure_start(decoder, executor, files.bar)
            for number in range(trials.under_way, trials.count):
                # The first tuner of a resumed run goes on.
                goes_on = resume and self._learner is None
                trials.under_way = number
                self._learn(trials.tuner(number), decoder, trials.segments(number), start, files, goes_on)
                trials.measure(number, start, decoder, executor, files.bar)
                if on_trial is not None:
                    on_trial(trials.line(number))
        goes_on = resume and self._learner is None
        trials.under_way = trials.count
        self.choice_ = trials.choose(self.within)
        if on_choice is not None:
            on_choice(self.choice_)
        chosen = Choice.of(self.choice_.best["choice"])
        self._is_last = bool(chosen.tuner)
        if self._is_last:
            more = {"development": development, "on_update": on_update, "on_pass": on_pass}
            self._learn(chosen.tuner, decoder, corpus, start, files, goes_on, **more)
            decoder.weights.replace(chosen.weights(start, decoder.weights.array))
        else:
            self._save(files)
            decoder.weights.replace(start)
        self.weights_ = decoder.weights.nonzero()
        return self

    def _begin(self, decoder: Translator, corpus: Sequence[Segment]) -> Trials:
        """Return the trials, of which none is done."""
        if len(corpus) < self.folds:
            raise InputError(f"expected at least {self.folds} segments, one a part, got {len(corpus)}")
        metric = (Bleu() if self.metric is None else self.metric).for_corpus(s.references for s in corpus)
        parts = deal(np.arange(len(corpus)), self.folds, self.seed)
        settings = shared_settings(self, metric=metric.signature())
        return Trials(self._possible(decoder, corpus), corpus, parts, metric, settings)

    def _learn(
        self,
        line: str,
        decoder: Translator,
        segments: Sequence[Segment],
        start: Floats,
        files: _Files,
        goes_on: bool,
        **more: Any,
    ) -> None:
        """Let a tuner learn from segments, with the weights of the start."""
        learner = self._learner = self._make(line)
        learner.executor = self.executor
        decoder.weights.replace(start)
        learner.fit(
            decoder,
            segments,
            checkpoint=files.checkpoint,
            resume=goes_on,
            progress=files.progress,
            on_sentence=files.on_sentence,
            on_save=partial(self._complete, files),
            **more,
        )
        if not self._is_last:
            assert self._trials is not None
            self._trials.seconds += sum(record.seconds for record in learner.passes_)

    def _complete(self, files: _Files, state: State) -> None:
        """Add the state of the choice to that of the tuner which is saved."""
        assert self._trials is not None
        self._trials.add_to(state)
        learned = getattr(self._learner, "weights_", None)
        if self._is_last and learned is not None:
            self.weights_ = learned
        if files.on_save is not None:
            files.on_save(state)

    def _save(self, files: _Files) -> None:
        """Save that all trials are done, where no tuner is to do so."""
        if files.checkpoint is not None and self._learner is not None:
            state = self.get_state()
            self._complete(files, state)
            write_checkpoint(files.checkpoint, state)

    def can_begin(self, decoder: Translator, corpus: Sequence[Segment]) -> bool:
        """Tell whether one of the tuners can begin."""
        return any(self._make(line).can_begin(decoder, corpus) for line in tuners_of(self._choices))

    def get_state(self) -> State:
        """Return the state of the tuner that learns at present, and that of the choice.

        Raises
        ------
        ValueError
            No tuner has begun to learn.
        """
        if self._learner is None or self._trials is None:
            raise ValueError("expected a tuner that has begun to learn")
        state = self._learner.get_state()
        self._trials.add_to(state)
        return state

    @property
    def _choices(self) -> list[Choice]:
        return [Choice.of(text) for text in self.choices]

    def _possible(self, decoder: Translator, corpus: Sequence[Segment]) -> list[Choice]:
        """Leave out choices whose tuners cannot begin."""
        possible = [c for c in self._choices if not c.tuner or self._make(c.tuner).can_begin(decoder, corpus)]
        if not tuners_of(possible):
            raise InputError(f"none of {', '.join(tuners_of(self._choices))} can begin with these weights")
        return possible

    def _make(self, line: str) -> Tuner:
        return make_tuner(line, passes=self.passes, seed=self.seed, metric=self.metric)

    def _check_settings(self) -> None:
        super()._check_settings()
        if not tuners_of(self._choices):
            raise ValueError(f"choices must have a tuner, got {', '.join(self.choices) or 'none'}")
        for line in tuners_of(self._choices):
            if isinstance(self._make(line), CrossValidated):
                raise ValueError("choices must have other tuners than CrossValidated")

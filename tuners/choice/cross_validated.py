"""The tuner, of several, that does best on held-out parts of the corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import Segment, Translator
from hopefear.metrics import Bleu, Metric, Statistics
from hopefear.parallel import Executor

from ..catalogue import make_tuner
from ..contract import (
    OnUpdate,
    Record,
    Settings,
    State,
    Tuner,
    array,
    best_statistics,
    check_references,
    check_resumed,
    check_weights,
    executor_for,
    fact,
    load,
    resuming,
    save,
    setting,
    shared_settings,
    state_to_resume,
    write_checkpoint,
)
from .cross_validation import CrossValidation, deal

UNCHANGED = "unchanged"
"""The name of the choice that leaves the weights as they are."""

_KEY = "choice"
"""Under this name the state of a tuner has the state of the choice, too."""


@dataclass(eq=False)
class _Trials:
    """How far the trials are, of which each is a tuner that learns without one part of the corpus.

    Attributes
    ----------
    settings : dict of str to str
        Of the choice, as a resumed run must have them.
    under_way : int
        The number of the trial whose tuner has the state beside this one; as many as there are trials when
        the choice is made.
    rows : array of float64, shape (1 + tuners, segments, metric.size)
        The statistics of each segment as weights translate it that have not seen it: first the weights of the
        beginning, then those of each tuner. Those of trials to come are zero.
    """

    settings: dict[str, str] = fact({})
    under_way: int = fact(0, least=0)
    rows: NDArray[np.float64] = array(dimensions=3)

    def add_to(self, state: State) -> None:
        """Add this state to that of a tuner."""
        own = save(self)
        state["facts"][_KEY] = own["facts"]
        state["arrays"] |= {f"{_KEY}.{name}": rows for name, rows in own["arrays"].items()}

    def restore(self, state: State, trials: int) -> None:
        """Take over what `add_to` has added.

        Raises
        ------
        InputError
            The state is not of a choice, or of one with other settings or another corpus.
        """
        arrays = {name.removeprefix(f"{_KEY}."): rows for name, rows in state["arrays"].items()}
        saved = _Trials()
        load(saved, {"facts": state["facts"].get(_KEY, {}), "arrays": arrays}, what="a cross-validation")
        check_resumed(saved.settings, self.settings)
        if saved.rows.shape != self.rows.shape or saved.under_way > trials:
            raise InputError(f"expected the state of {trials} trials with {self.rows.shape[1]} segments")
        self.under_way, self.rows = saved.under_way, saved.rows


@dataclass(kw_only=True, eq=False, repr=False)
class CrossValidated(Settings):
    """The tuner, of several, that does best on held-out parts of the corpus; or none of them.

    The corpus is dealt into parts. For each part, each tuner learns from all other parts, and the weights
    that it learned translate the part that it has not seen. So each tuner has a score of the whole corpus,
    which is compared with that of the weights as they are. The first of these choices is made that is behind
    the best score by at most `within` standard errors: the weights as they are, then the tuners in their
    order. The tuner that is chosen then learns from the whole corpus, with the weights of the beginning.

    Parameters
    ----------
    tuners : sequence of str
        Lines as of `make_tuner`, such as ``Mira C=0.01``, those that change the weights least first.
    folds : int
        Number of parts.
    passes : int
        Passes of each tuner over the corpus, unless its line has others.
    within : float
        See above; 0 for the best score.
    seed : int
        Of the deal, and of the tuners.
    metric : Metric, optional
        Of the scores; BLEU with the closest reference length if not given.

    Attributes
    ----------
    executor : Executor or None
        Where parts are translated; threads of this process if it is not set.
    weights_ : dict of str to float
        The learned weights by name, without zeros.
    choice_ : CrossValidation
        The scores, and the choice: ``{"tuner": line}``, or ``{"tuner": UNCHANGED}``.
    """

    on_cluster: ClassVar[bool] = True
    skips: ClassVar[bool] = True
    learns_online: ClassVar[bool] = False
    learns_from_lists: ClassVar[bool] = False
    learns_from_folds: ClassVar[bool] = False
    learns_in_parallel: ClassVar[bool] = False

    tuners: Sequence[str] = ("SummaryMira", "Mira")
    folds: int = setting(3, least=2)
    passes: int = setting(3, least=1)
    within: float = setting(1.0, least=0, finite=True)
    seed: int = setting(0, least=0)
    metric: Metric | None = None

    executor: Executor | None = field(default=None, init=False)
    weights_: dict[str, float] = field(init=False)
    choice_: CrossValidation = field(init=False)
    _trials: _Trials | None = field(default=None, init=False)
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
        if len(corpus) < self.folds:
            raise InputError(f"expected at least {self.folds} segments, one a part, got {len(corpus)}")
        metric = (Bleu() if self.metric is None else self.metric).for_corpus(s.references for s in corpus)
        trials = self._trials = _Trials()
        trials.settings = shared_settings(self, metric=metric.signature())
        trials.rows = np.zeros((1 + len(self.tuners), len(corpus), metric.size))
        if resume:
            with resuming(checkpoint):
                trials.restore(state_to_resume(checkpoint), self._count)
        self._learner, self._is_last, goes_on = None, False, resume
        start = decoder.weights.array.copy()

        def keep(state: State) -> None:
            trials.add_to(state)
            learned = getattr(self._learner, "weights_", None)
            if self._is_last and learned is not None:
                self.weights_ = learned
            if on_save is not None:
                on_save(state)

        def learn(line: str, segments: Sequence[Segment], **more: Any) -> None:
            """Let a tuner learn from segments; the first one of a resumed run goes on."""
            nonlocal goes_on
            decoder.weights.replace(start)
            resumed, goes_on = goes_on, False
            self._learner = self._make(line)
            self._learner.executor = self.executor
            files: dict[str, Any] = {"checkpoint": checkpoint, "resume": resumed, "on_save": keep}
            self._learner.fit(decoder, segments, progress=progress, on_sentence=on_sentence, **files, **more)

        parts = deal(np.arange(len(corpus)), self.folds, self.seed)
        with executor_for(self.executor, 1) as executor:

            def translated(segments: Sequence[Segment], name: str) -> Statistics:
                weights, bar = decoder.weights.array.copy(), name if progress else ""
                return best_statistics(decoder, segments, weights, metric, executor, bar=bar)

            if not resume:
                trials.rows[0] = translated(corpus, UNCHANGED)
            for number in range(trials.under_way, self._count):
                trials.under_way = number
                part, tuner = divmod(number, len(self.tuners))
                held_out = parts[part]
                seen = np.setdiff1d(np.arange(len(corpus)), held_out)
                learn(self.tuners[tuner], [corpus[i] for i in seen])
                rows = translated([corpus[i] for i in held_out], f"part {part + 1}")
                trials.rows[1 + tuner, held_out] = rows
                if on_trial is not None:
                    scores = [metric.score(x.sum(axis=0)) for x in (rows, trials.rows[0, held_out])]
                    on_trial(
                        f"trial {number + 1} of {self._count}: part {part + 1}: "
                        f"{self.tuners[tuner]} {scores[0]:.2f}, {UNCHANGED} {scores[1]:.2f}"
                    )
        trials.under_way = self._count
        choices = [{"tuner": line} for line in (UNCHANGED, *self.tuners)]
        self.choice_ = CrossValidation.of(choices, trials.rows, parts, metric, within=self.within)
        if on_choice is not None:
            on_choice(self.choice_)
        chosen = self.choice_.best["tuner"]
        if chosen == UNCHANGED:
            if checkpoint is not None and self._learner is not None:
                state = self.get_state()
                keep(state)
                write_checkpoint(checkpoint, state)
            decoder.weights.replace(start)
        else:
            self._is_last = True
            learn(chosen, corpus, development=development, on_update=on_update, on_pass=on_pass)
        self.weights_ = decoder.weights.nonzero()
        return self

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
    def _count(self) -> int:
        """The number of trials."""
        return self.folds * len(self.tuners)

    def _make(self, line: str) -> Tuner:
        return make_tuner(line, on_corpus=True, passes=self.passes, seed=self.seed, metric=self.metric)

    def _check_settings(self) -> None:
        super()._check_settings()
        if not self.tuners:
            raise ValueError("tuners must be at least one, got none")
        for line in self.tuners:
            if isinstance(self._make(line), CrossValidated):
                raise ValueError("tuners must be others than CrossValidated")

"""What does best on held-out parts of the corpus: a tuner, a part of its way, or nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import Segment, Translator
from hopefear.metrics import Bleu, Metric
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
    """How far the trials are, of which each is a tuner that learns without one part of the corpus."""

    settings: dict[str, str] = fact({})
    under_way: int = fact(0, least=0)
    rows: NDArray[np.float64] = array(dimensions=3)
    seconds: float = fact(0.0)

    @classmethod
    def of(cls, settings: dict[str, str], shape: tuple[int, int, int]) -> _Trials:
        """Return what there is before the first trial."""
        made = cls()
        made.settings, made.rows = settings, np.zeros(shape)
        return made

    def add_to(self, state: State) -> None:
        """Add this state to that of a tuner."""
        own = save(self)
        state["facts"][_KEY] = own["facts"]
        state["arrays"] |= {f"{_KEY}.{name}": rows for name, rows in own["arrays"].items()}

    def restore(self, state: State, trials: int) -> None:
        """Take over what `add_to` has added."""
        prefix = f"{_KEY}."
        arrays = {n.removeprefix(prefix): rows for n, rows in state["arrays"].items() if n.startswith(prefix)}
        saved = _Trials()
        load(saved, {"facts": state["facts"].get(_KEY, {}), "arrays": arrays}, what="a cross-validation")
        check_resumed(saved.settings, self.settings)
        if saved.rows.shape != self.rows.shape or saved.under_way > trials:
            raise InputError(f"expected the state of {trials} trials with {self.rows.shape[1]} segments")
        self.under_way, self.rows, self.seconds = saved.under_way, saved.rows, saved.seconds


@dataclass(frozen=True, slots=True)
class _Choice:
    """What may be done with the weights."""

    text: str
    tuner: str
    share: float

    @classmethod
    def of(cls, text: str) -> _Choice:
        """Read a choice."""
        if text == UNCHANGED:
            return cls(text, "", 0.0)
        first, _, rest = text.partition(" ")
        try:
            share = float(first)
        except ValueError:
            return cls(text, text, 1.0)
        if not 0 < share <= 1:
            raise ValueError(f"choices must have shares above 0 and at most 1, got {text!r}")
        return cls(text, rest, share)

    def weights(self, start: NDArray[np.float64], learned: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights on the way from those of the start, as long as they, to the learned ones."""
        out = self.share * learned
        if length := _length(start):
            out[: len(start)] += (1 - self.share) * _length(learned) / length * start
        return out


def _tuners(choices: Sequence[_Choice]) -> list[str]:
    """Return the lines of the tuners, each once."""
    return [*dict.fromkeys(choice.tuner for choice in choices if choice.tuner)]


def _length(weights: NDArray[np.float64]) -> float:
    """Return the Euclidean length, the same whatever the order of the features."""
    return math.sqrt(math.fsum((weights * weights).tolist()))


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

    on_cluster: ClassVar[bool] = True
    skips: ClassVar[bool] = True
    learns_online: ClassVar[bool] = False
    learns_from_lists: ClassVar[bool] = False
    learns_from_folds: ClassVar[bool] = False
    learns_in_parallel: ClassVar[bool] = False

    choices: Sequence[str] = (UNCHANGED, "0.5 Mira", "SummaryMira", "Mira")
    folds: int = setting(3, least=2)
    passes: int = setting(2, least=1)
    within: float = setting(0.25, least=0, finite=True)
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
        choices = self._possible(decoder, corpus)
        tuners = _tuners(choices)
        count = self.folds * len(tuners)
        metric = (Bleu() if self.metric is None else self.metric).for_corpus(s.references for s in corpus)
        settings = shared_settings(self, metric=metric.signature())
        trials = self._trials = _Trials.of(settings, (1 + len(choices), len(corpus), metric.size))
        if resume:
            with resuming(checkpoint):
                trials.restore(state_to_resume(checkpoint), count)
        self._learner, self._is_last, goes_on = None, False, resume
        start = decoder.weights.array.copy()

        def keep(state: State) -> None:
            trials.add_to(state)
            learned = getattr(self._learner, "weights_", None)
            if self._is_last and learned is not None:
                self.weights_ = learned
            if on_save is not None:
                on_save(state)

        def learn(line: str, segments: Sequence[Segment], **more: Any) -> Tuner:
            """Let a tuner learn from segments; the first one of a resumed run goes on."""
            nonlocal goes_on
            resumed, goes_on = goes_on, False
            learner = self._learner = self._make(line)
            learner.executor = self.executor
            decoder.weights.replace(start)
            files: dict[str, Any] = {"checkpoint": checkpoint, "resume": resumed, "on_save": keep}
            learner.fit(decoder, segments, progress=progress, on_sentence=on_sentence, **files, **more)
            return learner

        everything = np.arange(len(corpus))
        parts = deal(everything, self.folds, self.seed)
        with executor_for(self.executor, 1) as executor:

            def translate(choice: int, numbers: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
                segments, bar = [corpus[i] for i in numbers], "held out" if progress else ""
                clock = time.process_time()
                rows = best_statistics(decoder, segments, weights, metric, executor, bar=bar)
                trials.rows[choice, numbers] = rows
                trials.seconds += time.process_time() - clock

            if not resume:
                translate(0, everything, start)
                trials.rows[[n for n, choice in enumerate(choices, 1) if not choice.tuner]] = trials.rows[0]
            for number in range(trials.under_way, count):
                trials.under_way = number
                part, tuner = divmod(number, len(tuners))
                held_out = parts[part]
                learner = learn(tuners[tuner], [corpus[i] for i in np.setdiff1d(everything, held_out)])
                trials.seconds += sum(record.seconds for record in learner.passes_)
                learned = decoder.weights.array.copy()
                for place, choice in enumerate(choices, 1):
                    if choice.tuner == tuners[tuner]:
                        translate(place, held_out, choice.weights(start, learned))
                if on_trial is not None:
                    scores = metric.scores(trials.rows[:, held_out].sum(axis=1))
                    names = (UNCHANGED, *(c.text if c.tuner == tuners[tuner] else "" for c in choices))
                    said = [f"{name} {score:.2f}" for name, score in zip(names, scores, strict=True) if name]
                    on_trial(f"trial {number + 1} of {count}: part {part + 1}: {', '.join(said)}")
        trials.under_way = count
        self.choice_ = CrossValidation.of(
            [{"choice": choice.text} for choice in choices],
            trials.rows[1:],
            parts,
            metric,
            within=self.within,
            seconds=trials.seconds,
        )
        if on_choice is not None:
            on_choice(self.choice_)
        chosen = _Choice.of(self.choice_.best["choice"])
        if chosen.tuner:
            self._is_last = True
            learn(chosen.tuner, corpus, development=development, on_update=on_update, on_pass=on_pass)
            decoder.weights.replace(chosen.weights(start, decoder.weights.array))
        else:
            if checkpoint is not None and self._learner is not None:
                state = self.get_state()
                keep(state)
                write_checkpoint(checkpoint, state)
            decoder.weights.replace(start)
        self.weights_ = decoder.weights.nonzero()
        return self

    def can_begin(self, decoder: Translator, corpus: Sequence[Segment]) -> bool:
        """Tell whether one of the tuners can begin."""
        return any(self._make(line).can_begin(decoder, corpus) for line in _tuners(self._choices))

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
    def _choices(self) -> list[_Choice]:
        return [_Choice.of(text) for text in self.choices]

    def _possible(self, decoder: Translator, corpus: Sequence[Segment]) -> list[_Choice]:
        """Leave out choices whose tuners cannot begin."""
        possible = [c for c in self._choices if not c.tuner or self._make(c.tuner).can_begin(decoder, corpus)]
        if not _tuners(possible):
            raise InputError(f"none of {', '.join(_tuners(self._choices))} can begin with these weights")
        return possible

    def _make(self, line: str) -> Tuner:
        return make_tuner(line, passes=self.passes, seed=self.seed, metric=self.metric)

    def _check_settings(self) -> None:
        super()._check_settings()
        if not _tuners(self._choices):
            raise ValueError(f"choices must have a tuner, got {', '.join(self.choices) or 'none'}")
        for line in _tuners(self._choices):
            if isinstance(self._make(line), CrossValidated):
                raise ValueError("choices must have other tuners than CrossValidated")

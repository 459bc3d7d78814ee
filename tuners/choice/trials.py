"""The trials of a cross-validation: a tuner learns without one part of the corpus, and translates it."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Segment, Translator
from hopefear.metrics import Metric
from hopefear.parallel import Executor

from ..contract import State, array, best_statistics, check_resumed, fact, load, save
from .cross_validation import CrossValidation

UNCHANGED = "unchanged"
"""The name of the choice that leaves the weights as they are."""

_KEY = "choice"
"""Under this name the state of a tuner has the state of the choice, too."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What may be done with the weights: a share of the way to what a tuner learns, or nothing."""

    text: str
    tuner: str
    share: float

    @classmethod
    def of(cls, text: str) -> Choice:
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

    def weights(self, start: Floats, learned: Floats) -> Floats:
        """Return the weights on the way from those of the start, as long as they, to the learned ones."""
        out = self.share * learned
        if length := _length(start):
            out[: len(start)] += (1 - self.share) * _length(learned) / length * start
        return out


def tuners_of(choices: Sequence[Choice]) -> list[str]:
    """Return the lines of the tuners, each once."""
    return [*dict.fromkeys(choice.tuner for choice in choices if choice.tuner)]


def _length(weights: Floats) -> float:
    """Return the Euclidean length, the same whatever the order of the features."""
    return math.sqrt(math.fsum((weights * weights).tolist()))


@dataclass(init=False, eq=False)
class Trials:
    """How far the trials are, and how each choice translates the parts that its tuner has not seen."""

    settings: dict[str, str] = fact({})
    under_way: int = fact(0, least=0)
    rows: Floats = array(dimensions=3)  # 0 of the weights of the start, n of choice n
    seconds: float = fact(0.0)

    def __init__(
        self,
        choices: Sequence[Choice],
        corpus: Sequence[Segment],
        parts: Sequence[Ints],
        metric: Metric,
        settings: dict[str, str],
    ) -> None:
        self.choices, self.corpus, self.parts, self.metric = choices, corpus, parts, metric
        self.settings, self.under_way, self.seconds = settings, 0, 0.0
        self.rows = np.zeros((1 + len(choices), len(corpus), metric.size))
        self.tuners = tuners_of(choices)

    @property
    def count(self) -> int:
        """The number of trials: each tuner learns without each part."""
        return len(self.parts) * len(self.tuners)

    def tuner(self, number: int) -> str:
        """Return the line of the tuner of a trial."""
        return self.tuners[number % len(self.tuners)]

    def held_out(self, number: int) -> Ints:
        """Return the numbers of the segments that a trial leaves out."""
        return self.parts[number // len(self.tuners)]

    def segments(self, number: int) -> list[Segment]:
        """Return the segments that a trial learns from."""
        return [self.corpus[i] for i in np.setdiff1d(np.arange(len(self.corpus)), self.held_out(number))]

    def measure_start(self, decoder: Translator, executor: Executor, bar: str) -> None:
        """Translate the corpus with the weights of the start."""
        everything = np.arange(len(self.corpus))
        self._translate(0, everything, decoder.weights.array.copy(), decoder, executor, bar)
        self.rows[[n for n, choice in enumerate(self.choices, 1) if not choice.tuner]] = self.rows[0]

    def measure(self, number: int, start: Floats, decoder: Translator, executor: Executor, bar: str) -> None:
        """Translate what a trial has left out by each choice of its tuner, whose weights the decoder has."""
        learned = decoder.weights.array.copy()
        for place, choice in enumerate(self.choices, 1):
            if choice.tuner == self.tuner(number):
                weights = choice.weights(start, learned)
                self._translate(place, self.held_out(number), weights, decoder, executor, bar)

    def line(self, number: int) -> str:
        """Say what a trial brought."""
        scores = self.metric.scores(self.rows[:, self.held_out(number)].sum(axis=1)).tolist()
        said = [f"{UNCHANGED} {scores[0]:.2f}"]
        for choice, score in zip(self.choices, scores[1:], strict=True):
            if choice.tuner == self.tuner(number):
                said.append(f"{choice.text} {score:.2f}")
        part = number // len(self.tuners) + 1
        return f"trial {number + 1} of {self.count}: part {part}: {', '.join(said)}"

    def choose(self, within: float) -> CrossValidation:
        """Choose, after the last trial."""
        return CrossValidation.of(
            [{"choice": choice.text} for choice in self.choices],
            self.rows[1:],
            self.parts,
            self.metric,
            within=within,
            seconds=self.seconds,
        )

    def add_to(self, state: State) -> None:
        """Add this state to that of a tuner."""
        own = save(self)
        state["facts"][_KEY] = own["facts"]
        state["arrays"] |= {f"{_KEY}.{name}": rows for name, rows in own["arrays"].items()}

    def restore(self, state: State) -> None:
        """Take over what `add_to` has added."""
        prefix, settings, shape = f"{_KEY}.", self.settings, self.rows.shape
        arrays = {n.removeprefix(prefix): rows for n, rows in state["arrays"].items() if n.startswith(prefix)}
        load(self, {"facts": state["facts"].get(_KEY, {}), "arrays": arrays}, what="a cross-validation")
        check_resumed(self.settings, settings)
        if self.rows.shape != shape or self.under_way > self.count:
            raise InputError(f"expected the state of {self.count} trials with {shape[1]} segments")

    def _translate(
        self,
        place: int,
        numbers: Ints,
        weights: Floats,
        decoder: Translator,
        executor: Executor,
        bar: str,
    ) -> None:
        segments, clock = [self.corpus[i] for i in numbers], time.process_time()
        self.rows[place, numbers] = best_statistics(
            decoder, segments, weights, self.metric, executor, bar=bar
        )
        self.seconds += time.process_time() - clock

"""A learner of parallel MIRA (Chiang, Marton & Resnik 2008, section 2.5)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError, ParseFailed
from hopefear.decoder import Delta, Segment, Translator, Weights
from hopefear.metrics import Metric, PseudoDocument
from hopefear.parallel import Named

from ..contract import State, Step, TuningError, UpdateRecord, load, load_lines, save, save_lines
from ..online import Progress
from ..oracles import Oracle, SearchSpace, find_hypotheses
from ..solvers import StepLength, solve
from .first_weights import FirstWeights
from .messages import Message, check_message, has_weights, pack, unpack, unpack_weights


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step: of an update, and of the translation of a sentence after it.

    Attributes
    ----------
    record : UpdateRecord or None
        The update, if there was anything to learn; its number is not known here.
    message : bytes
        The hypotheses of the sentence; empty if there are none, or if learners share nothing.
    rows : sequence of array of float64
        The statistics of the 1-best translation; empty if there is none.
    words, reference_words : float
        The lengths of the translation and its references.
    skipped, without_oracle : int
        1 if no derivation covers the sentence, or the oracle found no hypotheses; otherwise 0.
    seconds : float
        Processor time.
    delta : Delta or None
        What the worker's decoder tells the original.
    """

    record: UpdateRecord | None
    message: bytes
    rows: Sequence[NDArray[np.float64]]
    words: float
    reference_words: float
    skipped: int
    without_oracle: int
    seconds: float
    delta: Delta | None = None

    def add_to(self, progress: Progress) -> None:
        """Add the result to the counts of a pass."""
        progress.updates += self.record is not None
        for statistics in self.rows:
            progress.count(statistics)
        progress.messages += bool(self.message)
        progress.message_bytes += len(self.message)
        for name in ("words", "reference_words", "skipped", "without_oracle", "seconds"):
            setattr(progress, name, getattr(progress, name) + getattr(self, name))


@dataclass(frozen=True, slots=True)
class Learned:
    """What a learner has learned so far.

    Attributes
    ----------
    features : Named
        The n features whose weights differ from the initial ones.
    values : array of float64, shape (n,)
        Their weights, averaged as `LearnerSpec.average` says.
    document : dict
        The state of the pseudo-document.
    """

    features: Named
    values: NDArray[np.float64]
    document: State


@dataclass(frozen=True)
class LearnerSpec:
    """Makes learners, in any process; all are the same.

    Attributes
    ----------
    make_decoder : callable
        Called with weights; makes a decoder with them.
    plugins : tuple of str
        The plugins that the decoder must have.
    first : FirstWeights
        The initial features and weights.
    oracle, metric, C, rate, decay, average
        See `Mira`.
    document : dict
        The state of the first pseudo-document.
    hopes : bool
        Whether oracle translations join the pseudo-document, not 1-best translations.
    share : bool
        Whether learners send each other their hypotheses.
    skips : bool
        Whether a sentence on which the decoder fails is skipped.
    """

    make_decoder: Callable[[Weights], Translator]
    plugins: tuple[str, ...]
    first: FirstWeights
    oracle: Oracle
    metric: Metric
    C: float
    rate: float
    document: State
    hopes: bool
    decay: float
    average: str
    share: bool
    skips: bool

    def __call__(self) -> Learner:
        """Make a learner."""
        return Learner(self)


class Learner:
    """A decoder with weights of its own, its pseudo-document, and the average of its weights.

    Raises
    ------
    TuningError
        The decoder has other weights or plugins than the specification.
    """

    def __init__(self, spec: LearnerSpec) -> None:
        self._spec = spec
        weights = spec.first.make_weights()
        self._decoder = spec.make_decoder(weights)
        plugins = plugins_of(self._decoder)
        if self._decoder.weights is not weights or plugins != spec.plugins:
            raise TuningError(
                "a worker's decoder must have the given weights and "
                f"the plugins {list(spec.plugins)}, got {list(plugins)}: set make_decoder"
            )
        if spec.skips:
            self._decoder.collect_failures()
        weights.replace(spec.first.values)
        document = PseudoDocument(spec.metric, spec.decay)
        load(document, spec.document, what="a pseudo-document")
        self._progress = Progress(document)
        self._length = StepLength(spec.rate, spec.C)
        self._pass = 0
        self._own = b""

    def step(self, number: int, mail: Sequence[bytes], segments: Sequence[Segment] = ()) -> list[StepResult]:
        """Learn from the last sentence and from messages, then translate sentences, one update for each.

        The hypotheses of the last sentence are learned in the next step.

        Parameters
        ----------
        number : int
            The number of the pass.
        mail : sequence of bytes
            Messages of other learners.
        segments : sequence of Segment
            The sentences, if there are any.

        Returns
        -------
        list of StepResult
            One for each sentence; one if there is no sentence.

        Raises
        ------
        InputError
            A sentence cannot be translated.
        TuningError
            The weights would not be finite; the oracle failed.
        """
        first, *others = segments or (None,)
        return [self._step(number, mail, first), *(self._step(number, (), other) for other in others)]

    def learned(self) -> Learned:
        """Return what was learned."""
        weights, average = self._decoder.weights, self._progress.average
        array = weights.array if self._spec.average == "none" else average.mean(weights.array)
        changed = np.flatnonzero(array != self._spec.first.extended(len(array))).astype(np.int32)
        return Learned(Named.of(weights, changed), array[changed], save(self._progress.document))

    def snapshot(self) -> State:
        """Return the state for `restore`: what differs from a new learner."""
        weights, average = self._decoder.weights, self._progress.average
        average.saving()
        moment = np.zeros(len(weights))
        moment[: len(average.moment)] = average.moment
        first = self._spec.first
        changed = np.flatnonzero((weights.array != first.extended(len(weights))) | (moment != 0))
        new = range(len(first.values), len(weights))
        return {
            "facts": {
                "pass": self._pass,
                "document": _plain(save(self._progress.document)),
                "average_updates": average.updates,
                "step_length": self._length.get_state(),
            },
            "arrays": {
                "names": save_lines(map(weights.name, new)),
                "changed": changed.astype(np.int32),
                "weights": weights.array[changed],
                "moment": moment[changed],
                "own": np.frombuffer(self._own, np.uint8),
            },
        }

    def restore(self, state: State | None) -> None:
        """Return to the state of a learner of the same specification; None for a new learner."""
        if state is None:
            return
        try:
            self._restore(state["facts"], state["arrays"])
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise InputError(f"expected the state of a worker; missing or wrong: {error}") from None

    def _restore(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        weights, average = self._decoder.weights, self._progress.average
        weights.native.intern_all(load_lines(arrays["names"]))
        weights.array[arrays["changed"]] = arrays["weights"]
        moment = np.zeros(len(weights))
        moment[arrays["changed"]] = arrays["moment"]
        average.moment, average.updates = moment, int(facts["average_updates"])
        average.restored()
        load(self._progress.document, _state(facts["document"]), what="a pseudo-document")
        if self._spec.rate:
            self._length.set_state(facts["step_length"])
        self._pass, self._own = int(facts["pass"]), arrays["own"].tobytes()
        if self._own:
            check_message(self._own)

    def _step(self, number: int, mail: Sequence[bytes], segment: Segment | None) -> StepResult:
        clock = time.thread_time()
        progress = self._progress
        if number != self._pass:
            self._pass = number
            if self._spec.average == "last":
                progress.average.reset()
        if mail and has_weights(mail[0]):
            self._go_on_from(mail[0])
            mail = mail[1:]
        record = self._learn([self._own, *mail] if self._own else mail)
        progress.start_pass()
        self._own = b""
        if segment is not None:
            try:
                with self._decoder.attempting(segment):
                    self._own = self._translate(segment)
            except ParseFailed:
                progress.skipped = 1
        return StepResult(
            record=record,
            message=self._own if self._spec.share else b"",
            rows=progress.rows or (),
            words=progress.words,
            reference_words=progress.reference_words,
            skipped=progress.skipped,
            without_oracle=progress.without_oracle,
            seconds=time.thread_time() - clock,
            delta=self._decoder.delta(),
        )

    def _go_on_from(self, message: bytes) -> None:
        """Take the weights that all learners begin a pass with."""
        features, values = unpack_weights(message)
        weights = self._decoder.weights
        numbers = features.numbers(weights)
        fresh = self._spec.first.extended(len(weights))
        fresh[numbers] = values
        weights.replace(fresh)
        self._progress.average.reset()

    def _learn(self, messages: Sequence[bytes]) -> UpdateRecord | None:
        if not messages:
            return None
        weights, document = self._decoder.weights, self._progress.document
        received: list[Message] = [unpack(message, weights) for message in messages]
        constraints = [message.constraints for message in received]
        C = self._length.of(constraints, weights.array)
        solution = solve(constraints, weights.array, C)
        step = Step(solution.features, solution.change, solution.hinge, solution.steps)
        segments = tuple(message.segment for message in received)
        step.apply(weights.array, segments[-1], f"lower C (it is {self._spec.C})")
        self._progress.average.add(step.features, step.change)
        loss = sum(message.loss for message in received)
        return UpdateRecord.of(
            step, update=0, pass_number=self._pass, segments=segments, loss=loss, document=document
        )

    def _translate(self, segment: Segment) -> bytes:
        progress = self._progress
        forest = self._decoder.translate(segment)
        space = SearchSpace(self._decoder, forest, segment, progress.document)
        found = find_hypotheses(self._spec.oracle, space)
        progress.take_in(space.best(1), segment, found.hope if found and self._spec.hopes else None)
        progress.without_oracle = int(found is None)
        return b"" if found is None else pack(found, self._decoder.weights)


def plugins_of(decoder: Translator) -> tuple[str, ...]:
    """Return the names of a decoder's plugins."""
    return tuple(sorted({report.family for report in decoder.feature_report()}))


def _plain(document: State) -> dict[str, Any]:
    return {**document["facts"], "statistics": document["arrays"]["statistics"].tolist()}


def _state(document: dict[str, Any]) -> State:
    return {"facts": document, "arrays": {"statistics": np.array(document["statistics"], np.float64)}}

"""What every tuner shares: its records, its steps and its errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats, Ints
from hopefear.base.errors import AuthorsCode
from hopefear.base.texts import expect_several
from hopefear.decoder import Segment, Translator, Weights, attempt
from hopefear.metrics import PseudoDocument, WrongSentence
from hopefear.parallel import WorkerDied

Interval = tuple[float, float]
"""The bounds of a 95 % bootstrap interval of a score, in per cent."""


class TuningError(RuntimeError):
    """Tuning went astray; the message says which setting to change."""


def authors_code(algorithm: object, where: str) -> AuthorsCode:
    """Return the context in which code of a tuner's author runs: what it raises names the author's line."""
    kind = type(algorithm)
    return AuthorsCode(
        kind,
        lambda what: TuningError(f"{kind.__name__}, {where}: {what}"),
        InputError,
        TuningError,
        WorkerDied,
    )


def check_step(step: object) -> None:
    """Refuse the answer of an author's `update` that is no step."""
    if not isinstance(step, Step):
        raise TypeError(f"update must return a Step, got {type(step).__name__}")


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the weights as an algorithm wants it.

    Attributes
    ----------
    features, change : arrays of int64 and float64
        The features that change, all different, and by how much.
    hinge : float
        The batch's sum of max_j (l_ij - Δh_ij·w) before the change.
    steps : int
        Of the solver.
    """

    features: Ints
    change: Floats
    hinge: float
    steps: int

    def apply(self, weights: Floats, segment: int | str, remedy: str) -> None:
        """Change the weights.

        Raises
        ------
        TuningError
            They, or the hinge, would not be finite; nothing is changed. The message names the segment, the
            last one of the batch, and what else may help.
        """
        changed = weights[self.features] + self.change
        if not np.all(np.isfinite(changed)) or not math.isfinite(self.hinge):
            raise TuningError(
                f"the weights are no longer finite after segment {segment}: a feature value or an "
                f"initial weight is infinite or too large; scale it down, or {remedy}"
            )
        weights[self.features] = changed


@dataclass(frozen=True, slots=True)
class UpdateRecord:
    """One change of the weights.

    Attributes
    ----------
    update : int
        How many there were, this one included.
    pass_number : int
        From 1; 0 outside `fit`.
    segments : tuple
        The ids of the batch's segments; empty, and nothing changed, where the oracle found nothing to learn.
    hinge : float
        The batch's sum of max_j (l_ij - Δh_ij·w) of equation 1, before the change.
    loss : float
        The batch's sum of the losses of the 1-best translations.
    pseudo_score : float
        The metric's score of the pseudo-document, BLEU in the paper, in per cent.
    steps : int
        Of the solver.
    change : float
        Euclidean length of the change of the weights.
    start : int
        The number of the first pass, of several, that is under way or that the run has gone on from.
    """

    update: int
    pass_number: int
    segments: tuple[int | str, ...]
    hinge: float
    loss: float
    pseudo_score: float
    steps: int
    change: float
    start: int = 1

    @classmethod
    def of(
        cls,
        step: Step,
        *,
        update: int,
        pass_number: int,
        segments: tuple[int | str, ...],
        loss: float,
        document: PseudoDocument,
        start: int = 1,
    ) -> UpdateRecord:
        """Make the record of a step after which the pseudo-document is as given."""
        score, length = document.metric.score(document.statistics), float(np.linalg.norm(step.change))
        return cls(update, pass_number, segments, step.hinge, loss, score, step.steps, length, start)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One pass over a corpus, as every tuner records it.

    Attributes
    ----------
    pass_number : int
        From 1.
    metric : str
        The name of the metric whose scores these are, in per cent.
    score : float
        Of the corpus as the pass translated it.
    development_score : float or None
        Of the development set, translated with the weights that the pass learned.
    skipped : int
        Segments without a translation.
    seconds : float
        Of processor time, without the development set.
    score_interval, development_interval : (float, float) or None
        Around `score` and `development_score`: see `Interval`. None where there is no such score, or where a
        checkpoint that the run went on from did not hold what the interval is computed from.
    chosen : bool
        Whether what the pass learned is the result, unless a later pass is chosen, too.
    """

    pass_number: int
    metric: str
    score: float
    development_score: float | None = None
    skipped: int
    seconds: float
    score_interval: Interval | None = None
    development_interval: Interval | None = None
    chosen: bool = False

    @property
    def learned_score(self) -> float:
        """The score of what the pass learned: on the development set, if there is one."""
        return self._own_score if self.development_score is None else self.development_score

    @property
    def _own_score(self) -> float:
        """What `learned_score` is without a development set."""
        return self.score

    @property
    def note(self) -> str:
        """Say in a few words how well it went, for a progress bar."""
        return self.with_development(f"{self.metric} {self._own_score:.2f}")

    def with_development(self, text: str) -> str:
        """Add the score of the development set, if there is one, to a text."""
        if self.development_score is None:
            return text
        return f"{text}, development {self.development_score:.2f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRecord(Record):
    """One pass of an online tuner, see `Record`; `score` is of translations while the weights changed.

    Attributes
    ----------
    length_ratio : float
        Words of these translations to words of their references, on average where there are several.
    pseudo_score : float
        Of the pseudo-document at the end.
    updates : int
        Since the beginning.
    without_oracle : int
        Segments in which the oracle found nothing to learn.
    messages, message_bytes : int
        What a worker of parallel training sent to all others: how often, and how much.
    start : int
        The number of the first pass, of several, that the run has gone on from.
    """

    length_ratio: float
    pseudo_score: float
    updates: int
    without_oracle: int
    messages: int = 0
    message_bytes: int = 0
    start: int = 1

    @property
    def note(self) -> str:
        """Say in a few words how well it went, for a progress bar."""
        return self.with_development(f"pseudo-document {self.metric} {self.pseudo_score:.2f}")


OnUpdate = Callable[[UpdateRecord], None]


def check_references(corpus: Sequence[Segment]) -> None:
    """Refuse segments that nothing can be learned from."""
    expect_several("corpus", corpus)
    if not corpus:
        raise InputError("expected at least one segment with a reference, got none")
    for segment in corpus:
        if isinstance(segment, str):
            raise InputError(f"expected a Segment with references, got a string: {segment[:80]!r}")
        if not segment.references:
            raise InputError(
                f"expected a reference of sentence {segment.number}, got none", path=segment.where
            )


def skip_dead(decoder: Translator, segment: Segment, died: WorkerDied) -> None:
    """Go on without a segment on which workers died, if the decoder has an `on_error`."""
    with attempt(decoder, segment):
        raise died.blame(segment) from died


def no_finite_score(segment: Segment) -> TuningError:
    """Make the error of a segment that has derivations, but none with a finite score."""
    return TuningError(
        f"no derivation of sentence {segment.number} has a finite score: "
        "a weight or a feature value is infinite or not a number"
    )


def check_translated(skipped: int, sentences: int) -> None:
    """Refuse a corpus of which nothing could be translated."""
    if skipped == sentences:
        raise InputError("no derivation covers any segment: is the grammar that of the source language?")


@contextmanager
def measuring(*corpus: Segment) -> Iterator[None]:
    """Compare translations of a segment, or of the segments of a corpus, by a metric."""
    try:
        yield
    except WrongSentence as error:
        raise InputError(str(error), path=corpus[error.sentence or 0].where) from None


def check_weights(weights: Weights) -> None:
    """Refuse weights to start from that are not finite."""
    wrong = np.flatnonzero(~np.isfinite(weights.array))
    if len(wrong):
        raise TuningError(f"the initial weight of {weights.name(int(wrong[0]))} is not finite")

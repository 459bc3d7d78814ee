"""The run of an online tuner: how far it is, and all that a stopped run needs to go on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import ScoredList, Segment, Weights
from hopefear.metrics import PseudoDocument

from ..contract import PassRecord, Run, Scored, State, array, check_translated, fact, part
from ..solvers import WeightAverage


@dataclass
class Progress:
    """What was learned so far, and what was counted in the pass under way.

    Attributes
    ----------
    document : PseudoDocument
        O and O_f.
    updates : int
        Since the beginning.
    position : int
        Segments of the pass under way that are done.
    statistics : array of float64
        Sum over the 1-best translations of the pass under way.
    rows : list of array of float64, or None
        The statistics of each of these; None in a pass that goes on from a checkpoint without them, or if
        they are not kept.
    table : array of float64, shape (n, metric.size), or None
        The rows in a saved state.
    keep_rows : bool
        Whether `rows` are kept, from which the interval around the score of a pass is computed.
    words, reference_words : float
        Of the pass under way: of the 1-best translations, and of the references (their average).
    skipped : int
        Segments of the pass under way without a derivation.
    without_oracle : int
        Segments of the pass under way in which the oracle found nothing to learn.
    seconds : float
        Processor time of the pass under way.
    messages, message_bytes : int
        What workers of parallel training sent to the others in the pass under way.
    average : WeightAverage
        Of the weights so far.
    """

    document: PseudoDocument = part()
    updates: int = fact(0, least=0)
    position: int = fact(0, least=0)
    statistics: NDArray[np.float64] = array()
    rows: list[NDArray[np.float64]] | None = field(default=None, init=False)
    table: NDArray[np.float64] | None = array(dimensions=2, optional=True)
    keep_rows: bool = True
    words: float = fact(0.0, least=0)
    reference_words: float = fact(0.0, least=0)
    skipped: int = fact(0, least=0)
    without_oracle: int = fact(0, least=0)
    seconds: float = fact(0.0)
    messages: int = fact(0, least=0)
    message_bytes: int = fact(0, least=0)
    average: WeightAverage = part(WeightAverage)

    def __post_init__(self) -> None:
        if not len(self.statistics):
            self.start_pass()

    def saving(self) -> None:
        """Put the rows into an array."""
        size = self.document.metric.size
        self.table = None if self.rows is None else np.array(self.rows, np.float64).reshape(-1, size)

    def restored(self) -> None:
        """Take the rows out of the array.

        Raises
        ------
        ValueError
            The statistics are of another metric.
        """
        size = self.document.metric.size
        if self.statistics.shape != (size,) or (self.table is not None and self.table.shape[1] != size):
            raise ValueError(f"expected {size} statistics of {self.document.metric.name}")
        if self.table is not None:
            self.rows = list(self.table)
        elif self.position or not self.keep_rows:
            self.rows = None
        else:
            self.rows = []
        self.table = None

    def start_pass(self) -> None:
        """Begin to count anew."""
        self.position, self.skipped, self.without_oracle, self.seconds = 0, 0, 0, 0.0
        self.messages, self.message_bytes = 0, 0
        self.words, self.reference_words = 0.0, 0.0
        self.statistics = np.zeros(self.document.metric.size)
        self.rows = [] if self.keep_rows else None

    def take_in(self, best: ScoredList, segment: Segment, joining: ScoredList | None = None) -> None:
        """Add the 1-best translation to the pass, and it or another to the pseudo-document.

        Parameters
        ----------
        best : ScoredList
            Its first is the 1-best translation.
        segment : Segment
        joining : ScoredList, optional
            Its first joins the pseudo-document (equations 6 and 7); the 1-best translation if not given.
        """
        self.document.update((best if joining is None else joining).statistics[0], segment.length)
        self.count(best.statistics[0])
        self.words += len(best.texts[0].split())
        lengths = [len(reference.split()) for reference in segment.references]
        self.reference_words += sum(lengths) / len(lengths)

    def count(self, statistics: NDArray[np.float64]) -> None:
        """Add the statistics of a 1-best translation to the pass."""
        self.statistics += statistics
        if self.rows is not None:
            self.rows.append(statistics.copy())  # not the list that it is a row of

    def check_learnable(self, sentences: int) -> None:
        """Refuse a corpus in which there was nothing to learn.

        Raises
        ------
        InputError
            No sentence could be translated, or the oracle found nothing in any.
        """
        check_translated(self.skipped, sentences)
        if self.skipped + self.without_oracle == sentences:
            raise InputError("the oracle finds nothing to learn in any segment: choose another oracle")

    def record(self, pass_number: int) -> PassRecord:
        """Give the record of the pass under way."""
        metric = self.document.metric
        return PassRecord(
            pass_number=pass_number,
            metric=metric.name,
            score=metric.score(self.statistics),
            length_ratio=self.words / max(self.reference_words, 1.0),
            pseudo_score=metric.score(self.document.statistics),
            updates=self.updates,
            skipped=self.skipped,
            without_oracle=self.without_oracle,
            seconds=self.seconds,
            messages=self.messages,
            message_bytes=self.message_bytes,
            score_interval=Scored.of(np.array(self.rows), metric).interval if self.rows else None,
        )


class Algorithm(Protocol):
    """What a run needs of its tuner: the weights that were learned, and a state of the tuner's own."""

    def _learned(self, progress: Progress, weights: Weights) -> NDArray[np.float64]: ...

    def _own_state(self, weights: Weights) -> State: ...

    def _set_own_state(self, state: State, weights: Weights) -> None: ...


@dataclass(init=False, eq=False)
class OnlineRun(Run[PassRecord]):
    """Where a run of an online tuner stands.

    Parameters
    ----------
    tuner : OnlineTuner
    weights, settings
        See `Run`.
    document : PseudoDocument
        O and O_f at first.
    keep_rows : bool
        See `Progress`.

    Attributes
    ----------
    progress : Progress
    """

    KIND = "an online tuner"
    NUMBERED = False

    records: list[PassRecord] = fact([])
    progress: Progress = part(Progress)
    _weights: NDArray[np.float64] = array(by_feature=True)

    def __init__(
        self,
        tuner: Algorithm,
        weights: Weights,
        document: PseudoDocument,
        settings: dict[str, str],
        *,
        keep_rows: bool = True,
    ) -> None:
        super().__init__(weights, document.metric, settings)
        self._weights = np.zeros(0)
        self._tuner, self.progress = tuner, Progress(document, keep_rows=keep_rows)

    def learned(self) -> NDArray[np.float64]:
        """Give what the passes so far have learned, by feature number."""
        return self._tuner._learned(self.progress, self.weights)

    def note(self, pseudo_score: float) -> str:
        """Say in a few words how well it goes, after an update."""
        text = f"pseudo-document {self.metric.name} {pseudo_score:.2f}"
        return self.records[-1].with_development(text) if self.records else text

    def finish(self, record: PassRecord, learned: NDArray[np.float64], development: Scored | None) -> None:
        """Record a pass, choose what it learned if that does best so far, and begin to count anew."""
        super().finish(record, learned, development)
        self.progress.start_pass()

    def saving(self) -> None:
        """Take a copy of the decoder's weights."""
        self._weights = self.weights.array

    def restored(self) -> None:
        """Give the decoder the weights of then."""
        self.weights.replace(self._weights)

    def _own_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        own = self._tuner._own_state(self.weights)
        return own["facts"], own["arrays"]

    def _set_own_state(
        self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]], numbers: NDArray[np.int64]
    ) -> None:
        self._tuner._set_own_state({"facts": facts, "arrays": arrays}, self.weights)

"""How far a run of online training is: all that a stopped run needs to go on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import ScoredList, Segment, Weights
from hopefear.metrics import PseudoDocument

from ..contract import (
    PassRecord,
    Scored,
    State,
    check_resumed,
    load_features,
    load_record,
    save_features,
    saved_counts,
    with_development,
)
from ..solvers import WeightAverage

_COUNTS = {
    "position": int,
    "words": float,
    "reference_words": float,
    "skipped": int,
    "without_oracle": int,
    "seconds": float,
    "messages": int,
    "message_bytes": int,
}
"""Of the pass under way, as a checkpoint keeps them."""


@dataclass
class Progress:
    """Where a run of an online tuner stands.

    Attributes
    ----------
    document : PseudoDocument
        O and O_f.
    updates : int
        Since the beginning.
    passes : list of PassRecord
        The passes that are complete.
    position : int
        Segments of the pass under way that are done.
    statistics : array of float64
        Sum over the 1-best translations of the pass under way.
    rows : list of array of float64, or None
        The statistics of each of these; None in a pass that goes on from a checkpoint without them.
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
    chosen : array of float64 or None
        The averaged weights of the pass that did best on the development set.
    chosen_score : float or None
        Its score there.
    """

    document: PseudoDocument
    updates: int = 0
    passes: list[PassRecord] = field(default_factory=list)
    position: int = 0
    statistics: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    rows: list[NDArray[np.float64]] | None = field(default_factory=list)
    words: float = 0.0
    reference_words: float = 0.0
    skipped: int = 0
    without_oracle: int = 0
    seconds: float = 0.0
    messages: int = 0
    message_bytes: int = 0
    average: WeightAverage = field(default_factory=WeightAverage)
    chosen: NDArray[np.float64] | None = None
    chosen_score: float | None = None

    def __post_init__(self) -> None:
        if not len(self.statistics):
            self.start_pass()

    def start_pass(self) -> None:
        """Begin to count anew."""
        self.position, self.skipped, self.without_oracle, self.seconds = 0, 0, 0, 0.0
        self.messages, self.message_bytes = 0, 0
        self.words, self.reference_words = 0.0, 0.0
        self.statistics, self.rows = np.zeros(self.document.metric.size), []

    def take_in(self, best: ScoredList, segment: Segment) -> None:
        """Add the 1-best translation to the pseudo-document (equations 6 and 7) and to the pass."""
        statistics = best.statistics[0]
        self.document.update(statistics, segment.length)
        self.count(statistics)
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
        if self.skipped == sentences:
            raise InputError("no derivation covers any segment: is the grammar that of the source language?")
        if self.skipped + self.without_oracle == sentences:
            raise InputError("the oracle finds nothing to learn in any segment: choose another oracle")

    def finish_pass(self, learned: NDArray[np.float64], development: Scored | None) -> None:
        """Record the pass, and choose what it learned if that is the best so far."""
        chosen = development is None or self._is_better(development.score, self.chosen_score)
        if development is not None and chosen:
            self.chosen, self.chosen_score = learned, development.score
        metric = self.document.metric
        interval = Scored.of(np.array(self.rows), metric).interval if self.rows else None
        self.passes.append(
            PassRecord(
                pass_number=len(self.passes) + 1,
                metric=metric.name,
                score=metric.score(self.statistics),
                length_ratio=self.words / max(self.reference_words, 1.0),
                pseudo_score=metric.score(self.document.statistics),
                development_score=None if development is None else development.score,
                updates=self.updates,
                skipped=self.skipped,
                without_oracle=self.without_oracle,
                seconds=self.seconds,
                messages=self.messages,
                message_bytes=self.message_bytes,
                score_interval=interval,
                development_interval=None if development is None else development.interval,
                chosen=chosen,
            )
        )
        self.start_pass()

    def note(self, pseudo_score: float) -> str:
        """Say in a few words how well it goes, after an update."""
        scores = [r.development_score for r in self.passes if r.development_score is not None]
        text = f"pseudo-document {self.document.metric.name} {pseudo_score:.2f}"
        return with_development(text, scores[-1] if scores else None)

    def stagnant(self, patience: int) -> bool:
        """Whether the last `patience` passes brought no new best score of the development set."""
        best, passes_since = None, 0
        for record in self.passes:
            if record.development_score is None:
                continue
            passes_since += 1
            if self._is_better(record.development_score, best):
                best, passes_since = record.development_score, 0
        return passes_since >= patience

    def _is_better(self, score: float, best: float | None) -> bool:
        return best is None or (score > best if self.document.metric.higher_is_better else score < best)

    def get_state(self, weights: Weights, settings: dict[str, Any]) -> State:
        """Give the state, the weights and the settings of the run with it."""
        array = weights.array
        return {
            "facts": {
                "settings": _with_selection(settings, weights),
                "document": self.document.get_state(),
                "updates": self.updates,
                "passes": [asdict(record) for record in self.passes],
                **{name: getattr(self, name) for name in _COUNTS},
                "average_updates": self.average.updates,
                "chosen_score": self.chosen_score,
            },
            "arrays": {
                "names": save_features(np.arange(len(array)), weights),
                "weights": array.copy(),
                "moment": self.average.moment.copy(),
                "statistics": self.statistics.copy(),
                **({} if self.rows is None else {"rows": _matrix(self.rows, len(self.statistics))}),
                "chosen": np.zeros(0) if self.chosen is None else self.chosen,
            },
        }

    def set_state(self, state: State, weights: Weights, settings: dict[str, Any]) -> None:
        """Go back to a state, the weights too.

        Raises
        ------
        InputError
            It is of a run with other settings, or incomplete.
        """
        try:
            facts, arrays = state["facts"], state["arrays"]
            check_resumed(facts["settings"], _with_selection(settings, weights))
            numbers = load_features(arrays["names"], weights)
            statistics, rows = arrays["statistics"], arrays.get("rows")
            size = self.document.metric.size
            if len(numbers) != len(arrays["weights"]):
                raise ValueError("the number of names")
            if statistics.shape != (size,) or (rows is not None and rows.shape[1] != size):
                raise ValueError(f"expected {size} statistics of {self.document.metric.name}")
            self.document.set_state(facts["document"])
            self.updates, self.average.updates = saved_counts(facts, ("updates", "average_updates"))
            saved_counts(facts, [name for name, kind in _COUNTS.items() if kind is int])
            self.passes = [load_record(PassRecord, record) for record in facts["passes"]]
            for name, kind in _COUNTS.items():
                setattr(self, name, kind(facts[name]))
            self.statistics = statistics.copy()
            self.rows = list(rows) if rows is not None else None if self.position else []
            self.average.moment = _spread(arrays["moment"], numbers)
            self.chosen_score = facts["chosen_score"]
            self.chosen = _spread(arrays["chosen"], numbers) if len(arrays["chosen"]) else None
        except InputError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise InputError(f"expected the state of an online tuner; missing or wrong: {error}") from None
        weights.clear()
        weights.array[numbers] = arrays["weights"]


def _matrix(rows: list[NDArray[np.float64]], columns: int) -> NDArray[np.float64]:
    return np.array(rows, np.float64).reshape(len(rows), columns)


def _with_selection(settings: dict[str, Any], weights: Weights) -> dict[str, Any]:
    """Add how features are selected, which a resumed run must share too."""
    return {**settings, "selection": weights.selection.comment() if weights.selection is not None else ""}


def _spread(values: NDArray[np.float64], numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Values by saved number as values by number now; saved arrays may be longer than there are features."""
    count = min(len(values), len(numbers))
    out = np.zeros(int(numbers[:count].max(initial=-1)) + 1)
    out[numbers[:count]] = values[:count]
    return out

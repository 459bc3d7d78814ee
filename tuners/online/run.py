"""The run of an online algorithm: what it has learned and counted in its passes, whoever does them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.base.texts import split_words
from hopefear.decoder import ScoredList, Segment, Weights
from hopefear.metrics import PseudoDocument

from ..contract import PassRecord, Run, Scored, array, check_translated, fact, part
from ..solvers import WeightAverage


@dataclass
class Progress:
    """What was learned so far, and what was counted in the pass under way."""

    document: PseudoDocument = part()
    updates: int = fact(0, least=0)
    position: int = fact(0, least=0)
    statistics: Floats = array()
    rows: list[Floats] | None = field(default=None, init=False)
    table: Floats | None = array(dimensions=2, optional=True)
    keep_rows: bool = True
    words: float = fact(0.0, least=0)
    reference_words: float = fact(0.0, least=0)
    skipped: int = fact(0, least=0)
    without_oracle: int = fact(0, least=0)
    seconds: float = fact(0.0)
    messages: int = fact(0, least=0)
    message_bytes: int = fact(0, least=0)
    average: WeightAverage = part(WeightAverage)
    start: int = fact(1, least=1, optional=True)

    def __post_init__(self) -> None:
        if not len(self.statistics):
            self.start_pass()

    def saving(self) -> None:
        """Put the rows into an array."""
        size = self.document.metric.size
        self.table = None if self.rows is None else np.array(self.rows, np.float64).reshape(-1, size)

    def restored(self) -> None:
        """Take the rows out of the array."""
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
        """Add the 1-best translation to the pass, and it or another to the pseudo-document."""
        self.document.update((best if joining is None else joining).statistics[0], segment.length)
        self.count(best.statistics[0])
        self.words += len(split_words(best.texts[0]))
        lengths = [len(split_words(reference)) for reference in segment.references]
        self.reference_words += sum(lengths) / len(lengths)

    def count(self, statistics: Floats) -> None:
        """Add the statistics of a 1-best translation to the pass."""
        self.statistics += statistics
        if self.rows is not None:
            self.rows.append(statistics.copy())  # not the list that it is a row of

    def check_learnable(self, sentences: int) -> None:
        """Refuse a corpus in which there was nothing to learn."""
        check_translated(self.skipped, sentences)
        if self.skipped + self.without_oracle == sentences:
            raise InputError("the oracle finds nothing to learn in any segment: choose another oracle")

    def record(self, pass_number: int) -> PassRecord:
        """Return the record of the pass under way."""
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
            start=self.start,
        )


@dataclass(init=False, eq=False)
class OnlineRun(Run[PassRecord]):
    """Passes of an online algorithm, and their counts."""

    KIND = "an online tuner"
    NUMBERED = False

    records: list[PassRecord] = fact([])
    progress: Progress = part(Progress)

    def __init__(
        self,
        algorithm: Any,
        weights: Weights,
        document: PseudoDocument,
        settings: dict[str, str],
        *,
        keep_rows: bool = True,
    ) -> None:
        super().__init__(weights, document.metric, settings)
        self.algorithm, self.progress = algorithm, Progress(document, keep_rows=keep_rows)

    @classmethod
    def check(cls, algorithm: Any) -> None:
        """Refuse settings that this run cannot learn with."""

    def sentences(self, passes: int, count: int) -> tuple[int | None, int]:
        """Count the sentences of all passes, and those done."""
        total, done = super().sentences(passes, count)
        return total, done + self.progress.position

    def note(self, pseudo_score: float) -> str:
        """Say in a few words how well it goes, after an update."""
        text = f"pseudo-document {self.metric.name} {pseudo_score:.2f}"
        return self.records[-1].with_development(text) if self.records else text

    def counted(self, sentences: int) -> PassRecord:
        """Return the record of a pass over a corpus in which there was something to learn."""
        self.progress.check_learnable(sentences)
        return self.progress.record(len(self.records) + 1)

    def finish(self, record: PassRecord, learned: Floats, development: Scored | None) -> None:
        """Record a pass, choose what it learned if that does best so far, and begin to count anew."""
        super().finish(record, learned, development)
        self.progress.start_pass()

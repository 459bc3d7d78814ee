"""The second part of the demonstration: a book is corrected, sentence by sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopefear.base.progress import progress_bar
from hopefear.decoder import Segment, read_config
from hopefear.grammars.sample import book_path
from hopefear.live import AdaptingDecoder, LiveSession, Shown
from hopefear.metrics import Ksmr, Ter
from hopefear.plugins.corpus import read_corpus
from hopefear.reports import plot_learning
from hopefear.tuners import Mira
from hopefear.tuners.contract import LearningCurves, LearningPoint, Series

EVERY = 10
"""After so many corrections the work so far is told."""

_DOCUMENT = 1
_TER, _KSMR = Ter(), Ksmr()


@dataclass(frozen=True, slots=True)
class MeasuredWork:
    """The work of all corrections so far, in per cent."""

    corrections: int
    hter: float
    untouched_hter: float
    ksmr: float
    untouched_ksmr: float


class Book:
    """A session that translates the book and learns from the correction of each sentence.

    The corrections are the sentences of the English edition.
    """

    def __init__(self, *, sentences: int | None = None) -> None:
        folder = book_path()
        config = read_config(folder / "written.ini")
        decoder = AdaptingDecoder(config, rules=True, model=True, weights=folder / "weights")
        self._session = LiveSession(decoder, Mira.paper())
        corpus = read_corpus(folder / "book.es.written", [folder / "book.en.written"])
        self._corpus = [decoder.segment(segment) for segment in corpus][:sentences]
        self.work: list[MeasuredWork] = []

    @property
    def description(self) -> str:
        """What is corrected, and what the table tells."""
        return (
            f"Corrections: {len(self._corpus)} sentences of the book of Esther, each by that of the English "
            "edition.\nThe book was chosen because its system's text lacks many of its names.\n"
            "The work of all corrections so far, in per cent:"
        )

    def correct(self) -> None:
        """Correct each sentence, and sum up the work."""
        total = np.zeros(2 * (_TER.size + _KSMR.size))
        shown = progress_bar(self._corpus, len(self._corpus), name="correcting", keep=False)
        for count, segment in enumerate(shown, 1):
            total += self._corrected(count, segment)
            if count % EVERY == 0 or count == len(self._corpus):
                parts = np.split(total, 4)
                scores = (
                    metric.score(part) for metric, part in zip((_TER, _TER, _KSMR, _KSMR), parts, strict=True)
                )
                self.work.append(MeasuredWork(count, *map(float, scores)))

    def _corrected(self, number: int, segment: Segment) -> NDArray[np.float64]:
        """Correct a sentence; return statistics: HTER and KSMR, each of what was shown, then untouched."""
        assert segment.written is not None
        answer = self._session.answer(segment, _DOCUMENT)
        texts, target = (answer.shown.written(), answer.untouched or ""), segment.written.references[0]
        self._session.correct(segment, Shown(texts[0], place=(_DOCUMENT, number)))
        text_system = self._session.decoder.text_system
        assert text_system is not None
        *words, of_target = map(text_system.compared, (*texts, target))
        of_ter = [_TER.stats(text, [of_target]) for text in words]
        return np.concatenate([*of_ter, *(_KSMR.stats(text, [target]) for text in texts)])

    def table(self) -> str:
        """Return the work as a table."""
        lines = [
            f"{'':11}  {'HTER':^20}  {'KSMR':^20}",
            f"{'corrections':11}" + 2 * f"  {'learning':>9} {'untouched':>10}",
        ]
        for work in self.work:
            rates = ((work.hter, work.untouched_hter), (work.ksmr, work.untouched_ksmr))
            lines.append(
                f"{work.corrections:11}" + "".join(f"  {one:9.1f} {other:10.1f}" for one, other in rates)
            )
        return "\n".join(lines)

    def draw(self, folder: Path) -> Path:
        """Draw HTER by the number of corrections."""
        path = folder / "corrections.png"
        curves = LearningCurves(
            title="Edits for each word, of all corrections so far",
            metric="HTER",
            x_name="corrected sentences of the book",
            series=[
                Series("untouched system", self._points([work.untouched_hter for work in self.work])),
                Series("learning from the corrections", self._points([work.hter for work in self.work])),
            ],
        )
        plot_learning(path, curves)
        return path

    def _points(self, scores: Sequence[float]) -> list[LearningPoint]:
        return [LearningPoint(work.corrections, score) for work, score in zip(self.work, scores, strict=True)]

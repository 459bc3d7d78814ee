"""The first part of the demonstration: learn from the sample's dev part, translate its test part.

It ends with a table of hope, 1-best and fear.
"""

from __future__ import annotations

import shutil
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopefear.base.lines import read_texts
from hopefear.base.progress import ProgressBar, progress_bar
from hopefear.decoder import Decoder, Hypergraph, Segment
from hopefear.grammars.sample import sample_path
from hopefear.metrics import Bleu, PairedBootstrap, confidence_interval, paired_bootstrap
from hopefear.plugins import create
from hopefear.plugins.corpus import read_corpus
from hopefear.reports import (
    REPORT,
    START,
    TUNING,
    plot_hypotheses,
    plot_learning,
    translate_again,
    write_report,
)
from hopefear.runs import RunFolder
from hopefear.tuners import ForestHopeFear, Hypotheses, Mira, ScoredList
from hopefear.tuners.contract import LearningCurves, LearningPoint, Record, Series

FAMILIES = ("RuleIndicators", "SoftSyntax", "StructuralDistortion")
SEED = 1
TESTS = 8
"""How often the test set is translated on the way."""


@dataclass(frozen=True)
class Row:
    """A sentence with the hypotheses that the tuner found."""

    found: Hypotheses
    words: float
    written: Callable[[str], str]


class Demo:
    """Live online MIRA on the sample model."""

    def __init__(self, *, sentences: int | None = None, threads: int = 1) -> None:
        sample = sample_path()
        features = [create(name) for name in FAMILIES]
        self.decoder = Decoder(sample / "written.ini", weights=sample / "weights.init", features=features)
        self.metric = Bleu()
        self.mira = Mira.paper()
        self.corpus = self._read_part(sample, "dev")[:sentences]
        self.test_corpus = self._read_part(sample, "test")[:sentences]
        self.pseudo: list[float] = []
        self._threads = threads
        self._tested: list[LearningPoint] = []
        self._learned_from: list[LearningPoint] = []
        self._passes: list[Record] = []
        self._start = self.decoder.weights.array.copy()

    @property
    def description(self) -> str:
        """What runs on what."""
        return (
            f"Live MIRA, Spanish to English: {len(self.corpus)} sentences to learn from, "
            f"{len(self.test_corpus)} to test on, two references each; {', '.join(FAMILIES)} on. "
            "BLEU is that of lower-cased words."
        )

    def test(self) -> NDArray[np.float64]:
        """Translate the test part; statistics of its sentences, float64, shape (sentences, metric.size)."""
        forests = self.decoder.translate_all(self.test_corpus, threads=self._threads)
        shown = progress_bar(forests, len(self.test_corpus), name="test", keep=False)
        words = [forest.viterbi() for forest in shown]
        return self.metric.corpus_stats(words, [segment.references for segment in self.test_corpus])

    def interval(self, statistics: NDArray[np.float64]) -> str:
        """Return BLEU with its 95 % interval."""
        return str(confidence_interval(statistics, self.metric))

    def compare(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> PairedBootstrap:
        """Compare two translations of the test part."""
        return paired_bootstrap(before, after, self.metric)

    def learn(self, passes: int, before: NDArray[np.float64]) -> None:
        """Learn from one sentence after the other; in the end the decoder has the averaged weights."""
        updates = passes * len(self.corpus)
        every = -(-updates // TESTS)
        self._tested = [self._point(0, before)]
        rows: list[NDArray[np.float64]] = []
        total = np.zeros(0)
        spent, begin = [], time.process_time()
        order = np.random.default_rng(SEED)
        segments = (self.corpus[i] for _ in range(passes) for i in order.permutation(len(self.corpus)))
        with ProgressBar(updates, name="learning") as bar:
            for update, segment in enumerate(segments, 1):
                forest = self.decoder.translate(segment)
                rows.append(self.metric.stats(forest.viterbi(), segment.references))
                record = self.mira.partial_fit(self.decoder, forest, segment)
                self.pseudo.append(record.pseudo_score)
                weights = self.decoder.weights.array
                total = np.pad(total, (0, len(weights) - len(total)))
                total += weights
                bar.update()
                bar.note(f"pseudo-document BLEU {record.pseudo_score:.2f}")
                if update % len(self.corpus) == 0:
                    spent.append(time.process_time() - begin)
                    begin = time.process_time()
                if update % every == 0 and update < updates:
                    with self.decoder.weights.replaced(total / update):
                        self._tested.append(self._point(update, self.test()))
        weights[:] = total / updates
        self._tested.append(self._point(updates, self.test()))
        size = len(self.corpus)
        parts = [rows[end - size : end] for end in range(size, updates + 1, size)]
        self._learned_from = [self._point(n * size, np.array(part)) for n, part in enumerate(parts, 1)]
        self._passes = [
            Record(
                pass_number=number,
                metric=self.metric.name,
                score=point.score,
                skipped=0,
                seconds=seconds,
                score_interval=point.interval,
            )
            for number, (point, seconds) in enumerate(zip(self._learned_from, spent, strict=True), 1)
        ]

    def interesting(self, count: int) -> Iterator[Row]:
        """Go through sentences of a readable length whose hope, 1-best and fear all differ."""
        words = self._document_length()
        for segment in self.corpus:
            if not 8 <= segment.length <= 16:
                continue
            found = self.mira.hypotheses(self.decoder, self.decoder.translate(segment), segment)
            texts = {scored.translations.texts[0] for scored in (found.hope, found.best, found.fear)}
            if len(texts) == 3:
                yield Row(found, words + segment.length, partial(self._written, segment))
                count -= 1
            if count == 0:
                return

    def draw_learning(self, folder: Path) -> Path:
        """Draw BLEU by the sentences learned from."""
        path = folder / "bleu-per-update.png"
        learned = f"the {len(self.corpus)} sentences learned from, as they were translated"
        curves = LearningCurves(
            title="Learning while translating",
            metric="BLEU",
            x_name="updates",
            series=[
                Series("test set, by the averaged weights", self._tested),
                Series(learned, self._learned_from),
            ],
            behind=Series(
                "pseudo-document (about the last ten sentences) after each update",
                [LearningPoint(update, score) for update, score in enumerate(self.pseudo, 1)],
            ),
        )
        plot_learning(path, curves)
        return path

    def draw_hypotheses(self, folder: Path) -> Path:
        """Draw the 10 best of a sentence for several μ (Chiang, Marton & Resnik 2008, figure 1)."""
        segment = next((row.found.segment for row in self.interesting(1)), self.corpus[0])
        forest = self.decoder.translate(segment)
        lists = {
            "hope, μ = 0": self._hope(forest, segment, 0.0),
            "hope, μ = 0.5": self._hope(forest, segment, 0.5),
            "1-best, μ = 1": self.mira.hypotheses(self.decoder, forest, segment).best,
            "fear, μ = ∞": self.mira.hypotheses(self.decoder, forest, segment).fear,
        }
        path = folder / "hope-and-fear.png"
        plot_hypotheses(
            path,
            {name: (scored.model, scored.B) for name, scored in lists.items()},
            title=f"Ten best translations of one sentence ({segment.length} words)",
            words=self._document_length() + segment.length,
        )
        return path

    def write_report(self, folder: Path) -> Path:
        """Write the report on the sentences learned from, and beside it the files of a tuning run."""
        weights = self.decoder.weights
        with RunFolder(folder / "mira", force=True) as run:
            for record in self._passes:
                run.add_pass(record)
            run.write_weights(START, weights.named(self._start), weights)
            run.write_weights(run.final.name, weights.nonzero(), weights)
            with ProgressBar(len(self.corpus), name="report") as bar:
                translate_again(
                    *(run.folder, self.decoder, self.corpus, self._start, self.metric, bar),
                    name=TUNING,
                    threads=self._threads,
                )
            return write_report(run.folder, folder / REPORT)

    def _written(self, segment: Segment, words: str) -> str:
        """Return a translation of a segment as somebody would write it, by its best derivation."""
        return self.decoder.translate(segment, reference=words).written()

    def _read_part(self, sample: Path, part: str) -> list[Segment]:
        """Read a part as written, with its trees; the tokens of its two references are those of files."""
        written = read_corpus(sample / f"{part}.es.written", [sample / f"{part}.en.written"])
        sides = (read_texts(sample / f"{part}.{side}") for side in ("es.trees", "en.0", "en.1"))
        return [
            replace(self.decoder.segment(segment), tree=tree, references=tuple(references))
            for segment, tree, *references in zip(written, *sides, strict=True)
        ]

    def _hope(self, forest: Hypergraph, segment: Segment, mu: float) -> ScoredList:
        oracle = ForestHopeFear(k=self.mira.k, hope_mu=mu)
        return self.mira.hypotheses(self.decoder, forest, segment, oracle=oracle).hope

    def _point(self, update: int, statistics: NDArray[np.float64]) -> LearningPoint:
        found = confidence_interval(statistics, self.metric)
        return LearningPoint(update, found.value, (found.lower, found.upper))

    def _document_length(self) -> float:
        return float(self.mira.get_state()["facts"]["progress"]["document"]["source_length"])


def hypothesis_table(rows: Iterable[Row]) -> str:
    """Return a table: a sentence, its first reference, and its hope, 1-best and fear with their scores."""
    width = max(60, min(shutil.get_terminal_size((110, 24)).columns, 140))
    lines = [f"{'':9} {'model':>8} {'BLEU':>6}  translation", "─" * width]
    for row in rows:
        found, written = row.found, row.found.segment.written
        assert written is not None
        lines += _entry("source", None, written.text, width)
        lines += _entry("reference", None, written.references[0], width)
        for name, scored in (("hope", found.hope), ("1-best", found.best), ("fear", found.fear)):
            text = row.written(scored.translations.texts[0])
            lines += _entry(name, _scores(scored, row.words), text, width)
        lines.append("─" * width)
    return "\n".join(lines)


def _scores(scored: ScoredList, words: float) -> tuple[float, float]:
    return float(scored.model[0]), 100 * float(scored.B[0]) / words


def _entry(name: str, scores: tuple[float, float] | None, text: str, width: int) -> list[str]:
    figures = " " * 15 if scores is None else f"{scores[0]:8.2f} {scores[1]:6.1f}"
    parts = textwrap.wrap(text, width - 27) or [""]
    return [f"{name:9} {figures}  {parts[0]}", *(" " * 27 + part for part in parts[1:])]

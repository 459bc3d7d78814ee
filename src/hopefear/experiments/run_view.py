"""The runs of an experiment in its page: a click on a cell of a table opens its runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from pathlib import Path
from typing import Any

import msgspec

from hopefear.base import InputError
from hopefear.decoder import Segment, Weights
from hopefear.metrics import Metric, create_metric
from hopefear.reports import packed, render, score_chart
from hopefear.tuners.contract import RunFiles
from hopefear.tuners.pool import grounded_metric

from .cell_file import read_facts
from .plan import ALL, Cell, SentenceSet
from .results import Result
from .runs import AS_WRITTEN, CELLS, WEIGHTS, tested_corpus

_WEIGHTS = 25  # in the table of a run
_SENTENCES = 500  # of each test set, if there is room


class RunView:
    """What the page shows of each tuning run: settings, scores, curve, weights and translations."""

    def __init__(
        self,
        folder: Path,
        cells: Mapping[str, Cell],
        runs: Sequence[Result],
        test_set: Callable[[Result], Hashable],
        metric: str,
    ) -> None:
        self._folder, self._cells, self._test_set = folder, cells, test_set
        self._metric = grounded_metric(create_metric(metric))
        self._sets: dict[Hashable, _TestSet] = {}
        self._rows: dict[str, list[Result]] = {}
        for run in runs:
            self._rows.setdefault(run.cell, []).append(run)

    def html(self, room: int) -> str:
        """Return the part of the page, at most so many bytes long if that is possible."""
        if not self._rows:
            return ""
        runs = {name: self._run(name, rows) for name, rows in self._rows.items()}
        about = {"metric": self._metric.name, "lowerIsBetter": not self._metric.higher_is_better}
        most, curves = _SENTENCES, True
        while True:
            sets = [one.record(most) for one in self._sets.values()]
            shown = runs if curves else {name: run | {"curve": None} for name, run in runs.items()}
            found = render("run_dialog.html", data=packed({"runs": shown, "sets": sets} | about))
            if len(found.encode()) <= room or not curves:
                return found
            most, curves = most // 2, most > 0

    def _run(self, name: str, rows: list[Result]) -> dict[str, Any]:
        first, place = rows[0], self._folder / CELLS / name
        chosen = read_facts(place)["settings"]
        drawn = "" if self._cells[name].size == ALL else f", draw {first.draw}"
        facts = {
            "feature set": first.system,
            "tuner": f"{first.tuner} ({self._cells[name].tuner.line})",
            "chosen by cross-validation": ", ".join(f"{key} = {value}" for key, value in chosen.items()),
            "learned from": f"{first.tuned_on}, {first.size:,} sentences" + drawn,
            "seed": str(first.seed),
            "nonzero weights": f"{first.features:,}",
            "passes": str(first.passes),
            "CPU time": f"{first.seconds:,.1f} s",
        }
        weights = Weights()
        if (place / WEIGHTS).exists():  # of a run from an archive they may not be there
            weights.read(place / WEIGHTS, may_be_empty=True)
        learned = nsmallest(_WEIGHTS, weights.nonzero().items(), key=lambda pair: (-abs(pair[1]), pair[0]))
        tests = {row.tested_on: row for row in reversed(rows)}
        return {
            "facts": {what: value for what, value in facts.items() if value},
            "scores": [[row.tested_on, row.metric, row.score] for row in rows],
            "curve": self._curve(place) if first.passes else None,
            "weights": learned,
            "tests": {test: self._translations(tests[test]) for test in sorted(tests)},
        }

    def _curve(self, place: Path) -> str | None:
        return score_chart(RunFiles(place).read_log().curves()) or None

    def _translations(self, row: Result) -> list[Any] | str:
        """Return the number of a set and of each translation in it; a message if there are none."""
        test_set = self._test_set(row)
        try:
            if test_set not in self._sets:
                cell = _without_annotations(self._cells[row.cell], row.tested_on)
                corpus = tested_corpus(cell, row.tested_on)
                metric = self._metric.for_corpus([segment.references for segment in corpus])
                self._sets[test_set] = _TestSet(row.tested_on, corpus, metric, [{} for _ in corpus])
            path = (self._folder / row.statistics).with_name(f"{row.tested_on}.txt")
            words = _lines(path)
            as_written = path.with_name(row.tested_on + AS_WRITTEN)
            shown = _lines(as_written) if as_written.exists() else words
            places = self._sets[test_set].translated(words, shown, path)
            return [list(self._sets).index(test_set), places[:_SENTENCES]]
        except (InputError, OSError, UnicodeError) as error:
            return f"The sentences cannot be shown: {error}"


@dataclass
class _TestSet:
    """A test set, and for each sentence its translations by all runs, each once, with scores."""

    name: str
    corpus: Sequence[Segment]
    metric: Metric  # some depend on a set's references
    found: list[dict[str, float]]

    def translated(self, texts: list[str], shown: list[str], path: Path) -> list[int]:
        """Add the translations of a run, target words and what is shown of them; return their numbers."""
        for lines in (texts, shown):
            if len(lines) != len(self.corpus):
                raise InputError(f"expected {len(self.corpus)} translations, got {len(lines)}", path=path)
        places = []
        for segment, known, words, text in zip(self.corpus, self.found, texts, shown, strict=True):
            if text not in known:
                (row,) = self.metric.prepare(segment.references).batch([words])
                known[text] = round(float(self.metric.score(row)), 2)
            places.append(list(known).index(text))
        return places

    def record(self, most: int) -> dict[str, Any]:
        """Return what JSON can hold, of the first sentences."""
        return {
            "name": self.name,
            "sentences": len(self.corpus),
            "written": any(segment.written is not None for segment in self.corpus),
            "rows": list(self._sentences(most)),
        }

    def _sentences(self, most: int) -> Iterator[list[Any]]:
        for segment, known in zip(self.corpus[:most], self.found, strict=False):
            source, references = " ".join(segment.tokens or ()), segment.references
            if segment.written is not None:
                source, references = segment.written.text, segment.written.references
            yield [segment.number, source, list(references), list(known), list(known.values())]


def _without_annotations(cell: Cell, test: str) -> Cell:
    """Return the cell so that `tested_corpus` reads texts only."""

    def plain(sentences: SentenceSet) -> SentenceSet:
        none = dict.fromkeys(sentences.annotation_files.keys() - {"own"})
        return msgspec.structs.replace(sentences, **none, annotations=msgspec.UNSET)

    return replace(cell, tune=plain(cell.tune), tests={test: plain(cell.tests[test])})


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")[:-1]

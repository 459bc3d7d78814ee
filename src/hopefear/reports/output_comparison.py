"""Two outputs of a set in one page: scores, features and rules that made the difference, and sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hopefear.base.tables import Cell, Table
from hopefear.decoder import Segment, Translator, attempt
from hopefear.decoder.views import derivation_svg, derivation_tree
from hopefear.metrics import Metric, PairedBootstrap, compare_resampled, resample
from hopefear.parallel import in_threads
from hopefear.tuners.pool import grounded_metric

from .change import TEST, RunChange
from .pages import ROOM, packed, write_page
from .sentences import SentenceCounter

Derivation = dict[str, Any]
"""A derivation as `TreeNode.record` returns it."""

_FEATURES = 30  # in the table
_RULES = 20  # in each table


@dataclass(frozen=True, slots=True)
class Output:
    """What a system says of each sentence of a set.

    Attributes
    ----------
    name : str
        What the page calls the system.
    texts : list of str
        The translations; empty for a sentence without one.
    derivations : list of (dict or None)
        The derivation of each translation; empty if the system gave its texts only.
    weights : mapping of str to float
        The weights of the features of the derivations that are not 0.
    """

    name: str
    texts: list[str]
    derivations: Sequence[Derivation | None] = ()
    weights: Mapping[str, float] = field(default_factory=dict)


class MetricTest(NamedTuple):
    """Two outputs by one metric."""

    metric: str
    signature: str
    test: PairedBootstrap
    is_better: bool

    def __str__(self) -> str:
        sides, delta = f"{self.test.baseline.value:.2f} → {self.test.system.value:.2f}", self.test.delta
        return f"{self.metric} {sides}, difference {delta}, p = {self.test.p_value:.4f}"


class FeatureDifference(NamedTuple):
    """A feature whose values differ where the translations differ."""

    feature: str
    sentences: int
    """Those in which its values differ."""
    value: float
    """What the second output has more than the first, summed."""
    weights: tuple[float, float]
    pull: float
    """Its share in what made each system prefer its own translation, in percent: the mean of both systems."""
    change: float
    """The mean difference of the scores of these sentences."""


class RuleDifference(NamedTuple):
    """A rule that the outputs use differently often where the translations differ."""

    rule: str
    first: int
    second: int
    change: float
    """The mean difference of the scores of the sentences in which its counts differ."""


@dataclass(frozen=True, slots=True)
class OutputComparison:
    """Two outputs of a set, and where they differ.

    Attributes
    ----------
    names : (str, str)
    tests : list of MetricTest
    change : RunChange
        The scores by the first metric, and the buckets; the first output is before, the second after.
    features : list of FeatureDifference
    won, lost : list of RuleDifference
        Rules by which sentences of the second output score higher, and lower.
    rows : list of dict
        The sentences, as the page shows them.
    """

    names: tuple[str, str]
    tests: list[MetricTest]
    change: RunChange
    features: list[FeatureDifference]
    won: list[RuleDifference]
    lost: list[RuleDifference]
    rows: list[dict[str, Any]]

    def write(self, path: Path) -> Path:
        """Write the page; return its path."""
        return write_page(
            path,
            "output_comparison.html",
            " and ".join(self.names),
            names=self.names,
            tests=self.tests,
            test=TEST,
            change=self.change,
            is_positive=(0.0).__lt__,
            features=self._feature_table(),
            rules=[(what, self._rule_table(rules)) for what, rules in self._rules() if rules],
            sentences=self._packed(),
        )

    def _rules(self) -> Iterator[tuple[str, list[RuleDifference]]]:
        yield f"with which {self.names[1]} scores higher", self.won
        yield f"with which {self.names[1]} scores lower", self.lost

    def _feature_table(self) -> Table:
        first, second = self.names
        rows: list[tuple[Cell, ...]] = [
            (
                one.feature,
                one.sentences,
                one.value,
                *one.weights,
                round(one.pull, 1) + 0.0,
                round(one.change, 2),
            )
            for one in self.features
        ]
        weights = (f"weight, {first}", f"weight, {second}")
        return Table(("feature", "sentences", "value", *weights, "pull %", "change"), rows)

    def _rule_table(self, rules: Sequence[RuleDifference]) -> Table:
        rows: list[tuple[Cell, ...]] = [(*one[:3], round(one.change, 2)) for one in rules]
        return Table(("rule", *self.names, "change"), rows)

    def _packed(self) -> str:
        """Pack the sentences, with drawings of as many as there is room for."""
        rows, drawn = self.rows, len(self.rows)
        drawings = [
            {name: derivation_svg(one) for name, one in row["derivations"].items()} for row in self.rows
        ]
        with_drawings = any(drawings)
        features = sorted({name for row in rows for name in row["fired"]})
        numbers = {name: number for number, name in enumerate(features)}
        while rows:
            shown = [
                {name: row[name] for name in row if name != "derivations"}
                | {"fired": sorted(numbers[name] for name in row["fired"])}
                for row in rows
            ]
            if with_drawings:
                shown = [row | {"drawings": drawings[i] if i < drawn else {}} for i, row in enumerate(shown)]
            lower = not self.change.higher_is_better
            data = packed({"rows": shown, "features": features, "names": self.names, "lowerIsBetter": lower})
            if len(data) <= ROOM:
                return data
            drawn, rows = (drawn // 2, rows) if drawn and with_drawings else (0, rows[: len(rows) // 2])
        return ""


def translated_output(
    name: str,
    decoder: Translator,
    corpus: Sequence[Segment],
    progress: SentenceCounter,
    *,
    threads: int = 1,
) -> Output:
    """Translate a set; a sentence without a translation is empty.

    Raises
    ------
    InputError
        A plugin failed, or a sentence is wrong.
    """

    def translate(segment: Segment) -> tuple[str, Derivation | None]:
        with attempt(decoder, segment) as work:
            forest = decoder.translate(segment).forest
            best = forest.best()
            return forest.written(best), derivation_tree(forest, best, decoder.last_weights).record()
        assert work.failure is not None
        return "", None

    texts, derivations = list[str](), list[Derivation | None]()
    with in_threads(threads) as executor:
        for text, derivation in executor.map(translate, corpus):
            progress.update()
            texts.append(text)
            derivations.append(derivation)
    return Output(name, texts, derivations, decoder.last_weights.nonzero())


def compare_outputs(
    first: Output,
    second: Output,
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    metrics: Sequence[Metric],
    split: Callable[[Sequence[str]], list[str]] | None = None,
    signature: Callable[[Metric], str] = methodcaller("signature"),
) -> OutputComparison:
    """Compare two outputs of a set.

    Parameters
    ----------
    first, second : Output
        With a translation for each sentence.
    sources : sequence of str
        The sentences; empty texts if they are not known.
    references : sequence of sequence of str
        All references of each sentence.
    metrics : sequence of Metric
        At least one; sentences, buckets and changes have the scores of the first.
    split : callable, optional
        Puts a space between the words of texts as written, for metrics of words.
    signature : callable, optional
        Names all settings of a metric.
    """
    written = split is not None
    split = list if split is None else split
    words = [split(side.texts) for side in (first, second)]
    references_split = [*zip(*map(split, zip(*references, strict=True)), strict=True)]
    tests = []
    rows: list[dict[str, Any]] = []
    records: list[dict[str, Any]] = []
    for metric in metrics:
        settings = signature(metric)
        by_words = metric.of_words
        sides = words if by_words else [first.texts, second.texts]
        known = [[*one] for one in (references_split if by_words else references)]
        metric = metric.for_corpus(known)
        statistics = [metric.prepare(own).batch(pair) for own, *pair in zip(known, *sides, strict=True)]
        before, after = (resample([one[side] for one in statistics], metric) for side in (0, 1))
        test = compare_resampled(before, after)
        better = (test.delta.value > 0) == metric.higher_is_better and test.delta.value != 0
        tests.append(MetricTest(metric.name, settings, test, better))
        if not rows:
            of_sentence = grounded_metric(metric)
            for number, (pair, own) in enumerate(zip(zip(*sides, strict=True), known, strict=True)):
                scores = map(of_sentence.score, of_sentence.prepare(own).batch(pair))
                rows.append(_row(number, first, second, sources[number], references[number], scores, written))
                texts = [words[0][number], words[1][number], [*references_split[number]]]
                records.append(rows[-1] | {"words": texts, "statistics": statistics[number].tolist()})
    corpus = [Segment((), references=tuple(own)) for own in references_split]
    change = RunChange.of_records(records, corpus, metrics[0], "set")
    assert change is not None
    differing = [row for row in rows if row["before"] != row["after"] and len(row["derivations"]) == 2]
    won, lost = _rules(differing, change)
    features = _features(differing, (first.weights, second.weights))
    return OutputComparison((first.name, second.name), tests, change, features, won, lost, rows)


def _row(
    number: int,
    first: Output,
    second: Output,
    source: str,
    references: Sequence[str],
    scores: Iterator[float],
    written: bool,
) -> dict[str, Any]:
    """Return what the page shows of a sentence."""
    derivations = {side.name: side.derivations[number] for side in (first, second) if side.derivations}
    before_score, after_score = map(float, scores)
    return {
        "id": number + 1,
        "source": source,
        "references": [*references],
        "before": first.texts[number],
        "after": second.texts[number],
        "before_score": before_score,
        "after_score": after_score,
        "written": written,
        "derivations": {name: one for name, one in derivations.items() if one is not None},
        "fired": {name for one in derivations.values() if one for name in _values(one)},
    }


def _nodes(derivation: Derivation) -> Iterator[Derivation]:
    nodes = [derivation]
    while nodes:
        node = nodes.pop()
        nodes += node["children"]
        yield node


def _values(derivation: Derivation) -> Counter[str]:
    """Return the value of each feature of a derivation."""
    values = Counter[str]()
    for node in _nodes(derivation):
        for one in node["features"]:
            values[one["feature"]] += one["value"]
    return values


def _features(
    rows: Sequence[Mapping[str, Any]], weights: tuple[Mapping[str, float], Mapping[str, float]]
) -> list[FeatureDifference]:
    """Rank features by their pull.

    Each system prefers its own translation: w·(f(own) − f(other)) > 0, as far as it finds both. The pull of a
    feature is its share in this sum.
    """
    differences = defaultdict[str, list[tuple[float, float]]](list)  # of the value, and of the score
    for row in rows:
        first, second = map(_values, row["derivations"].values())
        gain = row["after_score"] - row["before_score"]
        for name in {*first, *second}:
            if first[name] != second[name]:
                differences[name].append((second[name] - first[name], gain))
    found = []
    summed = {name: np.array(one).sum(axis=0) for name, one in differences.items()}
    totals = [sum(abs(own.get(name, 0.0) * value) for name, (value, _) in summed.items()) for own in weights]
    for name, (value, gain) in summed.items():
        of_name = weights[0].get(name, 0.0), weights[1].get(name, 0.0)
        pulls = [
            sign * weight * value / total
            for sign, weight, total in zip((-1, 1), of_name, totals, strict=True)
            if total
        ]
        size = len(differences[name])
        found.append(
            FeatureDifference(name, size, float(value), of_name, 50 * float(sum(pulls)), float(gain) / size)
        )
    return sorted(found, key=lambda one: (-abs(one.pull), one.feature))[:_FEATURES]


def _rules(
    rows: Sequence[Mapping[str, Any]], change: RunChange
) -> tuple[list[RuleDifference], list[RuleDifference]]:
    """Rank rules by the scores of the sentences in which their counts differ, summed."""
    counts = defaultdict[str, list[tuple[int, int, float]]](list)
    for row in rows:
        sides = [
            Counter(f"{one['source']} → {one['target']}" for one in _nodes(derivation) if one["source"])
            for derivation in row["derivations"].values()
        ]
        gain = row["after_score"] - row["before_score"]
        for rule in {*sides[0], *sides[1]}:
            if sides[0][rule] != sides[1][rule]:
                counts[rule].append((sides[0][rule], sides[1][rule], gain))
    found = []
    for rule, differences in counts.items():
        before, after, total = np.array(differences).sum(axis=0)
        mean = float(total) / len(differences)
        found.append((float(total), RuleDifference(rule, int(before), int(after), mean)))

    def ranked(wanted: bool) -> list[RuleDifference]:
        chosen = [one for one in found if one[0] and change.is_better(one[0]) is wanted]
        return [rule for _, rule in sorted(chosen, key=lambda one: (-abs(one[0]), one[1].rule))][:_RULES]

    return ranked(True), ranked(False)

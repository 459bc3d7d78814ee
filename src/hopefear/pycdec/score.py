"""pycdec's metrics: ``metric(references)`` makes an evaluator for hypotheses.

Scores are from 0 to 1; those of NIST are in bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hopefear import metrics
from hopefear.base.signatures import Count, check_exports
from hopefear.base.texts import BLANK, split_words
from hopefear.metrics import PreparedReferences, Statistics
from hopefear.pycdec.hypergraph import Hypergraph
from hopefear.pycdec.text import as_text
from hopefear.pycdec.vectors import SparseVector

__all__ = [
    "AER",
    "BLEU",
    "CER",
    "METEOR",
    "NIST",
    "QCRI",
    "SSK",
    "TER",
    "WER",
    "Candidate",
    "CandidateSet",
    "Metric",
    "Scorer",
    "SegmentEvaluator",
    "SufficientStats",
]

_METRICS: dict[str, metrics.Metric] = {
    "IBM_BLEU": metrics.Bleu(smoothing="floor"),
    "NIST_BLEU": metrics.Bleu(smoothing="floor", effective_reference_length="shortest"),
    "KOEHN_BLEU": metrics.Bleu(smoothing="floor", effective_reference_length="average"),
    "QCRI_BLEU": metrics.Bleu(smoothing="qcri"),
    "TER": metrics.Ter(),
    "CER": metrics.Cer(),
    "SSK": metrics.Ssk(),
    "WER": metrics.Wer(),
    "NIST": metrics.Nist(),
    "METEOR": metrics.Meteor(),
    "AER": metrics.Aer(),
}


class _Behind:
    """Computes a metric: statistics in pycdec's order, and scores from 0 to 1."""

    def __init__(self, name: str, metric: metrics.Metric) -> None:
        self.name, self._metric, self.size = name, metric, metric.size
        # pycdec's order of BLEU's statistics: matches, n-grams, length, reference length
        self._order = np.arange(metric.size)
        if isinstance(metric, metrics.Bleu):
            self._order = np.roll(np.r_[0:2, 2 + metric.order : metric.size, 2 : 2 + metric.order], -2)

    def prepare(self, references: Sequence[str]) -> PreparedReferences:
        return self._metric.prepare(references)

    def statistics(self, references: PreparedReferences, hypothesis: str) -> Statistics:
        return references.stats(hypothesis)[self._order]

    def score(self, statistics: Statistics) -> float:
        raw = np.zeros(len(self._order))
        if len(statistics):
            raw[self._order] = statistics
        score = self._metric.score(raw)
        return score if isinstance(self._metric, metrics.Nist) else score / 100

    def for_corpus(self, references: Sequence[Sequence[str]]) -> _Behind:
        return _Behind(self.name, self._metric.for_corpus(references))

    def detail(self, statistics: Statistics) -> str:
        score = self.score(statistics)
        if not isinstance(self._metric, metrics.Bleu) or not len(statistics):
            return f"{self.name}={score:g}"
        order = self._metric.order
        matches, ngrams, (length, reference_length) = np.split(statistics, (order, 2 * order))
        precisions = "|".join(f"{100 * m / max(n, 1):.1f}" for m, n in zip(matches, ngrams, strict=True))
        brevity = np.exp(min(0.0, 1 - reference_length / length)) if length else 0.0
        return f"{self.name} = {100 * score:.2f}, {precisions} (brev={brevity:.3f})"


class _PythonReferences(PreparedReferences):
    """References for a metric written in Python."""

    def __init__(self, metric: Metric, references: Sequence[str]) -> None:
        self._metric = metric
        self._references = [" ".join(split_words(reference)) for reference in references]

    def compare(self, hypothesis: Sequence[str]) -> Statistics:
        values = self._metric.evaluate(" ".join(hypothesis), list(self._references))
        return np.array(values, dtype=np.float64)


class _PythonBehind:
    """Computes a metric written in Python."""

    def __init__(self, metric: Metric) -> None:
        self.name, self._metric = type(metric).__name__, metric

    def prepare(self, references: Sequence[str]) -> PreparedReferences:
        return _PythonReferences(self._metric, references)

    def statistics(self, references: PreparedReferences, hypothesis: str) -> Statistics:
        return references.stats(hypothesis)

    def score(self, statistics: Statistics) -> float:
        return float(self._metric.score(statistics.tolist()))

    def detail(self, statistics: Statistics) -> str:
        return f"{self.name}={self.score(statistics):g}"


class _CombinedReferences(PreparedReferences):
    """References for several metrics."""

    def __init__(self, parts: Sequence[_Behind], references: Sequence[str]) -> None:
        self._parts = [(part, part.prepare(references)) for part in parts]

    def compare(self, hypothesis: Sequence[str]) -> Statistics:
        text = " ".join(hypothesis)
        return np.concatenate([part.statistics(references, text) for part, references in self._parts])


class _Combined:
    """Computes a weighted sum of metrics, whose statistics follow each other."""

    def __init__(self, name: str, parts: Sequence[tuple[_Behind, float]]) -> None:
        self.name, self._parts = name, parts
        self._ends = np.cumsum([part.size for part, _ in parts])[:-1]

    def prepare(self, references: Sequence[str]) -> PreparedReferences:
        return _CombinedReferences([part for part, _ in self._parts], references)

    def statistics(self, references: PreparedReferences, hypothesis: str) -> Statistics:
        return references.stats(hypothesis)

    def _split(self, statistics: Statistics) -> list[Statistics]:
        if not len(statistics):
            return [statistics] * len(self._parts)
        return np.split(statistics, self._ends)

    def score(self, statistics: Statistics) -> float:
        parts = zip(self._parts, self._split(statistics), strict=True)
        return sum(weight * part.score(values) for (part, weight), values in parts)

    def detail(self, statistics: Statistics) -> str:
        parts = zip(self._parts, self._split(statistics), strict=True)
        return " ".join([f"{self.name}={self.score(statistics):g}", *(p.detail(v) for (p, _), v in parts)])

    def for_corpus(self, references: Sequence[Sequence[str]]) -> _Combined:
        return _Combined(self.name, [(part.for_corpus(references), weight) for part, weight in self._parts])


_Computation = _Behind | _PythonBehind | _Combined


class SufficientStats:
    """The statistics of one or more hypotheses; ``+`` and `sum` add them."""

    def __init__(self, metric: _Computation, values: Statistics) -> None:
        self._metric, self._values = metric, values

    @property
    def score(self) -> float:
        """The score."""
        return self._metric.score(self._values)

    @property
    def detail(self) -> str:
        """The score and its components as text."""
        return self._metric.detail(self._values)

    def __len__(self) -> int:
        """Count the statistics."""
        return len(self._values)

    def __iter__(self) -> Iterator[float]:
        """Iterate over the statistics."""
        return iter(self._values.tolist())

    def __getitem__(self, index: int) -> float:
        """Return a statistic."""
        if not 0 <= index < len(self):
            raise IndexError("sufficient stats vector index out of range")
        return float(self._values[index])

    def __add__(self, other: SufficientStats | int) -> SufficientStats:
        if isinstance(other, int) and other == 0:  # where `sum` begins
            return SufficientStats(self._metric, self._values.copy())
        if not isinstance(other, SufficientStats):
            return NotImplemented
        return SufficientStats(self._metric, self._values + other._values)

    __radd__ = __add__

    def __iadd__(self, other: SufficientStats) -> SufficientStats:  # type: ignore[misc]
        if not isinstance(other, SufficientStats):
            return NotImplemented
        self._values = self._values + other._values
        return self


class Candidate:
    """A hypothesis with its features and score."""

    def __init__(self, words: str, fmap: SparseVector, score: float) -> None:
        self.words, self.fmap, self.score = words, fmap, score


class CandidateSet:
    """The hypotheses of one segment; equal strings may be in it with different features."""

    def __init__(self, evaluator: SegmentEvaluator) -> None:
        self._evaluator = evaluator
        self._candidates: list[Candidate] = []
        self._seen: set[tuple[str, frozenset[tuple[str, float]]]] = set()

    def __len__(self) -> int:
        """Count the candidates."""
        return len(self._candidates)

    def __getitem__(self, k: int) -> Candidate:
        """Return a candidate."""
        if not 0 <= k < len(self):
            raise IndexError("candidate set index out of range")
        return self._candidates[k]

    def __iter__(self) -> Iterator[Candidate]:
        """Iterate over the candidates."""
        return iter(self._candidates)

    def add_kbest(self, hypergraph: Hypergraph, k: Count) -> None:
        """Add the k best derivations of a hypergraph, except those already in the set."""
        forest = hypergraph.forest
        for derivation in forest.derivations(k):
            words, features = forest.text(derivation), forest.features(derivation)
            # Feature values that are summed in different orders may differ in the last bits.
            key = words, frozenset((name, float(f"{value:.9g}")) for name, value in features.items())
            if key not in self._seen:
                self._seen.add(key)
                score = self._evaluator.evaluate(words).score
                self._candidates.append(Candidate(words, SparseVector(features), score))


class SegmentEvaluator:
    """Compares hypotheses with the references of one segment."""

    def __init__(self, metric: _Computation, references: Sequence[str]) -> None:
        self._metric = metric
        self._references = metric.prepare(references)

    def evaluate(self, sentence: str | bytes) -> SufficientStats:
        """Return the statistics of a hypothesis."""
        return SufficientStats(self._metric, self._metric.statistics(self._references, as_text(sentence)))

    def candidate_set(self) -> CandidateSet:
        """Make an empty set of candidates."""
        return CandidateSet(self)


class Scorer:
    """A metric by pycdec's name, such as ``IBM_BLEU``, or a sum: ``COMB:TER=-0.5;IBM_BLEU=0.5``."""

    def __init__(self, name: str | bytes) -> None:
        upper = as_text(name).upper()
        self._metric: _Behind | _Combined
        if upper.startswith("COMB:"):
            self._metric = _Combined(upper, [_weighted(part) for part in upper[5:].split(";") if part])
        else:
            self._metric = _behind(upper)

    def for_corpus(self, references: Sequence[str | bytes | Sequence[str | bytes]]) -> Scorer:
        """Return the metric for a test set with these references, one or several of each segment.

        NIST needs this: it weighs n-grams by the references of the whole test set. pycdec has neither.
        """
        scorer = Scorer.__new__(Scorer)
        scorer._metric = self._metric.for_corpus([_references(refs) for refs in references])
        return scorer

    def __call__(self, refs: str | bytes | Sequence[str | bytes]) -> SegmentEvaluator:
        """Prepare the references of a segment, or its only one."""
        return SegmentEvaluator(self._metric, _references(refs))

    def __str__(self) -> str:
        return self._metric.name


class Metric:
    """Base of metrics written in Python."""

    def __call__(self, refs: str | bytes | Sequence[str | bytes]) -> SegmentEvaluator:
        """Prepare the references of a segment, or its only one."""
        return SegmentEvaluator(_PythonBehind(self), _references(refs))

    def score(self, stats: list[float]) -> float:
        """Return the score of summed statistics."""
        return 0.0

    def evaluate(self, hyp: str, refs: list[str]) -> Sequence[float]:
        """Return the statistics of a hypothesis."""
        return []


def _behind(name: str) -> _Behind:
    metric = _METRICS.get(name)
    if metric is None:
        raise ValueError(f"unknown metric {name!r}, expected COMB:... or one of {', '.join(_METRICS)}")
    return _Behind(name, metric)


def _weighted(part: str) -> tuple[_Behind, float]:
    name, _, weight = part.partition("=")
    try:
        return _behind(name.strip(BLANK)), float(weight)
    except ValueError:
        if name.strip(BLANK) in _METRICS:
            raise ValueError(f"expected a metric and its weight, such as TER=-0.5, got {part!r}") from None
        raise


def _references(refs: str | bytes | Sequence[str | bytes]) -> list[str]:
    return [as_text(ref) for ref in ([refs] if isinstance(refs, (str, bytes)) else refs)]


BLEU = Scorer("IBM_BLEU")
QCRI = Scorer("QCRI_BLEU")
TER = Scorer("TER")
CER = Scorer("CER")
SSK = Scorer("SSK")
WER = Scorer("WER")
NIST = Scorer("NIST")
METEOR = Scorer("METEOR")
AER = Scorer("AER")

check_exports(__name__)

"""What a run changed: the score of a set before and after it, and where the difference lies."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.base.texts import split_words
from hopefear.decoder import Segment
from hopefear.metrics import Bleu, Metric, PairedBootstrap, Resampled, compare_resampled, resample
from hopefear.metrics.catalogue import metric_line
from hopefear.tuners.contract import from_json

CHANGE = "change.json"
"""The name of the file in the folder of a run."""

TUNING, HELD_OUT = "tuning set", "held-out set"
"""What the sentences of a change may be: those that the run learned from, or those by which it chose."""

TEST = "paired bootstrap, one-sided"
"""The name of the test of `RunChange.test`."""

_LENGTHS = (1, 6, 11, 16, 21, 31, 41, 61)
_FREQUENCIES = (1, 2, 3, 5, 10, 100)
_ORDER = 4  # of the longest n-grams
_MOST = 12  # n-grams that were won, and that were lost


class Bucket(NamedTuple):
    """A part of a set, before and after a run."""

    name: str
    size: int
    """Sentences, or words of the references."""
    before: float
    after: float


class NgramChange(NamedTuple):
    """How often an n-gram of a translation is also in a reference, before and after a run."""

    ngram: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class RunChange:
    """What a run changed.

    Attributes
    ----------
    corpus : str
        What the sentences are, such as "tuning set".
    sentences, total : int
        The sentences that have translations, and all sentences of the set.
    digest : str
        Equal for equal sentences with equal references.
    metric, signature, metric_line : str
        The name of the metric, its settings, and the line that makes it; empty if none does.
    higher_is_better : bool
    before, after : Resampled
        The scores of the set with the weights before and after the run.
    lengths, words : list of Bucket
        The metric's score of sentences by the length of their first reference; the F1 of words by their
        frequency in the first references.
    won, lost : list of NgramChange
        The n-grams that are in references more often, and less often, than before.
    """

    corpus: str
    sentences: int
    total: int
    digest: str
    metric: str
    signature: str
    higher_is_better: bool
    before: Resampled
    after: Resampled
    lengths: list[Bucket]
    words: list[Bucket]
    won: list[NgramChange]
    lost: list[NgramChange]
    metric_line: str = ""

    @classmethod
    def of_records(
        cls, records: Sequence[dict[str, Any]], corpus: Sequence[Segment], metric: Metric | None, name: str
    ) -> RunChange | None:
        """Compare the translations of records as `sentence_records` returns them; None if there are none.

        Parameters
        ----------
        corpus : sequence of Segment
            The whole set, which the records may be the first of.
        metric : Metric or None
            That of the records.
        name : str
            What the set is.
        """
        if not records:
            return None
        metric = (metric or Bleu()).for_corpus([segment.references for segment in corpus])
        rows = np.array([record["statistics"] for record in records])
        texts = [_Texts.of(record) for record in records]
        won, lost = _ngrams(texts)
        return cls(
            corpus=name,
            sentences=len(records),
            total=len(corpus),
            digest=_digest(records),
            metric=metric.name,
            signature=metric.signature(),
            higher_is_better=metric.higher_is_better,
            before=resample(rows[:, 0], metric),
            after=resample(rows[:, 1], metric),
            lengths=_by_length(texts, rows, metric),
            words=_by_frequency(texts),
            won=won,
            lost=lost,
            metric_line=metric_line(metric),
        )

    @property
    def test(self) -> PairedBootstrap:
        """The paired test of after against before."""
        return compare_resampled(self.before, self.after)

    @property
    def where(self) -> str:
        """What the scores are of, such as ``500 of the 2,000 sentences of the tuning set``."""
        some = "the" if self.sentences == self.total else f"{self.sentences:,} of the"
        sentences = "1 sentence" if self.total == 1 else f"{self.total:,} sentences"
        return f"{some} {sentences} of the {self.corpus}"

    def __str__(self) -> str:
        test = self.test
        scores = f"{test.baseline.value:.2f} → {test.system.value:.2f}"
        return f"{self.metric} of {self.where}: {scores}, difference {test.delta}, p = {test.p_value:.4f}"

    def is_better(self, difference: float) -> bool:
        """Whether a difference of scores is a gain."""
        return difference > 0 if self.higher_is_better else difference < 0


def write_change(folder: Path, change: RunChange) -> None:
    """Write a change to the folder of a run, for its report."""
    with written_whole(folder / CHANGE) as path:
        path.write_text(json.dumps(asdict(change), ensure_ascii=False) + "\n", "utf-8")


def read_change(folder: Path) -> RunChange | None:
    """Read what `write_change` wrote; None if there is no file."""
    path = folder / CHANGE
    if not path.exists():
        return None
    try:
        found: RunChange = from_json(RunChange, parse_json(path.read_text("utf-8"), finite=True), "change")
        if len(found.before.scores) != len(found.after.scores):
            raise ValueError("expected as many scores before as after")
        return found
    except (ValueError, OverflowError) as error:
        message = f"expected the change of a run: {error}; remove the file to go on without"
        raise InputError(message, path=path) from None


class _Texts(NamedTuple):
    """The words of a sentence before and after, and of its references."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    references: list[tuple[str, ...]]

    @classmethod
    def of(cls, record: dict[str, Any]) -> _Texts:
        before, after, references = record.get("words") or (record[name] for name in _TEXTS)
        return cls(split_words(before), split_words(after), [split_words(text) for text in references])


_TEXTS = ("before", "after", "references")


def _digest(records: Iterable[dict[str, Any]]) -> str:
    known = json.dumps([[one["source"], one["references"]] for one in records])
    return sha256(known.encode("utf-8", "surrogatepass")).hexdigest()


def _by_length(texts: Sequence[_Texts], rows: np.ndarray[Any, Any], metric: Metric) -> list[Bucket]:
    found = []
    lengths = np.array([len(one.references[0]) for one in texts])
    for name, inside in _ranges(_LENGTHS):
        chosen = [place for place, length in enumerate(lengths) if inside(length)]
        if chosen:
            before, after = metric.scores(rows[chosen].sum(axis=0))
            found.append(Bucket(name, len(chosen), float(before), float(after)))
    return found


def _by_frequency(texts: Sequence[_Texts]) -> list[Bucket]:
    """Return the F1 of words of each frequency (Neubig et al. 2019, compare-mt)."""
    frequency = Counter(word for one in texts for word in one.references[0])
    wanted = Counter[str]()
    made, right = (Counter[str](), Counter[str]()), (Counter[str](), Counter[str]())
    for one in texts:
        reference = Counter(one.references[0])
        wanted += reference
        for side, words in enumerate((one.before, one.after)):
            counts = Counter(words)
            made[side].update(counts)
            right[side].update(counts & reference)
    found = []
    for name, inside in _ranges(_FREQUENCIES):
        chosen = [word for word, count in frequency.items() if inside(count)]
        size = sum(wanted[word] for word in chosen)
        if chosen:
            scores = []
            for made_here, right_here in zip(made, right, strict=True):
                total = size + sum(made_here[word] for word in chosen)
                scores.append(200 * sum(right_here[word] for word in chosen) / total)
            found.append(Bucket(name, size, *scores))
    return found


def _ngrams(texts: Sequence[_Texts]) -> tuple[list[NgramChange], list[NgramChange]]:
    """Return what was won and lost, ranked by the smoothed ratio of compare-mt, longer n-grams first."""
    right = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for one in texts:
        if one.before == one.after:
            continue
        most = Counter[tuple[str, ...]]()
        for reference in one.references:
            most |= _counts(reference)
        for side, words in enumerate((one.before, one.after)):
            right[side].update(_counts(words) & most)
    changed = [NgramChange(" ".join(one), right[0][one], right[1][one]) for one in right[0] | right[1]]
    won = [one for one in changed if one.after > one.before]
    lost = [one for one in changed if one.after < one.before]

    def rank(one: NgramChange) -> tuple[float, int, str]:
        share = (max(one[1:]) + 1) / (one.before + one.after + 2)
        return -share, -len(one.ngram.split(" ")), one.ngram

    return sorted(won, key=rank)[:_MOST], sorted(lost, key=rank)[:_MOST]


def _counts(words: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(
        tuple(words[begin : begin + size])
        for size in range(1, _ORDER + 1)
        for begin in range(len(words) - size + 1)
    )


def _ranges(bounds: Sequence[int]) -> list[tuple[str, Callable[[int], bool]]]:
    """Return the names of ranges and what is in them: from each bound to the next, and all above the last."""

    def inside(low: int, high: float) -> Callable[[int], bool]:
        return lambda value: low <= value < high

    named = [
        (str(low) if high == low + 1 else f"{low}–{high - 1}", inside(low, high))
        for low, high in pairwise(bounds)
    ]
    return [*named, (f"{bounds[-1]} and more", inside(bounds[-1], float("inf")))]

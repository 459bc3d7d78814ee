"""The interface of every metric: statistics that add up, and a score of their sum.

A metric splits into three steps, as in sacrebleu: the statistics of one hypothesis against its references,
their sum over a corpus, and the score of that sum. Tuning (the pseudo-document), significance tests and
reports need nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta
from numpy.typing import ArrayLike, NDArray

from hopefear.base.errors import AuthorsCode, InputError

Sentence = str | Sequence[str]
"""A sequence of tokens, or a string with tokens separated by white space."""

Tokens = Sequence[str]

References = Annotated[Sequence[Tokens], Meta(min_length=1)]
"""The references of a sentence."""

Statistics = NDArray[np.float64]
"""The statistics of hypotheses: ``(size,)`` for one, ``(..., size)`` for many."""


MAX_ORDER = 100
"""The largest order of n-grams that metrics count."""


def check_order(name: str, order: int, *, least: int = 1) -> None:
    """Refuse an order of n-grams that is too small, or so large that statistics take all memory."""
    if not least <= order <= MAX_ORDER:
        raise ValueError(f"{name} must be from {least} to {MAX_ORDER}, got {order}")


class MetricError(InputError):
    """A metric does not keep the contract, or its code failed."""


def _authors_code(owner: object) -> AuthorsCode:
    kind = type(owner)
    return AuthorsCode(
        kind, lambda what: MetricError(f"metric {kind.__name__}: {what}"), MetricError, WrongSentence
    )


class WrongSentence(ValueError):
    """A metric cannot measure a sentence.

    Attributes
    ----------
    reference : int or None
        The index of the reference that is too long; None if it is the hypothesis.
    sentence : int or None
        The index of the sentence in the corpus, if known.
    """

    def __init__(self, message: str, *, reference: int | None = None, sentence: int | None = None) -> None:
        super().__init__(message)
        self.reference, self.sentence = reference, sentence


class TooLong(WrongSentence):
    """A sentence is too long for a metric."""


def check_words(tokens: Tokens, limit: int, metric: str, reference: int | None = None) -> None:
    """Refuse a hypothesis, or the reference of that index, that has more words than the metric's limit."""
    if len(tokens) > limit:
        name = "hypothesis" if reference is None else "reference"
        raise TooLong(
            f"expected a {name} of at most {limit} words (the limit of {metric}'s --max-words), "
            f"got {len(tokens)} words",
            reference=reference,
        )


def _tokens(sentence: Sentence) -> Tokens:
    if isinstance(sentence, str):
        return sentence.split()
    if not isinstance(sentence, (Sequence, np.ndarray)) or isinstance(sentence, bytes):
        raise TypeError(f"a sentence must be a text or a sequence of words, got {sentence!r}")
    return sentence


def reference_tokens(references: Sequence[Sentence]) -> list[Tokens]:
    """Split the references of one sentence."""
    _refuse_one_text("references", references)
    if len(references) == 0:
        raise ValueError("references must hold at least one sentence, got none")
    return [_tokens(reference) for reference in references]


def _refuse_one_text(name: str, sentences: object) -> None:
    if isinstance(sentences, str):
        raise ValueError(f"{name} must be a sequence of sentences, got the one string {sentences!r}")


def _unnumbered(words: Sequence[str], indptr: NDArray[np.int64], numbers: NDArray[np.int32]) -> list[Tokens]:
    text, ends = [words[number] for number in numbers.tolist()], indptr.tolist()
    return [text[begin:end] for begin, end in pairwise(ends)]


def _checked(statistics: Statistics, dimensions: int) -> Statistics:
    """Refuse statistics of another form."""
    if not isinstance(statistics, np.ndarray) or statistics.ndim != dimensions:
        got = f"shape {statistics.shape}" if isinstance(statistics, np.ndarray) else type(statistics).__name__
        raise TypeError(f"statistics must be an array of {dimensions} dimensions, got {got}")
    return statistics


class PreparedReferences(ABC):
    """The references of one sentence, compiled once so that many hypotheses can be compared with them."""

    @abstractmethod
    def compare(self, hypothesis: Tokens) -> Statistics:
        """The statistics of one hypothesis, shape ``(size,)``, float64."""

    def stats(self, hypothesis: Sentence) -> Statistics:
        """The statistics of one hypothesis, shape ``(size,)``, float64."""
        with _authors_code(self):
            return _checked(self.compare(_tokens(hypothesis)), 1)

    def batch(self, hypotheses: Iterable[Sentence]) -> Statistics:
        """The statistics of at least one hypothesis, shape ``(k, size)``, float64.

        Raises
        ------
        ValueError
            If a single string was given for the sequence of hypotheses.
        """
        _refuse_one_text("hypotheses", hypotheses)
        with _authors_code(self):
            return _checked(self.compare_all([_tokens(hypothesis) for hypothesis in hypotheses]), 2)

    def batch_of_numbers(
        self, words: Sequence[str], indptr: NDArray[np.int64], numbers: NDArray[np.int32]
    ) -> Statistics:
        """The same of hypotheses whose words are numbers, at least one hypothesis.

        Parameters
        ----------
        words : sequence of str
            Different words.
        indptr, numbers : arrays of int64 (k + 1,) and int32 (n,)
            The words of hypothesis j are at ``indptr[j]:indptr[j + 1]``, as indices of `words`.
        """
        if all(len(word.split()) == 1 for word in words):
            with _authors_code(self):
                return _checked(self.compare_numbers(words, indptr, numbers), 2)
        texts = [" ".join(tokens) for tokens in _unnumbered(words, indptr, numbers)]
        return self.batch(texts)  # white space within a word divides it here, too

    def compare_numbers(
        self, words: Sequence[str], indptr: NDArray[np.int64], numbers: NDArray[np.int32]
    ) -> Statistics:
        """Compute `batch_of_numbers`; a metric that needs no texts overrides it."""
        return self.compare_all(_unnumbered(words, indptr, numbers))

    def compare_all(self, hypotheses: list[Tokens]) -> Statistics:
        """Compute `batch`; a metric that can compare many hypotheses at once overrides it."""
        return np.stack([self.compare(hypothesis) for hypothesis in hypotheses])


class Metric(ABC):
    """A corpus metric with additive statistics.

    A new metric defines `size`, `signature`, the comparison with references (`compile`) and the scoring
    formula (`formula`). Scores are in per cent, except those of `Nist`. Metrics are immutable, and metrics
    with equal settings are equal.
    """

    higher_is_better: ClassVar[bool] = True
    """False for error rates."""

    of_words: ClassVar[bool] = True
    """False if texts need not be split into words: for metrics of characters, and of links."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The length of the vector of statistics."""

    @abstractmethod
    def signature(self) -> str:
        """All settings that the score depends on, as ``name|key:value|…``."""

    @property
    def name(self) -> str:
        """The first part of the signature."""
        return self.signature().partition("|")[0]

    @abstractmethod
    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence, at least one."""

    @abstractmethod
    def formula(self, stats: Statistics) -> Statistics:
        """Scores ``(...)`` of statistics ``(..., size)``, whose shape has been checked."""

    def prepare(self, references: Sequence[Sentence]) -> PreparedReferences:
        """Compile the references of one sentence, at least one.

        Raises
        ------
        ValueError
            If there is no reference, or a single string was given for the sequence of references.
        """
        tokens = reference_tokens(references)
        with _authors_code(self):
            return self.compile(tokens)

    def for_corpus(self, references: Iterable[Sequence[Sentence]]) -> Metric:
        """The metric adapted to a whole test set: only `Nist` changes, which weighs n-grams by the test set.

        Parameters
        ----------
        references : iterable of sequences of sentences
            The references of each sentence of the test set; a large set need not be in memory.
        """
        return self

    def stats(self, hypothesis: Sentence, references: Sequence[Sentence]) -> Statistics:
        """The statistics of one hypothesis against its references, shape ``(size,)``, float64."""
        return self.prepare(references).stats(hypothesis)

    def corpus_stats(
        self, hypotheses: Sequence[Sentence], references: Sequence[Sequence[Sentence]]
    ) -> Statistics:
        """The statistics of a corpus, one row per sentence.

        Parameters
        ----------
        hypotheses : sequence of n sentences
        references : sequence of n sequences of sentences
            The references of each hypothesis; their number may differ from sentence to sentence.

        Returns
        -------
        ndarray, shape (n, size), float64

        Raises
        ------
        ValueError
            If the numbers of hypotheses and of lists of references differ, a sentence has no reference, or a
            single string was given for a sequence.
        WrongSentence
            The metric cannot measure a sentence; `TooLong` if it is too long.
        """
        _refuse_one_text("hypotheses", hypotheses)
        _refuse_one_text("references", references)
        if len(hypotheses) != len(references):
            raise ValueError(
                "hypotheses and references must have the same number of sentences, "
                f"got {len(hypotheses)} and {len(references)}"
            )
        metric = self.for_corpus(references)
        stats = np.empty((len(hypotheses), self.size))
        for row, (hypothesis, sentence_references) in enumerate(zip(hypotheses, references, strict=True)):
            try:
                stats[row] = metric.stats(hypothesis, sentence_references)
            except WrongSentence as error:
                error.sentence = row
                raise
        return stats

    def scores(self, stats: ArrayLike) -> Statistics:
        """Score many sums at once: shape ``(..., size)`` to ``(...)``, in per cent.

        Raises
        ------
        ValueError
            If the last axis is not `size` long.
        """
        array = np.asarray(stats, dtype=np.float64)
        if array.ndim == 0 or array.shape[-1] != self.size:
            raise ValueError(f"statistics must be of shape (..., {self.size}), got {array.shape}")
        with _authors_code(self):
            return self.formula(array)

    def score(self, summed: ArrayLike) -> float:
        """Score one sum of statistics, shape ``(size,)``, in per cent."""
        return float(self.scores(summed))

    def quality(self, stats: ArrayLike) -> Statistics:
        """The scores, negated for error rates, so that higher is always better."""
        scores = self.scores(stats)
        return scores if self.higher_is_better else -scores


class MeanOfSentences(Metric):
    """The mean over sentences of a number from 0 to 1; the statistics are ``[number, sentences]``."""

    size = 2

    def formula(self, stats: Statistics) -> Statistics:
        """Score sums of statistics."""
        number, sentences = stats[..., 0], stats[..., 1]
        return 100 * np.divide(number, sentences, out=np.zeros_like(number), where=sentences > 0)

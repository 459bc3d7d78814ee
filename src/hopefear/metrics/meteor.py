"""METEOR (Lavie & Agarwal 2007), with the word matching of NLTK."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from hopefear.base import InputError

from .base import Metric, PreparedReferences, References, Statistics, Tokens


@dataclass(frozen=True, kw_only=True)
class Meteor(Metric):
    """METEOR of 2007, in per cent: words match if they are equal, or their stems are, or they are synonyms.

    With m matches between h words of the hypothesis and r of the reference, in c chunks of neighbours::

        P = m / h, R = m / r, F = P R / (α P + (1 - α) R)
        METEOR = F (1 - γ (c / m)^β)

    The statistics are ``[m, h, r, c]``, of the reference with the best score, so that a corpus is scored by
    its sums. The score of one sentence is that of ``nltk.translate.meteor_score``, which needs ``pip install
    nltk``; words are compared in lower case. cdec runs a later METEOR, a Java program, with other weights.

    Parameters
    ----------
    alpha, beta, gamma : float
        The weights above.
    stemmer : str
        ``porter`` for English, a language of NLTK's SnowballStemmer such as ``german``, or ``none``.
    synonyms : bool
        Whether words of one WordNet synset match; WordNet is downloaded by ``nltk.download("wordnet")``.

    Raises
    ------
    ValueError
        α is not from 0 to 1, or β or γ is negative.
    InputError
        In comparisons: NLTK or WordNet is not there, or there is no such stemmer.
    """

    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5
    stemmer: str = "porter"
    synonyms: bool = False

    def __post_init__(self) -> None:
        if not (0 <= self.alpha <= 1 and self.beta >= 0 and self.gamma >= 0):
            weights = f"{self.alpha}, {self.beta} and {self.gamma}"
            raise ValueError(f"expected alpha from 0 to 1, beta and gamma of at least 0, got {weights}")

    size = 4

    def signature(self) -> str:
        """Describe the metric and its settings."""
        weights = f"{self.alpha:g},{self.beta:g},{self.gamma:g}"
        synonyms = "wordnet" if self.synonyms else "no"
        return f"METEOR|weights:{weights}|stem:{self.stemmer}|synonyms:{synonyms}|case:lc|tok:none"

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        return _MeteorReferences(self, references)

    def formula(self, stats: Statistics) -> Statistics:
        """Score sums of statistics."""
        matches, hypothesis, reference, chunks = np.moveaxis(stats, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision, recall = matches / hypothesis, matches / reference
            mean = precision * recall / (self.alpha * precision + (1 - self.alpha) * recall)
            scores = 100 * mean * (1 - self.gamma * (chunks / matches) ** self.beta)
        return np.asarray(np.where(matches > 0, scores, 0.0))


class _Matching:
    """NLTK's matching of words."""

    def __init__(self, stemmer: str, synonyms: bool) -> None:
        try:
            from nltk.stem import PorterStemmer, SnowballStemmer
            from nltk.translate.meteor_score import align_words
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] != "nltk":
                raise
            raise InputError("Meteor needs NLTK: pip install nltk") from None
        self._align = align_words
        if stemmer == "porter":
            self._stemmer: Any = PorterStemmer()
        elif stemmer == "none":
            self._stemmer = _NoStemmer()
        elif stemmer in SnowballStemmer.languages:
            self._stemmer = SnowballStemmer(stemmer)
        else:
            known = ", ".join(("none", "porter", *SnowballStemmer.languages))
            raise InputError(f"Meteor: expected a stemmer of {known}; got {stemmer!r}")
        self._synonyms: Any = _wordnet() if synonyms else _NoSynonyms()

    def links(self, hypothesis: Tokens, reference: Tokens) -> list[tuple[int, int]]:
        """Return the positions of matching words, in the order of the hypothesis."""
        matches, _, _ = self._align(hypothesis, reference, self._stemmer, self._synonyms)
        return [(int(i), int(j)) for i, j in matches]


_matching = cache(_Matching)


class _NoStemmer:
    def stem(self, word: str) -> str:
        return word


class _NoSynonyms:
    def synsets(self, word: str) -> list[Any]:
        return []


def _wordnet() -> Any:
    from nltk.corpus import wordnet

    try:
        wordnet.ensure_loaded()
    except LookupError:
        message = "Meteor: synonyms need WordNet: python -c 'import nltk; nltk.download(\"wordnet\")'"
        raise InputError(message) from None
    return wordnet


class _MeteorReferences(PreparedReferences):
    """The references of one sentence."""

    def __init__(self, metric: Meteor, references: Sequence[Tokens]) -> None:
        self._metric, self._references = metric, references
        self._matching = _matching(metric.stemmer, metric.synonyms)

    def compare(self, hypothesis: Tokens) -> Statistics:
        rows = np.array([self._against(hypothesis, reference) for reference in self._references])
        best: Statistics = rows[np.argmax(self._metric.scores(rows))]
        return best

    def _against(self, hypothesis: Tokens, reference: Tokens) -> list[float]:
        links = self._matching.links(hypothesis, reference)
        breaks = sum(after != (i + 1, j + 1) for (i, j), after in pairwise(links))
        return [len(links), len(hypothesis), len(reference), breaks + bool(links)]

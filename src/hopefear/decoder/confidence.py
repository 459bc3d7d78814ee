"""Confidence: how probable it is that an editor keeps a word, by what a forest says of it.

A word of a translation is probable if most derivations have it, and have it beside the same words. Posteriors
under p(d) ∝ exp(scale · w·f) say so; their log-odds, each times a coefficient, are the log-odds of the
confidence. Scale and coefficients are learned from corrections.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.edits import fewest_edits
from hopefear.base.errors import InputError
from hopefear.base.files import read_packed, written_whole
from hopefear.base.stored import json_bytes, parse_json
from hopefear.base.texts import split_words
from hopefear.base.typed import typed

from .consensus import deviation

SCALES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
"""The scales that learning tries."""

DENSITY = 50.0
"""Edges of a forest that count, for each edge of its best derivation."""

_LEAST = 1e-3  # a posterior and its complement are at least this, or log-odds had no bounds
_RIDGE = 1.0


@dataclass(frozen=True, kw_only=True)
class Confidence:
    """How the confidence of a word follows from its posteriors.

    The default values were learned on four development sets, see ``docs/decisions/confidence.md``.

    Parameters
    ----------
    scale : float
        The factor of scores, in units of the standard deviation of a forest's scores.
    constant : float
        Of the sum of log-odds.
    word : float
        Coefficient of the posterior of the word anywhere in the translation.
    context : float
        Coefficient of the posteriors of the word with the word before it, and with the word behind it; the
        mean of their log-odds.
    """

    scale: float = 2.0
    constant: float = -0.88
    word: float = 0.15
    context: float = 0.21

    @classmethod
    def beside(cls, weights: str | os.PathLike[str] | None) -> Confidence:
        """Read what was learned for a file of weights; the default if nothing was.

        Raises
        ------
        InputError
            The file beside the weights is wrong.
        """
        path = None if weights is None else file_beside(weights)
        if path is None or not path.exists():
            return cls()
        try:
            return typed(cls, parse_json(read_packed(path), finite=True))
        except ValueError as error:
            raise InputError(f"expected scale and coefficients as JSON: {error}", path=path) from None

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file that `beside` reads."""
        with written_whole(path) as part:
            part.write_bytes(json_bytes(asdict(self)))

    def of(self, evidence: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the confidence of words whose log-odds are the rows of an array, see `Evidence`."""
        coefficients = np.array([self.word, self.context])
        return np.asarray(1 / (1 + np.exp(-(self.constant + evidence @ coefficients))))


def file_beside(weights: str | os.PathLike[str]) -> Path:
    """Return the name of the file with what was learned for a file of weights."""
    path = Path(weights)
    return path.with_name(path.name + ".confidence")


class Evidence:
    """What a forest says of the words of derivations."""

    def __init__(self, forest: _native.Forest) -> None:
        self._forest = _native.prune(forest, beam=0, density=DENSITY)
        self._ngrams = _native.NgramForest(self._forest, order=2, pop_limit=0)
        self._deviation = deviation(self._forest)

    def log_odds(
        self, forest: _native.Forest, derivation: NDArray[np.int32], scale: float
    ) -> NDArray[np.float64]:
        """Return log-odds of the posteriors of each word of a derivation: word and context; shape (n, 2)."""
        words = split_words(_native.target_text(forest, derivation))
        factor = scale / self._deviation
        posteriors = self._ngrams.posteriors(factor, negligible=_LEAST)
        posterior = dict(zip(self._ngrams.texts(), posteriors.tolist(), strict=True))
        alone = np.array([posterior.get(word, 0.0) for word in words])
        pairs = [posterior.get(f"{a} {b}", 0.0) for a, b in pairwise(words)]
        beside = _log_odds(np.array([1.0, *pairs, 1.0]))
        context = (beside[: len(words)] + beside[1 : len(words) + 1]) / 2
        return np.stack([_log_odds(alone), context], axis=1)


def _log_odds(posteriors: NDArray[np.float64]) -> NDArray[np.float64]:
    bounded = np.clip(posteriors, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(bounded / (1 - bounded)))


@dataclass(frozen=True)
class RatedTranslation:
    """The words of one translation, and which of them its reference keeps."""

    evidence: NDArray[np.float64]
    kept: NDArray[np.bool_]

    @classmethod
    def of(
        cls, forest: _native.Forest, references: Sequence[str], scales: Sequence[float] = SCALES
    ) -> RatedTranslation:
        """Compare the best derivation of a forest with references."""
        best = _native.viterbi(forest)
        evidence = Evidence(forest)
        words = split_words(_native.target_text(forest, best))
        kept = kept_words(words, [split_words(reference) for reference in references])
        return cls(np.stack([evidence.log_odds(forest, best, scale) for scale in scales]), kept)


def learn_confidence(examples: Iterable[RatedTranslation]) -> Confidence:
    """Learn scale and coefficients by the likelihood of what was kept (logistic regression)."""
    examples = list(examples)
    kept = np.concatenate([np.zeros(0, np.bool_), *(example.kept for example in examples)])
    if kept.all() or not kept.any():
        raise ValueError("expected words that references keep and words that they do not")
    best, chosen = -np.inf, Confidence()
    for index, scale in enumerate(SCALES):
        rows = np.concatenate([example.evidence[index] for example in examples])
        likelihood, weights = _logistic(rows, kept)
        if likelihood > best:
            best, (constant, word, context) = likelihood, weights
            chosen = Confidence(scale=scale, constant=constant, word=word, context=context)
    return chosen


def _logistic(rows: NDArray[np.float64], kept: NDArray[np.bool_]) -> tuple[float, list[float]]:
    """Fit a logistic regression with a constant by Newton's method; return its log-likelihood, too."""
    columns = np.column_stack([np.ones(len(rows)), rows])
    weights, ridge = np.zeros(columns.shape[1]), _RIDGE * np.eye(columns.shape[1])
    ridge[0, 0] = 0.0
    for _ in range(100):
        probabilities = 1 / (1 + np.exp(-columns @ weights))
        gradient = columns.T @ (kept - probabilities) - ridge @ weights
        curvature = (columns * (probabilities * (1 - probabilities))[:, None]).T @ columns + ridge
        step = np.linalg.solve(curvature, gradient)
        weights += step
        if np.abs(step).max() < 1e-9:
            break
    margins = np.where(kept, 1.0, -1.0) * (columns @ weights)
    return float(-np.logaddexp(0, -margins).sum()), weights.tolist()


def kept_words(words: Sequence[str], references: Sequence[Sequence[str]]) -> NDArray[np.bool_]:
    """Mark the words that stay on a shortest way of edits to the nearest of some references."""
    _, places = min((fewest_edits(words, reference) for reference in references), key=itemgetter(0))
    kept = np.zeros(len(words), np.bool_)
    kept[[place for place, _ in places]] = True
    return kept


# how good confidences are

BINS = 10


def area_under_curve(scores: NDArray[np.float64], kept: NDArray[np.bool_]) -> float:
    """Return the probability that a kept word has a higher score than another word, ties counted half."""
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    good = int(kept.sum())
    bad = len(kept) - good
    if not good or not bad:
        return float("nan")
    return float((ranks[kept].sum() - good * (good + 1) / 2) / (good * bad))


def reliability(
    confidences: NDArray[np.float64], kept: NDArray[np.bool_]
) -> list[tuple[float, float, int, float, float]]:
    """Return of each bin its bounds, its words, their mean confidence and the share that is kept."""
    bins = np.minimum((confidences * BINS).astype(int), BINS - 1)
    rows = []
    for each in np.unique(bins).tolist():
        inside = bins == each
        mean, share = float(confidences[inside].mean()), float(kept[inside].mean())
        rows.append((each / BINS, (each + 1) / BINS, int(inside.sum()), mean, share))
    return rows


def calibration_error(confidences: NDArray[np.float64], kept: NDArray[np.bool_]) -> float:
    """Return the expected calibration error: the mean distance of confidence and share over the bins."""
    bins = reliability(confidences, kept)
    return sum(words * abs(mean - share) for _, _, words, mean, share in bins) / max(len(kept), 1)

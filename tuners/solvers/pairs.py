"""Updates from pairs of an oracle and another translation (Watanabe, Suzuki, Tsukada & Isozaki 2007)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy  # imports sparse when it is first used

from hopefear import _native
from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import KBestList

from ..contract import Step
from .margin import MAX_STEPS, TOLERANCE


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of translations of which the model is to prefer the first, each with a slack of its own."""

    translations: KBestList
    oracle: Ints
    other: Ints
    loss: Floats

    @staticmethod
    def of(sentences: list[tuple[KBestList, KBestList, Floats]]) -> Pairs:
        """Return the pairs of some sentences, each with its oracles, the others, and the loss (m, k).

        Where the loss is not above 0 there is nothing to learn, and no pair.
        """
        begin, oracle, other = 0, [], []
        for oracles, others, loss in sentences:
            row, column = np.nonzero(loss > 0)
            oracle.append(begin + row)
            other.append(begin + len(oracles) + column)
            begin += len(oracles) + len(others)
        return Pairs(
            KBestList.concatenate([x for oracles, others, _ in sentences for x in (oracles, others)]),
            np.concatenate(oracle).astype(np.int64),
            np.concatenate(other).astype(np.int64),
            np.concatenate([loss[loss > 0] for _, _, loss in sentences]),
        )


def pair_update(pairs: Pairs, weights: Floats, rule: str, C: float) -> Step:
    """Return the change Σ α(ê, e') (h(ê) - h(e'))."""
    translations = pairs.translations
    features, columns = np.unique(translations.features, return_inverse=True)
    h = scipy.sparse.csr_matrix(
        (translations.values, columns, translations.indptr), shape=(len(translations), len(features))
    )
    score = h @ weights[features]
    margin = score[pairs.oracle] - score[pairs.other]
    alpha, steps = PAIR_UPDATES[rule](pairs, h, score, C)
    coefficients = np.bincount(pairs.oracle, alpha, len(translations))
    coefficients -= np.bincount(pairs.other, alpha, len(translations))
    change = coefficients @ h
    moved = np.flatnonzero(change)
    hinge = float(np.maximum(pairs.loss - margin, 0.0).sum())
    return Step(features[moved].astype(np.int64), change[moved], hinge, steps)


_Alpha = tuple[Floats, int]


def _margin(pairs: Pairs, h: scipy.sparse.csr_matrix, score: Floats, C: float) -> _Alpha:
    # SMO sees each pair as a sentence of two hypotheses, which gives it a slack of its own.
    rows = np.stack((pairs.oracle, pairs.other), axis=1).ravel()
    kernel = (h @ h.T).toarray()
    begin = np.arange(0, len(rows) + 1, 2, dtype=np.int64)
    loss = np.stack((np.zeros(len(pairs.loss)), pairs.loss), axis=1).ravel()
    alpha, steps, _ = _native.smo(
        np.ascontiguousarray(kernel[np.ix_(rows, rows)]),
        loss,
        score[rows],
        begin,
        begin[:-1],
        C=C,
        tolerance=TOLERANCE,
        max_steps=MAX_STEPS,
    )
    return alpha[1::2], steps


def _perceptron(pairs: Pairs, h: scipy.sparse.csr_matrix, score: Floats, C: float) -> _Alpha:
    return (score[pairs.oracle] <= score[pairs.other]).astype(np.float64), 1


def _sgd(pairs: Pairs, h: scipy.sparse.csr_matrix, score: Floats, C: float) -> _Alpha:
    return C * pairs.loss * np.maximum(1 - (score[pairs.oracle] - score[pairs.other]), 0.0), 1


PAIR_UPDATES: dict[str, Callable[[Pairs, scipy.sparse.csr_matrix, Floats, float], _Alpha]] = {
    "margin": _margin,
    "perceptron": _perceptron,
    "sgd": _sgd,
}
"""How α is computed, by the value of the setting `step` of `OnlineLargeMargin`."""

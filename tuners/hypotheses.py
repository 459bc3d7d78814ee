"""Hope, best and fear: what a tuner reads off a forest (Chiang, Marton & Resnik 2008, section 2.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import BleuOracle, Hypergraph, InputError, KBestList, Segment, best_translations
from hopefear.metrics import PreparedReferences, PseudoDocument

from .base import TuningError
from .margin import Constraints


@dataclass(frozen=True, slots=True)
class ScoredList:
    """Translations of a sentence with their scores.

    Attributes
    ----------
    translations : KBestList
        k texts and feature vectors.
    statistics : array of float64, shape (k, metric.size)
        c(e) with clipped matches.
    B : array of float64, shape (k,)
        Equation 8.
    model : array of float64, shape (k,)
        h(e)·w.
    """

    translations: KBestList
    statistics: NDArray[np.float64]
    B: NDArray[np.float64]
    model: NDArray[np.float64]

    def __len__(self) -> int:
        """Count the translations."""
        return len(self.translations)

    def objective(self, mu: float) -> NDArray[np.float64]:
        """Equation 11, B(e) - μ(B(e) - h(e)·w), shape (k,); for μ = ∞ its limit over μ."""
        if math.isinf(mu):
            return self.model - self.B
        return (1 - mu) * self.B + mu * self.model

    def ranked(self, mu: float, k: int) -> ScoredList:
        """Give the k best by equation 11, best first."""
        rows = np.argsort(-self.objective(mu), kind="stable")[:k]
        return ScoredList(self.translations.take(rows), self.statistics[rows], self.B[rows], self.model[rows])


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The hypotheses of one sentence, each list best first.

    Attributes
    ----------
    segment : Segment
        The sentence.
    best : ScoredList
        The k best by the model.
    hope : ScoredList
        By equation 11 with the μ of hope; the first is e*, the oracle translation.
    fear : ScoredList
        By equation 11 with the μ of fear.
    """

    segment: Segment
    best: ScoredList
    hope: ScoredList
    fear: ScoredList

    def constraints(self) -> Constraints:
        """Give all of them as constraints, the loss of each as equation 9 has it."""
        lists = (self.hope, self.best, self.fear)
        B = np.concatenate([x.B for x in lists])
        together = KBestList.concatenate([x.translations for x in lists])
        return Constraints(together.indptr, together.features, together.values, B[0] - B, 0)


def find_hypotheses(
    forest: Hypergraph,
    segment: Segment,
    references: PreparedReferences,
    document: PseudoDocument,
    *,
    k: int,
    hope_mu: float,
    fear_mu: float,
    pop_limit: int,
) -> Hypotheses:
    """Find the k best translations by the model, by equation 11 with `hope_mu`, and with `fear_mu`.

    The forest is searched with unclipped counts, and what is found there then ranked with exact ones; the
    k best by the model take part, so that the oracle is never worse than the 1-best.

    Parameters
    ----------
    references : PreparedReferences
        Those of the segment, for the document's metric.
    document : PseudoDocument
        O and O_f, of BLEU of order 4.

    Raises
    ------
    TuningError
        No derivation has a score.
    """
    weights = forest.weights.array
    length = forest.source_length

    def scored(translations: KBestList) -> ScoredList:
        statistics = references.batch(translations.texts)
        B = document.B(statistics, length)
        return ScoredList(translations, statistics, B, translations.scores(weights))

    found = best_translations(forest, k)
    if not len(found):
        raise TuningError(
            f"no derivation of segment {segment.id} has a finite score: "
            "a weight or a feature value is infinite or no number"
        )
    best = scored(found)
    oracle = BleuOracle(
        segment.references,
        document.statistics,
        document.source_length,
        reference_length=float(best.statistics[0, 1]),
    )

    def rescored(mu: float) -> ScoredList:
        found = best_translations(oracle.rescore(forest, mu, pop_limit=pop_limit), k)
        known = set(found.texts)
        others = [row for row, text in enumerate(best.translations.texts) if text not in known]
        both = KBestList.concatenate([found, best.translations.take(others)])
        return scored(both).ranked(mu, k)

    return Hypotheses(segment, best, rescored(hope_mu), rescored(fear_mu))


def check_references(corpus: Sequence[Segment]) -> None:
    """Refuse segments that nothing can be learned from.

    Raises
    ------
    InputError
        There is no segment, or one has no reference.
    """
    if not corpus:
        raise InputError("expected at least one segment with a reference, got none")
    for segment in corpus:
        if not segment.references:
            raise InputError(f"expected a reference of segment {segment.id}, got none", path=segment.where)

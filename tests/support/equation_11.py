"""Equation 11 of Chiang, Marton & Resnik (2008) for one translation, in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Hypergraph


def ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def unclipped_b(
    text: str, references: Sequence[str], document: NDArray[np.float64], source_length: float
) -> float:
    """B of equation 8 with every n-gram that stands in a reference counted as a match.

    The source length is that of the pseudo-document with the sentence.
    """
    tokens = text.split()
    counts = [float(len(tokens)), float(min(len(r.split()) for r in references))]
    matches = []
    for n in range(1, 5):
        own = ngrams(tokens, n)
        known = set().union(*(ngrams(r.split(), n) for r in references))
        counts.append(float(sum(own.values())))
        matches.append(float(sum(c for ngram, c in own.items() if ngram in known)))
    total = document + np.array(counts + matches)
    precision = float(np.mean(np.log(total[6:10] / total[2:6])))
    return source_length * math.exp(precision + min(0.0, 1 - total[1] / total[0]))


def objective(b: float, model: float, mu: float) -> float:
    return model - b if math.isinf(mu) else (1 - mu) * b + mu * model


def best_objectives(
    forest: Hypergraph, references: Sequence[str], document: NDArray[np.float64], length: float, mu: float
) -> dict[str, float]:
    """The highest objective of each translation of a forest; the length is that of the document's sources."""
    values: dict[str, float] = {}
    for derivation in forest.derivations(2000):
        text = forest.text(derivation)
        b = unclipped_b(text, references, document, length + forest.source_length)
        values[text] = max(objective(b, forest.score(derivation), mu), values.get(text, -math.inf))
    return values

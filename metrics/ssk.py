"""The string subsequence kernel over words as a metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.metrics.base import Metric, PreparedReferences, Statistics, Tokens


@dataclass(frozen=True, kw_only=True)
class Ssk(Metric):
    """Mean over sentences of the similarity to the most similar reference, from 0 to 100; cdec's SSK.

    The similarity of two sentences depends on the subsequences of 1 to `order` words that they share, gaps
    allowed: each pair of occurrences adds `decay` to the power of the lengths of both spans. The sum over all
    pairs, K(s, t), is normalised: K(s, t) / √(K(s, s) K(t, t)) (Lodhi, Saunders, Shawe-Taylor, Cristianini &
    Watkins 2002, with the lengths summed). The similarity to a sentence without words is 0. The statistics
    are ``[similarity, sentences]``.

    Parameters
    ----------
    order : int
        Longest subsequence.
    decay : float
        Weight of each word of a span, above 0 and at most 1.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    order: int = 4
    decay: float = 0.8

    def __post_init__(self) -> None:
        if self.order < 1:
            raise ValueError(f"order must be at least 1, got {self.order}")
        if not 0 < self.decay <= 1:
            raise ValueError(f"decay must be above 0 and at most 1, got {self.decay}")

    @property
    def size(self) -> int:
        """Return the length of the statistics vector."""
        return 2

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return f"SSK|order:{self.order}|decay:{self.decay}|case:mixed|tok:none"

    def _prepare(self, references: Sequence[Tokens]) -> PreparedReferences:
        return _SskReferences(references, self.order, self.decay)

    def _scores(self, stats: Statistics) -> Statistics:
        similarity, sentences = stats[..., 0], stats[..., 1]
        return 100 * np.divide(similarity, sentences, out=np.zeros_like(similarity), where=sentences > 0)


class _SskReferences(PreparedReferences):
    """The references of one sentence with the kernel of each with itself."""

    def __init__(self, references: Sequence[Tokens], order: int, decay: float) -> None:
        self._order = order
        self._decay = decay
        self._references = [(reference, self._kernel(reference, reference)) for reference in references]

    def _kernel(self, left: Tokens, right: Tokens) -> float:
        return subsequence_kernel(left, right, self._order, self._decay)

    def _stats(self, hypothesis: Tokens) -> Statistics:
        own = self._kernel(hypothesis, hypothesis)
        similarity = 0.0
        for reference, reference_own in self._references:
            if own and reference_own:
                kernel = self._kernel(hypothesis, reference) / np.sqrt(own * reference_own)
                similarity = max(similarity, kernel)
        return np.array([similarity, 1.0])


def subsequence_kernel(left: Tokens, right: Tokens, order: int, decay: float) -> float:
    """Sum of decay^(span in left + span in right) over pairs of equal subsequences of 1…order tokens."""
    if not left or not right:
        return 0.0
    match = decay**2 * np.array([[a == b for b in right] for a in left], dtype=np.float64)
    before_left, before_right = _gaps(len(left), decay), _gaps(len(right), decay).T
    kernel = 0.0
    ending = match  # [j, k]: pairs of subsequences of the current length that end in tokens j and k
    for _ in range(order):
        kernel += float(ending.sum())
        ending = match * (before_left @ ending @ before_right)
    return kernel


def _gaps(length: int, decay: float) -> NDArray[np.float64]:
    """[j, i] the weight of the tokens between i and j, decay^(j-i-1), where i comes before j; else 0."""
    token = np.arange(length)
    distance = token[:, None] - token
    weights: NDArray[np.float64] = np.tril(decay ** np.maximum(distance - 1, 0), k=-1)
    return weights

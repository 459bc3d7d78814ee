"""The string subsequence kernel over words as a metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .base import MeanOfSentences, PreparedReferences, References, Statistics, Tokens, check_order


@dataclass(frozen=True, kw_only=True)
class Ssk(MeanOfSentences):
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
        check_order("order", self.order)
        if not 0 < self.decay <= 1:
            raise ValueError(f"decay must be above 0 and at most 1, got {self.decay}")

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return f"SSK|order:{self.order}|decay:{self.decay}|case:mixed|tok:none"

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        return _SskReferences(references, self.order, self.decay)


class _SskReferences(PreparedReferences):
    """The references of one sentence with the kernel of each with itself."""

    def __init__(self, references: Sequence[Tokens], order: int, decay: float) -> None:
        self._order = order
        self._decay = decay
        self._references = [(reference, self._kernel(reference, reference)) for reference in references]

    def _kernel(self, left: Tokens, right: Tokens) -> float:
        return subsequence_kernel(left, right, self._order, self._decay)

    def compare(self, hypothesis: Tokens) -> Statistics:
        norm = self._kernel(hypothesis, hypothesis)
        similarity = 0.0
        for reference, reference_norm in self._references:
            if norm and reference_norm:
                kernel = self._kernel(hypothesis, reference) / np.sqrt(norm * reference_norm)
                similarity = max(similarity, kernel)
        return np.array([similarity, 1.0])


def subsequence_kernel(
    left: Tokens, right: Tokens, order: int, decay: float, *, block: int = 1 << 18
) -> float:
    """Sum of decay^(span in left + span in right) over pairs of equal subsequences of 1…order tokens.

    The weighted sum over all pairs of tokens before a pair is a running sum in both directions. At most
    `block` pairs of tokens, and one row of them, are held in memory.
    """
    from scipy.signal import lfilter

    if not left or not right:
        return 0.0
    numbers = {token: number for number, token in enumerate({*left, *right})}
    rows = np.array([numbers[token] for token in left])
    columns = np.array([numbers[token] for token in right])
    # By length of the subsequences: the running sums at the last row of the block before.
    above = np.zeros((order, 1, len(right)))
    kernel = 0.0
    height = max(1, block // len(right))
    for first in range(0, len(left), height):
        match = decay**2 * (rows[first : first + height, None] == columns)
        ending = match  # [j, k]: pairs of subsequences of the current length that end in tokens j and k
        for length in range(order):
            kernel += float(ending.sum())
            # [j, k]: the sum of decay^(j-i + k-l) ending[i, l] over i <= j and l <= k
            sums = lfilter([1.0], [1.0, -decay], ending, axis=1)
            sums, _ = lfilter([1.0], [1.0, -decay], sums, axis=0, zi=decay * above[length])
            ending = np.zeros_like(match)
            ending[:, 1:] = match[:, 1:] * np.concatenate((above[length], sums[:-1]))[:, :-1]
            above[length] = sums[-1:]
    return kernel

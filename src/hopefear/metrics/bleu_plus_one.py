"""BLEU+1 of sentences (Lin & Och 2004), with the corrections of Nakov, Guzmán & Vogel 2012."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .base import Metric, PreparedReferences, References, Statistics
from .bleu import Bleu, EffectiveReferenceLength, log_brevity_penalty, log_precision


@dataclass(frozen=True, kw_only=True)
class BleuPlusOne(Metric):
    """BLEU+1, from 0 to 100; the statistics are those of `Bleu`.

    With h and r the lengths of hypothesis and reference, c_n the n-grams and m_n the matches, N the order::

        BP · P,  BP = min(1, exp(1 - r/h)),  P = (m_1/c_1 · Π_{n>1} (m_n + 1)/(c_n + 1))^(1/N)

    This is ``Bleu(smoothing="add-one")``. Tuning towards it makes translations too short: smoothing raises P
    but not BP, and a hypothesis with few matches gets a high score (Nakov, Guzmán & Vogel 2012). Two of their
    corrections are available; Flanigan, Dyer & Carbonell 2013, section 6, use both.

    Parameters
    ----------
    order : int
        Longest n-gram.
    effective_reference_length : {"closest", "shortest", "average"}
        The length that counts if there are several references, see `Bleu`.
    smooth_brevity : bool
        Add one to the length of the reference too: BP = min(1, exp(1 - (r + 1)/h)).
    grounded : bool
        Smooth all orders, and subtract the precision that the hypothesis would have without any match, so
        that the score starts at 0: P = (Π (m_n + 1)/(c_n + 1))^(1/N) - (Π 1/(c_n + 1))^(1/N).

    Raises
    ------
    ValueError
        If the order is below 1 or the effective reference length is unknown.
    """

    order: int = 4
    effective_reference_length: EffectiveReferenceLength = "closest"
    smooth_brevity: bool = False
    grounded: bool = False

    def __post_init__(self) -> None:
        self._bleu()  # checks the settings that both metrics have

    def _bleu(self) -> Bleu:
        return Bleu(
            order=self.order,
            effective_reference_length=self.effective_reference_length,
            smoothing="add-one",
        )

    @property
    def size(self) -> int:
        """Return the length of the statistics vector."""
        return 2 + 2 * self.order

    def signature(self) -> str:
        """Describe the metric and its settings."""
        brevity, grounded = ("yes" if choice else "no" for choice in (self.smooth_brevity, self.grounded))
        return (
            f"BLEU+1|order:{self.order}|reflen:{self.effective_reference_length}"
            f"|case:mixed|tok:none|smoothbp:{brevity}|grounded:{grounded}"
        )

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        return self._bleu().prepare(references)

    def formula(self, stats: Statistics) -> Statistics:
        """Score sums of statistics."""
        length, reference_length = stats[..., 0], stats[..., 1]
        counts, matches = stats[..., 2 : 2 + self.order], stats[..., 2 + self.order :]
        penalty = log_brevity_penalty(length, reference_length + self.smooth_brevity)
        if self.grounded:
            precision = np.exp(log_precision(counts + 1, matches + 1))
            ground = np.exp(log_precision(counts + 1, np.ones_like(matches)))
            return 100 * (precision - ground) * np.exp(penalty)
        extra = np.arange(self.order) > 0
        return 100 * np.exp(log_precision(counts + extra, matches + extra) + penalty)

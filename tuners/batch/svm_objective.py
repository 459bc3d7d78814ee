"""The objectives of the structural SVM with the metric as its loss (Hayashi et al. 2009, section 4)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import sweep_lines
from hopefear.metrics import Statistics, SubstitutedDocument

from ..contract import TuningError
from ..pool import Candidates, greedy_configuration, sentence_scores

Pieces = slice | list[int]
Number = TypeVar("Number", float, Floats)

NEAR = 1e-6
"""By which part of an infimum that is not reached a step may be above it."""


class SvmObjective(ABC):
    """λ/2 ‖w‖² and a hinge, as a function of the scores of a pool's candidates relative to the oracles'.

    Relative scores are -⟨w, δh⟩ = h(ê)·w - h(e*)·w. All losses are parts of 1, times Q, where the metric is
    in per cent.
    """

    JUMPS: ClassVar[bool]
    """Whether the value along a line jumps where another candidate becomes the best."""

    def __init__(self, pool: Candidates, oracle: Ints, lam: float, Q: float) -> None:
        self.pool, self.oracle, self.lam, self.Q = pool, oracle, lam, Q
        self.oracle_of = np.repeat(oracle, pool.counts[pool.counts > 0])
        self._quality = float(pool.metric.quality(pool.statistics[oracle].sum(axis=0)))

    def relative(self, scores: Floats) -> Floats:
        """Subtract the score of the segment's oracle, shape (n,)."""
        return scores - scores[self.oracle_of]

    @cached_property
    def losses(self) -> Floats:
        """Δ(e*, ê) of each candidate, shape (n,): of the oracles' document with it instead of the oracle."""
        document = SubstitutedDocument(self.pool.metric, self.pool.statistics[self.oracle])
        losses = np.empty(len(self.pool))
        for place, segment in enumerate(np.flatnonzero(self.pool.counts)):
            own = slice(self.pool.offsets[segment], self.pool.offsets[segment + 1])
            losses[own] = document.losses(place, self.pool.statistics[own])
        return self.Q / 100 * losses

    def corpus_loss(self, sums: Statistics) -> Floats:
        """Δ of whole configurations, of sums of statistics (..., size): shape (...)."""
        loss: Floats = self.Q / 100 * (self._quality - self.pool.metric.quality(sums))
        return loss

    @abstractmethod
    def value(self, relative: Floats, square: float) -> float:
        """Return what the line search makes small, of relative scores (n,) and ‖w‖²."""

    @abstractmethod
    def most_violated(self, relative: Floats) -> Ints:
        """Return the row of a candidate of each segment: those whose constraints are violated most."""

    @abstractmethod
    def _pieces(self, slopes: Floats, relative: Floats) -> tuple[Floats, Floats, Floats]:
        """Return boundaries (b,), and the hinge's intercepts and slopes (b + 1,) between them."""

    def minimize_along(
        self,
        slopes: Floats,
        relative: Floats,
        square: float,
        product: float,
        length: float,
    ) -> tuple[float, float]:
        """Find the infimum along a line w + x d (algorithms 3 and 4), and a step that reaches it.

        Between two boundaries the objective is a parabola, plus a line where that is above 0, whose least
        value is known in closed form. An objective that jumps at boundaries may have its infimum at a
        boundary and not reach it: then the step is as far inside the interval as the value allows, at most
        `NEAR` above the infimum. (Algorithm 4 steps ε beside the boundary, whatever the width of the
        interval.) Values at the boundaries themselves, where candidates are equally good, do not count.
        """
        if not (np.all(np.isfinite(slopes)) and np.all(np.isfinite(relative))):
            raise TuningError("the score of a candidate is not finite: scale the features down")
        boundaries, intercept, slope = self._pieces(slopes, relative)
        edges = np.concatenate(([-np.inf], boundaries, [np.inf]))

        def on_pieces(steps: Floats, pieces: Pieces) -> Floats:
            hinge = np.maximum(0.0, intercept[pieces] + steps * slope[pieces])
            values: Floats = self._regulariser(steps, square, product, length) + hinge
            return values

        bare = np.full_like(slope, -product / length)
        root = np.divide(-intercept, slope, out=bare.copy(), where=slope != 0)
        steps = np.clip(np.stack((bare, bare - slope / (self.lam * length), root)), edges[:-1], edges[1:])
        values = on_pieces(steps, slice(None))
        which = values.argmin(axis=0), np.arange(len(slope))
        steps, infima = steps[which], values[which]
        found, least = 0.0, np.inf
        # Rounding can make up an interval between boundaries that are the same: then the next best is taken.
        for piece in np.argsort(infima, kind="stable").tolist():
            limit = float(infima[piece]) * (1 + NEAR)
            if least <= limit:
                break
            step = float(steps[piece])
            if self.JUMPS and step in (edges[piece], edges[piece + 1]):
                inwards = 0.5 if step == edges[piece] else -0.5
                room = float(edges[piece + 1] - edges[piece])
                inwards *= room if np.isfinite(room) else 1.0
                while on_pieces(np.array([step + inwards]), [piece])[0] > limit:
                    inwards /= 2
                step += inwards
            there = float(self._regulariser(step, square, product, length))
            value = self.value(relative + step * slopes, 2 / self.lam * there)
            if value < least:
                found, least = step, value
        return found, least

    def _regulariser(self, step: Number, square: float, product: float, length: float) -> Number:
        """Return λ/2 ‖w + x d‖²."""
        return self.lam / 2 * (square + 2 * step * product + step**2 * length)


class SentenceSlack(SvmObjective):
    """λ/2 ‖w‖² + 1/S Σ_s ξ_s: equation 4 with margin-rescaling by the loss of section 4.2.1."""

    JUMPS = False

    def value(self, relative: Floats, square: float) -> float:
        """Return the objective; the oracle is a candidate too, so that no slack is below 0."""
        violations = self.losses + relative
        return self.lam / 2 * square + float(violations[self.pool.best(violations)].mean())

    def most_violated(self, relative: Floats) -> Ints:
        """Return argmax Δ(e*, ê) - ⟨w, δh⟩ of each segment (equation 5)."""
        return self.pool.best(self.losses + relative)

    def _pieces(self, slopes: Floats, relative: Floats) -> tuple[Floats, Floats, Floats]:
        violations = self.losses + relative
        lines = np.stack((violations, slopes), axis=1)
        boundaries, sums = sweep_lines(slopes, violations, self.pool.offsets, lines)
        intercept, slope = sums.T / len(self.oracle)
        return boundaries, intercept, slope


class SentenceLoss(SentenceSlack):
    """The same with a loss of the sentence alone: its oracle's score minus the candidate's."""

    @cached_property
    def losses(self) -> Floats:
        """Return what each candidate's own score lacks, shape (n,)."""
        scores = sentence_scores(self.pool)
        losses: Floats = self.Q * (scores[self.oracle_of] - scores)
        return losses


class OneSlack(SvmObjective):
    """λ/2 ‖w‖² + ξ with the loss of the whole corpus (equation 7).

    The value is that of algorithm 4: its constraint is the configuration of the best candidates by the model,
    as in MERT. The oracle may be among them, as it is in C^S of equation 7.
    """

    JUMPS = True

    def value(self, relative: Floats, square: float) -> float:
        """Return the objective with the constraint of the 1-best configuration."""
        return self.lam / 2 * square + max(0.0, self.violation(self.pool.best(relative), relative))

    def violation(self, rows: Ints, relative: Floats) -> float:
        """Return Δ(e*, ê) - 1/S Σ ⟨w, δh⟩ of a configuration."""
        loss = self.corpus_loss(self.pool.statistics[rows].sum(axis=0))
        return float(loss) + float(relative[rows].mean())

    def most_violated(self, relative: Floats) -> Ints:
        """Return the configuration that violates its constraint most, as far as greedy search finds it.

        The loss of the corpus is about the sum of the losses of the sentences, so that the search starts
        where that is highest (algorithm 2, line 6), and goes on with the exact loss.
        """
        bonus = relative / len(self.oracle)
        start = self.pool.best(self.losses + bonus)
        return greedy_configuration(self.pool, start, scale=-self.Q / 100, bonus=bonus)

    def _pieces(self, slopes: Floats, relative: Floats) -> tuple[Floats, Floats, Floats]:
        columns = np.column_stack((relative, slopes, self.pool.statistics))
        boundaries, sums = sweep_lines(slopes, relative, self.pool.offsets, columns)
        intercept, slope = sums[:, :2].T / len(self.oracle)
        return boundaries, self.corpus_loss(sums[:, 2:]) + intercept, slope

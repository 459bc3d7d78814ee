"""MIRA with a learning rate for each feature and cutting planes from the forest (Chiang 2012)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
import scipy  # imports sparse when it is first used

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Hypotheses, KBestList

from ..contract import Step, fact, part, setting
from ..oracles import SearchSpace
from ..solvers import (
    TOLERANCE,
    Constraints,
    FeatureRates,
    Rates,
    Rescaled,
    Solution,
    StepLength,
    columns_of,
    within_trust_region,
)
from .mira import Mira

A = TypeVar("A", bound="AdaptiveMira")


@dataclass(frozen=True, slots=True)
class Cuttable(Constraints):
    """Hypotheses of a sentence, to which others can be added."""

    hope: float = fact(0.0, init=True)
    space: SearchSpace | None = None


@dataclass(eq=False)
class AdaptiveMemory:
    """What a run of `AdaptiveMira` keeps."""

    length: StepLength = part()
    rates: FeatureRates = part(FeatureRates)


@dataclass(kw_only=True, eq=False, repr=False)
class AdaptiveMira(Mira):
    """MIRA with a learning rate for each feature, which falls as the feature is learned, and cutting planes.

    An update minimises ½ Σ_f (w'_f - w_f)² / r_f + C Σ_i max_j (l_ij - Δh_ij·w'). The rates r_f are the
    diagonal of AROW's covariance (Crammer, Kulesza & Dredze 2009): after it, 1/r_f grows by η Σ_i v_if²,
    where v_i is the mean of Δh_ij of sentence i, weighted by the dual variables. Cutting planes: the forest
    is searched for fear again with the weights that the update would give; if that fear violates its margin
    more than all earlier hypotheses, it is added to them and the update is computed again.

    Parameters
    ----------
    eta : float
        η; with 0 all rates stay 1, those of `Mira`.
    cuts : int
        How often an update searches for fear again, at most; 0 for the hypotheses of the oracle alone.
    C, rate, trust_region, document, warm_up, k, hope_mu, fear_mu
        See `Mira`.
    effective_reference_length, oracle_pop_limit, oracle, metric
        See `Mira`; for the others see `OnlineTuner`.
    """

    EXAMPLE: ClassVar[type | None] = Cuttable

    eta: float = setting(0.001, least=0, finite=True)
    cuts: int = setting(5, least=0)

    @classmethod
    def paper(cls: type[A], **settings: Any) -> A:
        """Return the tuner with the settings of `Mira.paper`, and rates that fall faster."""
        return super().paper(**{"eta": 0.01, **settings})

    @classmethod
    def text(cls: type[A], **settings: Any) -> A:
        """Return the tuner for a parallel text, without cutting planes."""
        return super().text(**{"C": 0.01, "eta": 0.01, "cuts": 0, **settings})

    def init(self) -> AdaptiveMemory:
        """Return the measured length of steps, and the rates."""
        return AdaptiveMemory(StepLength(self.rate, self.C))

    def example(self, found: Hypotheses, space: SearchSpace, memory: Any) -> Cuttable:
        """Return the hypotheses, and where to look for more."""
        given = Constraints.of(found)
        hope = float(found.hope.B[0])
        example = Cuttable(given.indptr, given.features, given.values, given.loss, given.oracle, hope)
        return self.searchable(example, space) if self.cuts else example

    def searchable(self, example: Cuttable, space: SearchSpace) -> Cuttable:
        """Return the example of a sentence with the forest to look for more hypotheses in."""
        # Later fears are judged as the first: before the sentence joins the pseudo-document.
        document = copy.copy(space.document)
        return replace(example, space=SearchSpace(space.decoder, space.translation, space.segment, document))

    @property
    def keeps_forests(self) -> bool:
        """Whether hypotheses are looked for during an update."""
        return self.cuts > 0

    def update(
        self, batch: Sequence[Cuttable], weights: Floats, memory: AdaptiveMemory, rates: Rates | None = None
    ) -> Step:
        """Return the change with rates, after the cutting planes, or a part of it within the trust region."""
        constraints = list(batch)
        if rates is None:
            C, both = memory.length.of(constraints, weights), memory.rates.of
        else:
            by_family = rates
            scaled = Rescaled.of(constraints, weights, by_family)
            C = memory.length.of(scaled.batch, scaled.weights)

            def both(features: Ints) -> Floats:
                return memory.rates.of(features) * by_family(features)

        solution = Rescaled.of(constraints, weights, both).solve(C)
        hinge, steps = solution.hinge, solution.steps
        for _ in range(self.cuts):
            before = weights[solution.features]
            if not np.all(np.isfinite(before + solution.change)):
                break  # `Step.apply` says so
            weights[solution.features] = before + solution.change
            try:
                cut = [self._cut(known, weights) for known in constraints]
            finally:
                weights[solution.features] = before
                for one in batch:
                    if one.space is not None:
                        one.space.forest.reweight()
            if all(new is old for new, old in zip(cut, constraints, strict=True)):
                break
            constraints = cut
            solution = Rescaled.of(constraints, weights, both).solve(C)
            steps += solution.steps
        if self.eta:
            self._lower_rates(constraints, solution, C, memory.rates)
        step = Step(solution.features, solution.change, hinge, steps)
        return within_trust_region(step, constraints, weights, self.trust_region)

    def _cut(self, known: Cuttable, weights: Floats) -> Cuttable:
        """Add the fear of these weights to the hypotheses; give them as they are if they are no worse."""
        if known.space is None:
            return known
        known.space.forest.reweight()
        # Of several the first by exact counts.
        fear = known.space.search(self.fear_mu, self.k, pop_limit=self.oracle_pop_limit).take([0])
        loss = known.hope - fear.B
        rows = KBestList([""] * len(known.loss), known.indptr, known.features, known.values)
        worst = float(np.max(known.loss + rows.scores(weights)))
        if loss[0] + fear.model[0] <= worst + TOLERANCE:
            return known
        both = KBestList.concatenate([rows, fear.translations])
        return replace(
            known,
            indptr=both.indptr,
            features=both.features,
            values=both.values,
            loss=np.concatenate((known.loss, loss)),
        )

    def _lower_rates(
        self, batch: Sequence[Constraints], solution: Solution, C: float, rates: FeatureRates
    ) -> None:
        features, columns = columns_of(batch)
        amounts, begin = np.zeros(len(features)), 0
        for constraints, own in zip(batch, columns, strict=True):
            end = begin + len(constraints.loss)
            coefficients = -solution.alpha[begin:end] / C
            coefficients[constraints.oracle] += 1
            h = scipy.sparse.csr_matrix(
                (constraints.values, own, constraints.indptr), shape=(end - begin, len(features))
            )
            amounts += self.eta * (coefficients @ h) ** 2
            begin = end
        rates.add(features, amounts)

"""Structural SVMs that learn from the metric of the whole corpus (Hayashi et al. 2009)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from hopefear.base.arrays import Floats, Ints

from ..contract import TuningError, setting
from ..pool import MOST_FEATURES, Candidates, oracle_configuration, sentence_scores
from .batch import BatchTuner
from .cutting_plane import train_one_slack, train_sentence_slack
from .svm_objective import OneSlack, SentenceLoss, SentenceSlack, SvmObjective

Formulation = Literal["one-slack", "sentence-slack"]
Optimizer = Literal["line-search", "cutting-plane"]
Loss = Literal["corpus", "sentence"]

MIN_GAIN = 1e-4
"""Part of the objective that a step must gain."""
LEAST_GAIN = 1e-9
"""Part of Q that a step must gain in addition, for objectives near 0."""


@dataclass(kw_only=True, eq=False, repr=False)
class StructuralSvm(BatchTuner):
    """A large margin between the oracle configuration and all others, weighed against the length of w.

    The oracle configuration, one candidate of each sentence, is the one that greedy search finds best by the
    metric of the whole corpus (section 4.1). Each pass minimises λ/2 ‖w‖² + the hinge loss. The loss is the
    metric, from 0 to 1, times Q.

    Parameters
    ----------
    formulation : {"one-slack", "sentence-slack"}
        One slack variable with the loss of the whole corpus (equation 7), or one for each sentence, whose
        loss is that of the oracles' document with the sentence's candidate in it (equation 4).
    optimizer : {"line-search", "cutting-plane"}
        ``"line-search"``: algorithm 3 or 4 along one feature after another, from the weights before the pass;
        for few features. ``"cutting-plane"``: algorithm 1 or 2, which solves the convex problem.
    loss : {"corpus", "sentence"}
        Of `sentence-slack`. ``"corpus"`` is the paper's. ``"sentence"``: the oracle is the candidate with the
        best metric of the sentence, for BLEU the BLEU+1, and the loss what a candidate lacks of that.
    lam : float
        λ.
    Q : float
        Factor of the loss. With `cutting-plane` only the product of λ and Q matters, except for the length of
        the weights. `choose_by_cross_validation` finds both.
    per_sentence : bool
        Multiply Q by the number of sentences: of `sentence-slack` with the loss of the corpus, where the loss
        of a sentence is about its share of that. So the same Q serves texts of other sizes.
    directions : int
        Of `line-search`: random directions in addition to the features in each round.
    epsilon : float
        Of `cutting-plane`: by which fraction of the largest loss constraints may be violated at the end.
    rounds : int
        Of `cutting-plane`: QPs in a pass at most.
    passes, k, metric, seed, tolerance, patience, threads
        See `BatchTuner`; the seed is that of directions and their order.
    """

    REMEDY: ClassVar[str] = "lower lam"

    formulation: Formulation = setting("one-slack", choices=get_args(Formulation))
    optimizer: Optimizer = setting("line-search", choices=get_args(Optimizer))
    loss: Loss = setting("corpus", choices=get_args(Loss))
    lam: float = setting(1.0, above=0, finite=True)
    Q: float = setting(10000.0, above=0, finite=True)
    per_sentence: bool = False
    directions: int = setting(10, least=0)
    epsilon: float = setting(1e-4, above=0, finite=True)
    rounds: int = setting(200, least=1)
    patience: int = 2

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.formulation == "one-slack" and (self.loss == "sentence" or self.per_sentence):
            raise ValueError("loss=sentence and per_sentence need formulation=sentence-slack")

    def optimize(self, pool: Candidates, weights: Floats, rng: np.random.Generator) -> Floats:
        """Minimise the objective against the oracle configuration."""
        objective = self._objective(pool, pool.scores(weights))
        if self.optimizer == "line-search":
            return descend(objective, weights, self.directions, rng)
        if isinstance(objective, OneSlack):
            trained = train_one_slack(objective, self.epsilon, self.rounds)
            if trained.is_as_good_as_zeros(self.epsilon * objective.Q):
                raise TuningError(
                    "expected weights with a smaller objective than zeros, got none: in each direction the "
                    "loss of a configuration outweighs its margin, as where BLEU is 0 for lack of 4-grams; "
                    "choose the optimizer line-search or the formulation sentence-slack"
                )
        else:
            trained = train_sentence_slack(objective, self.epsilon, self.rounds)
        weights[pool.active] = trained.weights[pool.active]
        return weights

    def _objective(self, pool: Candidates, scores: Floats) -> OneSlack | SentenceSlack:
        if self.loss == "sentence":
            return SentenceLoss(pool, sentence_oracles(pool, scores), self.lam, self.Q)
        oracle = oracle_configuration(pool, scores)
        if self.formulation == "one-slack":
            return OneSlack(pool, oracle, self.lam, self.Q)
        return SentenceSlack(pool, oracle, self.lam, self.Q * (len(oracle) if self.per_sentence else 1))


def sentence_oracles(pool: Candidates, scores: Floats) -> Ints:
    """Choose the candidate of each segment that is best by itself, of equal ones the highest score."""
    quality = sentence_scores(pool)
    best = np.repeat(quality[pool.best(quality)], pool.counts[pool.counts > 0])
    return pool.best(np.where(quality == best, scores, -np.inf))


def descend(objective: SvmObjective, weights: Floats, directions: int, rng: np.random.Generator) -> Floats:
    """Make an objective small by exact line searches until no direction helps."""
    pool = objective.pool
    features = pool.active
    if len(features) > MOST_FEATURES:
        raise TuningError(
            f"expected at most {MOST_FEATURES} features for line searches, got {len(features)}: "
            "choose the optimizer cutting-plane"
        )
    h = pool.dense()
    h = np.asfortranarray(h - h[objective.oracle_of])
    spread = np.sqrt(np.mean(h**2, axis=0))
    units = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    w = weights[features]
    relative = h @ w
    value = objective.value(relative, float(w @ w))
    idle, order = 0, rng.permutation(len(features) + directions)
    for place in itertools.cycle(order):
        if place < len(features):
            d, slopes = np.eye(1, len(features), place)[0], h[:, place]
        else:
            d = rng.normal(size=len(features)) * units
            slopes = h @ d
        idle += 1
        length = float(d @ d)
        if length > 0:
            square, product = float(w @ w), float(w @ d)
            step, found = objective.minimize_along(slopes, relative, square, product, length)
            if value - found > MIN_GAIN * value + LEAST_GAIN * objective.Q:
                w, relative, value, idle = w + step * d, relative + step * slopes, found, 0
        if idle == len(order):
            break
    learned = weights.copy()
    learned[features] = w
    return learned

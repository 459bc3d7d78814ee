"""Cutting-plane training of the structural SVM (Hayashi et al. 2009, section 3, algorithms 1 and 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # imports sparse when it is first used

from hopefear.base.arrays import Floats, Ints

from ..contract import TuningError
from ..pool import Candidates
from ..solvers import Constraints, solve, solve_interior
from .svm_objective import OneSlack, SentenceSlack

FEW_FEATURES = 200
"""Up to so many the QP is solved by an interior point method if nothing else is said, beyond by SMO."""
SMO_TOLERANCE = 1e-3
"""What SMO leaves of a violation, in units of ε."""
SUPPORT = 1e-7
"""Of the largest that a dual variable can be: below, the solution does not rest on the constraint."""


@dataclass(frozen=True, slots=True)
class Trained:
    """The end of cutting-plane training; zeros are as good if no sum of margins pulls the weights away."""

    weights: Floats
    objective: float
    violation: float
    rounds: int
    constraints: int
    as_good_as_zeros: bool = False


def train_sentence_slack(
    objective: SentenceSlack, epsilon: float, rounds: int, *, few_features: int = FEW_FEATURES
) -> Trained:
    """Train with a slack variable of each sentence (algorithm 1).

    The worst constraints of all sentences are added before the QP is solved once, instead of once for each;
    those that the solution does not rest on are forgotten, which never lowers the optimum of the next QP.
    """
    pool, oracle = objective.pool, objective.oracle
    limit = epsilon * float(objective.losses.max())
    working = [[int(row)] for row in oracle]
    weights, slack, value = np.zeros(pool.matrix.shape[1]), np.zeros(len(oracle)), 0.0
    for done in range(rounds + 1):
        relative = objective.relative(pool.scores(weights))
        worst = objective.most_violated(relative)
        violation = objective.losses[worst] + relative[worst] - slack
        broken = np.flatnonzero(violation > limit)
        if not len(broken) or done == rounds:
            break
        for place in broken.tolist():
            working[place].append(int(worst[place]))
        active = [(place, rows) for place, rows in enumerate(working) if len(rows) > 1]
        problem = [_constraints(pool, rows, objective.losses[rows]) for _, rows in active]
        weights, alpha = _minimize(problem, len(weights), objective.lam * len(oracle), limit, few_features)
        relative = objective.relative(pool.scores(weights))
        begin = 0
        for place, rows in active:
            slack[place] = max(0.0, float((objective.losses[rows] + relative[rows]).max()))
            supports = alpha[begin + 1 : begin + len(rows)] > SUPPORT / (objective.lam * len(oracle))
            begin += len(rows)
            working[place] = [rows[0], *(row for row, keep in zip(rows[1:], supports, strict=True) if keep)]
        value = objective.lam / 2 * float(weights @ weights) + float(slack.mean())
    size = sum(map(len, working)) - len(working)
    return Trained(weights, value, max(0.0, float(violation.max())), done, size)


def train_one_slack(
    objective: OneSlack, epsilon: float, rounds: int, *, few_features: int = FEW_FEATURES
) -> Trained:
    """Train with one slack variable (algorithm 2): a round adds one configuration's constraint."""
    pool, oracle = objective.pool, objective.oracle
    limit = epsilon * objective.Q
    planes, losses = [_mean(pool, oracle)], [0.0]
    weights, slack, value = np.zeros(pool.matrix.shape[1]), 0.0, 0.0
    for done in range(rounds + 1):
        relative = objective.relative(pool.scores(weights))
        worst = objective.most_violated(relative)
        violation = objective.violation(worst, relative) - slack
        if violation <= limit or done == rounds:
            break
        planes.append(_mean(pool, worst))
        losses.append(float(objective.corpus_loss(pool.statistics[worst].sum(axis=0))))
        stacked, loss = scipy.sparse.vstack(planes, format="csr"), np.array(losses)
        problem = Constraints(
            stacked.indptr.astype(np.int64), stacked.indices.astype(np.int32), stacked.data, loss, 0
        )
        weights, _ = _minimize([problem], len(weights), objective.lam, limit, few_features)
        scores = stacked @ weights
        slack = max(0.0, float((loss + scores - scores[0]).max()))
        value = objective.lam / 2 * float(weights @ weights) + slack
    none = len(planes) > 1 and max(losses) - value <= limit
    if none:
        steepest = float(np.linalg.norm(_margins(problem, len(weights)), axis=1).max())
        none = objective.lam * float(np.linalg.norm(weights)) <= epsilon * steepest
    return Trained(weights, value, max(0.0, violation), done, len(planes) - 1, as_good_as_zeros=none)


def _minimize(
    problem: list[Constraints], features: int, lam: float, limit: float, few_features: int
) -> tuple[Floats, Floats]:
    """Minimise λ/2 ‖w‖² + Σ ξ; give w and the dual variables, whose sum over each sentence is 1/λ."""
    if features <= few_features:
        margins = [_margins(constraints, features) for constraints in problem]
        begin = np.cumsum([0, *map(len, margins[:-1])])
        losses = np.concatenate([constraints.loss for constraints in problem])
        weights, alpha = solve_interior(np.concatenate(margins), losses, begin, 1 / lam)
        if not np.all(np.isfinite(weights)):
            raise TuningError("the weights are no longer finite: scale the features down")
        return weights, alpha
    solution = solve(problem, np.zeros(features), 1 / lam, tolerance=SMO_TOLERANCE * limit)
    weights = np.zeros(features)
    weights[solution.features] = solution.change
    return weights, solution.alpha


def _margins(constraints: Constraints, features: int) -> Floats:
    arrays = (constraints.values, constraints.features, constraints.indptr)
    h = scipy.sparse.csr_matrix(arrays, shape=(len(constraints.loss), features)).toarray()
    return np.asarray(h[constraints.oracle] - h)


def _constraints(pool: Candidates, rows: list[int], losses: Floats) -> Constraints:
    part = pool.matrix[rows]
    return Constraints(part.indptr.astype(np.int64), part.indices.astype(np.int32), part.data, losses, 0)


def _mean(pool: Candidates, rows: Ints) -> scipy.sparse.csr_matrix:
    """Return the mean features of a configuration as a matrix of one row."""
    choose = scipy.sparse.csr_matrix(
        (np.full(len(rows), 1 / len(rows)), rows, [0, len(rows)]), (1, len(pool))
    )
    return choose @ pool.matrix

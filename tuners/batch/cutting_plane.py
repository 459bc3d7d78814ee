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
LEAST_PART = 0.01
"""Of what the first constraint alone would gain: less is rounding where the others pull the other way."""


@dataclass(frozen=True, slots=True)
class Trained:
    """The end of cutting-plane training; `values` are the objective where w = 0, then after each QP."""

    weights: Floats
    values: list[float]
    violation: float
    rounds: int
    constraints: int

    @property
    def objective(self) -> float:
        """The least value with the constraints of the end."""
        return self.values[-1]

    def is_as_good_as_zeros(self, limit: float) -> bool:
        """Tell whether w gains no more than a limit on w = 0, but not since the regulariser is strong.

        The first constraint alone would then gain much more, or nothing: others pull the other way.
        """
        at_zero, *values = self.values
        if not values:
            return False
        gain, of_first = at_zero - values[-1], at_zero - values[0]
        return gain <= limit and gain <= LEAST_PART * of_first


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
    weights, slack = np.zeros(pool.matrix.shape[1]), np.zeros(len(oracle))
    values: list[float] = []
    for done in range(rounds + 1):
        relative = objective.relative(pool.scores(weights))
        worst = objective.most_violated(relative)
        violation = objective.losses[worst] + relative[worst] - slack
        values = values or [float(violation.mean())]
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
        values.append(objective.lam / 2 * float(weights @ weights) + float(slack.mean()))
    size = sum(map(len, working)) - len(working)
    return Trained(weights, values, max(0.0, float(violation.max())), done, size)


def train_one_slack(
    objective: OneSlack, epsilon: float, rounds: int, *, few_features: int = FEW_FEATURES
) -> Trained:
    """Train with one slack variable (algorithm 2): a round adds one configuration's constraint."""
    pool, oracle = objective.pool, objective.oracle
    limit = epsilon * objective.Q
    planes, losses = [_mean(pool, oracle)], [0.0]
    weights, slack = np.zeros(pool.matrix.shape[1]), 0.0
    values: list[float] = []
    for done in range(rounds + 1):
        relative = objective.relative(pool.scores(weights))
        worst = objective.most_violated(relative)
        violation = objective.violation(worst, relative) - slack
        values = values or [violation]
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
        values.append(objective.lam / 2 * float(weights @ weights) + slack)
    return Trained(weights, values, max(0.0, violation), done, len(planes) - 1)


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

"""The metric over one weight at a time, all others fixed, and the 1-slack objective beside it.

Figure 2 of Hayashi et al. 2009 has the metric and the objective over one weight, figure 2 of Flanigan et al.
2013 the metric over the weights of frequent and of rare features.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np

from hopefear.base import InputError
from hopefear.reports import MeasuredSlices, Slice, feature_letters
from hopefear.tuners import Candidates, TuningError
from hopefear.tuners.batch import OneSlack
from hopefear.tuners.pool import oracle_configuration

from ..plan import Slices

COMMON = 20
"""The features that are non-zero in the most lists, from which frequent ones are drawn."""


def cut(pool: Candidates, feature: str, slices: Slices) -> Slice:
    """Compute a slice through the pool's weights."""
    number = pool.weights.id(feature)
    if number not in pool.active:
        raise InputError(f"slices: no candidate has the feature {feature}")
    learned = pool.weights.array
    reach = slices.width * float(np.linalg.norm(learned))
    steps = np.linspace(-reach, reach, slices.steps)
    column = np.asarray(pool.matrix[:, [number]].todense()).ravel()
    scores = pool.scores(learned)
    rows = [pool.best(scores + step * column) for step in steps]
    metric = np.array([pool.score_of(best) for best in rows])
    objectives = []
    if slices.lam:
        objective = OneSlack(pool, oracle_configuration(pool, scores), 1.0, slices.Q)
        along, relative = objective.relative(column), objective.relative(scores)
        pairs = zip(rows, steps.tolist(), strict=True)
        hinges = np.array([max(0.0, objective.violation(best, relative + x * along)) for best, x in pairs])
        squares = float(learned @ learned) + 2 * steps * learned[number] + steps**2
        objectives = [(lam, (lam / 2 * squares + hinges).tolist()) for lam in slices.lam]
    return Slice(feature, (learned[number] + steps).tolist(), metric.tolist(), objectives)


def measure_slices(slices: Slices, pool: Candidates) -> MeasuredSlices:
    """Measure slices; frequent and rare features have panels of their own."""
    try:
        pool.check()
    except TuningError as error:
        raise InputError(f"slices: {error}") from None
    kinds = _kinds(pool, slices)
    metric, drawn = pool.metric, slices.frequent or slices.rare
    caption = (
        f"{metric.name} of the best candidates of {slices.tested_on} ({pool.segments:,} sentences, "
        f"{len(pool):,} candidates) against one weight at a time; all other weights are as learned, with "
        f"length {np.linalg.norm(pool.weights.array):.2f}."
    )
    if slices.lam:
        caption += " Right: the objective of the 1-slack SVM on the same candidates, a dot where it is least."
    if drawn:
        named = ", ".join(f"{letter} {feature}" for feature, letter in feature_letters(kinds).items())
        caption += (
            f" Frequent features are drawn from the {COMMON} that are in the lists of the most sentences, "
            f"rare ones from those in the list of one sentence: {named}."
        )
    cuts = {kind: [cut(pool, feature, slices) for feature in features] for kind, features in kinds.items()}
    return MeasuredSlices(cuts, not drawn, metric.name, slices.Q, caption)


def _kinds(pool: Candidates, slices: Slices) -> dict[str, list[str]]:
    """Choose the features of each panel."""
    if not (slices.frequent or slices.rare):
        return {"": list(slices.features)}
    fires = pool.values != 0
    segments = np.repeat(pool.segment_of, np.diff(pool.indptr))
    lists = np.unique(np.stack((pool.features[fires], segments[fires])), axis=1)
    numbers, counts = np.unique(lists[0], return_counts=True)
    named = [(pool.weights.name(int(n)), int(c)) for n, c in zip(numbers, counts, strict=True)]
    named = [one for one in named if any(fnmatchcase(one[0], pattern) for pattern in slices.features)]
    named.sort(key=lambda one: (-one[1], one[0]))
    kinds = {
        "frequent features": (slices.frequent, [name for name, _ in named[:COMMON]]),
        "rare features": (slices.rare, [name for name, count in named if count == 1]),
    }
    rng, chosen = np.random.default_rng(0), {}
    for kind, (wanted, names) in kinds.items():
        if len(names) < wanted:
            what = f"{wanted} {kind} {' '.join(slices.features)}"
            raise InputError(f"slices: expected {what} in the lists, got {len(names)}")
        if wanted:
            chosen[kind] = [names[i] for i in np.sort(rng.choice(len(names), wanted, replace=False))]
    return chosen

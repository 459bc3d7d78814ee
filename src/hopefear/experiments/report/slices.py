"""The metric over one weight at a time, all others fixed, and the 1-slack objective beside it.

Figure 2 of Hayashi et al. 2009 has the metric and the objective over one weight, figure 2 of Flanigan et al.
2013 the metric over the weights of frequent and of rare features.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.figures import COLORS, new_figure, save
from hopefear.tuners import Candidates, TuningError
from hopefear.tuners.batch import OneSlack
from hopefear.tuners.pool import oracle_configuration

from ..plan import Slices

COMMON = 20
"""The features that are non-zero in the most lists, from which frequent ones are drawn."""

_LINES = ("-", "--", ":", "-.")


class Slice(NamedTuple):
    """What depends on one weight.

    Attributes
    ----------
    feature : str
    weights : array of float64, shape (steps,)
        The values of its weight; the learned weight is in the middle.
    scores : array of float64, shape (steps,)
        The metric of the best candidates.
    objectives : dict of float to array of float64, shape (steps,)
        The 1-slack objective, by λ.
    """

    feature: str
    weights: NDArray[np.float64]
    scores: NDArray[np.float64]
    objectives: dict[float, NDArray[np.float64]]


def cut(pool: Candidates, feature: str, slices: Slices) -> Slice:
    """Compute a slice through the pool's weights.

    Raises
    ------
    InputError
        No candidate has the feature.
    """
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
    objectives = {}
    if slices.lam:
        objective = OneSlack(pool, oracle_configuration(pool, scores), 1.0, slices.Q)
        along, relative = objective.relative(column), objective.relative(scores)
        pairs = zip(rows, steps.tolist(), strict=True)
        hinges = np.array([max(0.0, objective.violation(best, relative + x * along)) for best, x in pairs])
        squares = float(learned @ learned) + 2 * steps * learned[number] + steps**2
        objectives = {lam: lam / 2 * squares + hinges for lam in slices.lam}
    return Slice(feature, learned[number] + steps, metric, objectives)


def draw_slices(path: Path, slices: Slices, pool: Candidates) -> str:
    """Draw slices: the metric, and below it the objective if the plan gives values of λ.

    Frequent and rare features have panels of their own.

    Parameters
    ----------
    path : Path
        Path of the picture, PNG.
    pool : Candidates
        Translations of the test set; its weights are the learned weights.

    Returns
    -------
    str
        The caption.

    Raises
    ------
    InputError
        The pool is empty, or has too few features of the plan's names.
    """
    try:
        pool.check()
    except TuningError as error:
        raise InputError(f"slices: {error}") from None
    kinds = _kinds(pool, slices)
    chosen = dict.fromkeys(feature for features in kinds.values() for feature in features)
    # Pictures have no letters for most languages: features of rules are named in the caption.
    drawn = slices.frequent or slices.rare
    names = dict(zip(chosen, ascii_lowercase, strict=False)) if drawn else {}
    metric = pool.metric
    figure, axes = new_figure(9.6, 3.6, 1, 1 + bool(slices.lam) if len(kinds) == 1 else len(kinds))
    for one, (kind, features) in zip(axes, kinds.items(), strict=False):
        for place, feature in enumerate(features):
            found = cut(pool, feature, slices)
            style = {"color": COLORS[place % len(COLORS)], "label": names.get(feature, feature)}
            one.plot(found.weights, found.scores, linewidth=1.4, **style)
            for i, (lam, values) in enumerate(found.objectives.items()):
                shape = (values - values.min()) / (np.ptp(values) or 1.0)
                style = {"color": COLORS[i % len(COLORS)], "linestyle": _LINES[i % len(_LINES)]}
                axes[-1].plot(found.weights, shape, linewidth=1.4, label=f"λ = {lam:g}", **style)
                least = int(values.argmin())
                axes[-1].plot(found.weights[least], shape[least], "o", markersize=6, color=style["color"])
        one.set_title(kind, loc="left", fontsize=10)
        several = bool(drawn) or len(features) > 1
        one.set_xlabel("weight" if several else features[0])
        one.set_ylabel(metric.name)
        if several:
            one.legend(frameon=False, fontsize=7)
    if slices.lam:
        axes[-1].set_title(f"1-slack objective, Q = {slices.Q:g}", loc="left", fontsize=10)
        axes[-1].set_xlabel(next(iter(kinds.values()))[0])
        axes[-1].set_ylabel("from its least to its greatest value")
        axes[-1].legend(frameon=False)
    save(figure, path)
    caption = (
        f"{metric.name} of the best candidates of {slices.tested_on} ({pool.segments:,} sentences, "
        f"{len(pool):,} candidates) against one weight at a time; all other weights are as learned, with "
        f"length {np.linalg.norm(pool.weights.array):.2f}."
    )
    if slices.lam:
        caption += " Right: the objective of the 1-slack SVM on the same candidates, a dot where it is least."
    if drawn:
        caption += (
            f" Frequent features are drawn from the {COMMON} that are in the lists of the most sentences, "
            "rare ones from those in the list of one sentence: "
            f"{', '.join(f'{letter} {feature}' for feature, letter in names.items())}."
        )
    return caption


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

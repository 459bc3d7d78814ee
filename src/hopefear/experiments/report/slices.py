"""The metric over one weight at a time, all others fixed, and the 1-slack objective beside it.

Figure 2 of Hayashi et al. 2009 has the metric and the objective over one weight, figure 2 of Flanigan et al.
2013 the metric over the weights of frequent and of rare features.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from string import ascii_lowercase

import numpy as np

from hopefear.base import InputError
from hopefear.base.figures import COLORS, new_figure, save
from hopefear.tuners import Candidates, TuningError
from hopefear.tuners.batch import OneSlack
from hopefear.tuners.pool import oracle_configuration

from ..plan import Slices

COMMON = 20
"""The features that are non-zero in the most lists, from which frequent ones are drawn."""

_LINES = ("-", "--", ":", "-.")


@dataclass(frozen=True, slots=True)
class Slice:
    """What depends on one weight."""

    feature: str
    weights: list[float]
    scores: list[float]
    objectives: list[tuple[float, list[float]]]


@dataclass(frozen=True, slots=True)
class MeasuredSlices:
    """Slices as they are drawn: lists of numbers, which JSON can hold."""

    kinds: dict[str, list[Slice]]
    named: bool
    metric: str
    Q: float
    caption: str


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
        named = ", ".join(f"{letter} {feature}" for feature, letter in _letters(kinds).items())
        caption += (
            f" Frequent features are drawn from the {COMMON} that are in the lists of the most sentences, "
            f"rare ones from those in the list of one sentence: {named}."
        )
    cuts = {kind: [cut(pool, feature, slices) for feature in features] for kind, features in kinds.items()}
    return MeasuredSlices(cuts, not drawn, metric.name, slices.Q, caption)


def draw_slices(path: Path, slices: MeasuredSlices) -> str:
    """Draw slices: the metric, and below it the objective if there is one; return the caption."""
    features = {kind: [one.feature for one in cuts] for kind, cuts in slices.kinds.items()}
    # Pictures have no letters for most languages: features of rules are named in the caption.
    names = {} if slices.named else _letters(features)
    objectives = any(one.objectives for cuts in slices.kinds.values() for one in cuts)
    figure, axes = new_figure(9.6, 3.6, 1, 1 + objectives if len(slices.kinds) == 1 else len(slices.kinds))
    for one, (kind, cuts) in zip(axes, slices.kinds.items(), strict=False):
        for place, found in enumerate(cuts):
            feature = found.feature
            style = {"color": COLORS[place % len(COLORS)], "label": names.get(feature, feature)}
            one.plot(found.weights, found.scores, linewidth=1.4, **style)
            for i, (lam, values) in enumerate(found.objectives):
                shape = (np.array(values) - min(values)) / (np.ptp(values) or 1.0)
                style = {"color": COLORS[i % len(COLORS)], "linestyle": _LINES[i % len(_LINES)]}
                axes[-1].plot(found.weights, shape, linewidth=1.4, label=f"λ = {lam:g}", **style)
                least = int(np.argmin(values))
                axes[-1].plot(found.weights[least], shape[least], "o", markersize=6, color=style["color"])
        one.set_title(kind, loc="left", fontsize=10)
        several = bool(names) or len(cuts) > 1
        one.set_xlabel("weight" if several else cuts[0].feature)
        one.set_ylabel(slices.metric)
        if several:
            one.legend(frameon=False, fontsize=7)
    if objectives:
        axes[-1].set_title(f"1-slack objective, Q = {slices.Q:g}", loc="left", fontsize=10)
        axes[-1].set_xlabel(next(iter(features.values()))[0])
        axes[-1].set_ylabel("from its least to its greatest value")
        axes[-1].legend(frameon=False)
    save(figure, path)
    return slices.caption


def _letters(kinds: dict[str, list[str]]) -> dict[str, str]:
    """Name the features of all panels by letters."""
    chosen = dict.fromkeys(feature for features in kinds.values() for feature in features)
    return dict(zip(chosen, ascii_lowercase, strict=False))


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

"""Upper envelopes along a line through the weights, for k-best lists and forests (Macherey et al. 2008)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear import _native

from .hypergraph import Derivation, Hypergraph
from .hypotheses import KBestList


def sweep_lines(
    slopes: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    offsets: NDArray[np.int64],
    statistics: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Add up, for all x, the statistics of the highest line ``intercept + x * slope`` of each group.

    The cost is one pass over the lines, and a sort of the few lines that are highest somewhere.

    Parameters
    ----------
    slopes, intercepts : arrays of float64, shape (n,)
    offsets : array of int64, shape (groups + 1,)
        The lines of group g are ``offsets[g]:offsets[g + 1]``; a group may have none.
    statistics : array of float64, shape (n, size)

    Returns
    -------
    boundaries : array of float64, shape (b,)
        The x at which a sum changes, ascending.
    sums : array of float64, shape (b + 1, size)
        The sums before the first boundary, between neighbouring boundaries, and after the last.

    Raises
    ------
    ValueError
        A slope or an intercept is not finite; the arrays do not fit together.
    """
    boundaries, sums = _native.sweep_lines(
        np.ascontiguousarray(slopes, np.float64),
        np.ascontiguousarray(intercepts, np.float64),
        np.ascontiguousarray(offsets, np.int64),
        np.ascontiguousarray(statistics, np.float64),
    )
    return boundaries, sums


@dataclass(frozen=True, slots=True)
class ForestEnvelope:
    """The derivations of a forest that are best somewhere along a line through the weights, in order of x.

    Attributes
    ----------
    starts : array of float64, shape (p,)
        The x from which on each derivation is the best; the first is minus infinity.
    slopes, intercepts : arrays of float64, shape (p,)
        The lines of the derivations' scores, ``intercept + x * slope``.
    derivations : list of p arrays of int32
    """

    starts: NDArray[np.float64]
    slopes: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    derivations: list[Derivation]


def forest_envelope(
    forest: Hypergraph, weights: NDArray[np.float64], direction: NDArray[np.float64]
) -> ForestEnvelope:
    """Find the best derivations by weights + x direction for all x, exactly.

    A derivation's line is the sum of its edges' lines: going up the forest, an edge's envelope is the sum of
    those of its tails (Minkowski sum) and a node's is the maximum over its edges (Macherey, Och, Thayer &
    Uszkoreit 2008; for hypergraphs Kumar, Macherey, Dyer & Och 2009).

    Parameters
    ----------
    weights, direction : arrays of float64
        Values by feature number; features beyond the end have 0.

    Raises
    ------
    ValueError
        The score of an edge is not finite.
    """
    weights = np.ascontiguousarray(weights, np.float64)
    direction = np.ascontiguousarray(direction, np.float64)
    return ForestEnvelope(*_native.forest_envelope(forest.native, weights, direction))


def derivation_list(forest: Hypergraph, derivations: Sequence[Derivation]) -> KBestList:
    """Return the words and features of derivations of a forest, at least one."""
    texts = [forest.text(derivation) for derivation in derivations]
    fired = [_native.features(forest.native, derivation) for derivation in derivations]
    indptr = np.concatenate(([0], np.cumsum([len(features) for features, _ in fired])))
    features = np.concatenate([features for features, _ in fired])
    return KBestList(texts, indptr, features, np.concatenate([values for _, values in fired]))

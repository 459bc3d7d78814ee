"""Small pools of candidates for the tests of batch tuners."""

from __future__ import annotations

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.decoder import KBestList
from hopefear.metrics import Bleu, Metric
from hopefear.tuners import Candidates

REFERENCES = [["a b c d e"], ["e d c b a f", "a a b b"], ["c c c d"]]

# The references are best for weights such as (7, 0, 5), with BLEU 100 and TER 0.
KNOWN = [
    [("a b c d e", [1.0, 0, 1]), ("a b c", [0.0, 3, 0]), ("d", [2.0, 4, -3])],
    [("b a f", [-2.0, 1, 0]), ("a a b b", [1.0, -1, 0])],
    [("c c c d", [2.0, 0, 0]), ("c c c", [1.0, 2, 0]), ("d", [0.0, -3, 1])],
]


def dense_list(h: Floats) -> KBestList:
    """Return a list whose translations are numbers and have the features of the rows."""
    n, size = h.shape
    features = np.tile(np.arange(size, dtype=np.int32), n)
    return KBestList([str(i) for i in range(n)], np.arange(0, n * size + 1, size), features, h.ravel())


def make_pool(
    found: list[list[tuple[str, list[float]]]], metric: Metric | None = None, scale: float = 1.0
) -> Candidates:
    pool = Candidates(metric or Bleu(smoothing="add-one"), REFERENCES)
    for name in ("f0", "f1", "f2"):
        pool.weights.id(name)
    pool.merge(
        (
            segment,
            KBestList(
                [text for text, _ in own],
                np.arange(0, 3 * len(own) + 1, 3),
                np.tile(np.arange(3, dtype=np.int32), len(own)),
                scale * np.array([h for _, h in own]).ravel(),
            ),
        )
        for segment, own in enumerate(found)
    )
    return pool

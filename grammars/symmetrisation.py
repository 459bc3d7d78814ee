"""Symmetrisation of two word alignments: intersection, union and grow-diag-final-and.

The heuristics are those of Koehn, Och and Marcu (2003, section 3), by the pseudo-code published with Moses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush

Link = tuple[int, int]
"""Positions of a source and of a target word, from 0."""

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def intersection(forward: Iterable[Link], reverse: Iterable[Link]) -> list[Link]:
    """Return the links that are in both alignments, in order."""
    return sorted(set(forward).intersection(reverse))


def union(forward: Iterable[Link], reverse: Iterable[Link]) -> list[Link]:
    """Return the links that are in either alignment, in order."""
    return sorted(set(forward).union(reverse))


def grow_diag_final_and(forward: Iterable[Link], reverse: Iterable[Link]) -> list[Link]:
    """Begin with the intersection; add neighbouring links, then links between two unlinked words.

    First, links of either alignment that are neighbours of a link in the result, also diagonally, are added
    if their source or their target word has no link yet, until none is left. Then links of `forward` and,
    last, of `reverse` are added if neither their source nor their target word has a link yet. The order is by
    target word, then by source word, as in the pseudo-code with its English and foreign words.
    """
    # In this function a link is (target, source): links compare in the order of the pseudo-code's loops.
    first, second = ({(target, source) for source, target in links} for links in (forward, reverse))
    taken = first & second
    waiting = (first | second) - taken
    targets, sources = {target for target, _ in taken}, {source for _, source in taken}

    def take(link: Link) -> None:
        taken.add(link)
        targets.add(link[0])
        sources.add(link[1])

    # Words never lose links, so a refused link stays refused, and each link's neighbours are examined once.
    # A link that is added before the current position of the loops waits for their next round.
    here, next_time = list(taken), list[Link]()
    while waiting and (here or next_time):
        if not here:
            here, next_time = next_time, []
        heapify(here)
        while waiting and here:
            link = heappop(here)
            for down, right in _NEIGHBOURS:
                neighbour = link[0] + down, link[1] + right
                if neighbour in waiting:
                    waiting.remove(neighbour)
                    if neighbour[0] not in targets or neighbour[1] not in sources:
                        take(neighbour)
                        heappush(here if neighbour > link else next_time, neighbour)
    for links in (first, second):
        for link in sorted(links & waiting):
            if link[0] not in targets and link[1] not in sources:
                take(link)
    return sorted((source, target) for target, source in taken)


HEURISTICS: dict[str, Callable[[Iterable[Link], Iterable[Link]], list[Link]]] = {
    "grow-diag-final-and": grow_diag_final_and,
    "intersection": intersection,
    "union": union,
}
"""The heuristics by name."""

"""Sentence pairs as numbers of subwords, in batches and as arrays of PyTorch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from hopefear.neural import Subwords
from hopefear.neural.model_folder import MOST

from .network import BEGIN, END, PADDING

Texts = Sequence[tuple[str, str]]
"""Sentences and their translations, words separated by blanks."""

Numbered = Sequence[tuple[list[int], list[int]]]
"""The numbers of the subwords of source and target."""


def numbered(text: Texts, subwords: Subwords) -> Numbered:
    """Return sentence pairs as numbers of subwords."""
    sources, targets = (subwords.numbers(side) for side in zip(*text, strict=True))
    return [(f[:MOST], e[:MOST]) for f, e in zip(sources, targets, strict=True)]


def batches(pairs: Numbered, most: int, draw: np.random.Generator | None = None) -> list[list[int]]:
    """Return batches of sentences of like lengths, in an order that is drawn."""
    lengths = np.array([(1 + len(source), 1 + len(target)) for source, target in pairs])
    ties = np.zeros(len(pairs)) if draw is None else draw.random(len(pairs))
    made: list[list[int]] = [[]]
    longest = 0
    for row in np.lexsort((ties, *lengths.T)).tolist():
        longest = max(longest, *lengths[row].tolist())
        if made[-1] and (len(made[-1]) + 1) * longest > most:
            made.append([])
            longest = max(lengths[row].tolist())
        made[-1].append(row)
    order = range(len(made)) if draw is None else draw.permutation(len(made)).tolist()
    return [made[place] for place in order]


def tensors(pairs: Numbered) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the sources, the targets with a begin, and the subwords and ends behind each of those."""
    sources = _padded([[*source, END] for source, _ in pairs])
    begun = _padded([[BEGIN, *target] for _, target in pairs])
    ended = [number for _, target in pairs for number in (*target, END)]
    return sources, begun, torch.tensor(ended)


def _padded(rows: Sequence[Sequence[int]]) -> torch.Tensor:
    padded: NDArray[np.int64] = np.full((len(rows), max(map(len, rows))), PADDING)
    for row, numbers in zip(padded, rows, strict=True):
        row[: len(numbers)] = numbers
    return torch.from_numpy(padded)

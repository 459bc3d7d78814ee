"""The constituents of a source tree by span, for cdec's families of syntactic features."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopefear.base.texts import BLANK
from hopefear.plugins import InputError, Segment, Tree, parse_tree

from .keyed import tokens_of

NO_LABEL = "XX"
"""cdec's label of a span that is no constituent."""


@dataclass(frozen=True)
class LabelledSpans:
    """The labels of all spans of a sentence."""

    labels: tuple[str, ...]
    label: NDArray[np.intp]

    def nearest(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Find the nearest constituent of each span [i, j), and how many words it is away.

        A constituent is k words away if it has k words more than the span, at its ends, or k words less; k is
        less than the span's size. Of the nearest ones, the one with the fewest words more on the left comes
        first, a larger one before a smaller one. A span without any is as far away as its words, minus one.
        """
        side = len(self.label)
        begin, end = np.ogrid[:side, :side]
        size = np.maximum(end - begin, 0)
        nearest = self.label.copy()
        distance = np.where(nearest > 0, 0, np.maximum(size - 1, 0))
        for k in range(1, side - 1):
            unlabelled = (nearest == 0) & (size > k)
            if not unlabelled.any():
                break
            label = np.zeros_like(nearest)
            for left in range(k, -1, -1):  # the first one last, so that it counts
                right = k - left
                larger, smaller = np.zeros_like(nearest), np.zeros_like(nearest)
                larger[left:, : side - right] = self.label[: side - left, right:]
                smaller[: side - left, right:] = self.label[left:, : side - right]
                label = np.where(larger > 0, larger, np.where(smaller > 0, smaller, label))
            np.copyto(distance, k, where=unlabelled & (label > 0))
            np.copyto(nearest, label, where=unlabelled)
        return distance, nearest


def labelled_spans(segment: Segment, plugin_name: str) -> LabelledSpans | None:
    """Read the tree of a sentence, labels with functional tags, as cdec does; None if the parser failed."""
    # As in cdec, the attribute src_tree may name a file that has the tree.
    tokens = tokens_of(segment, plugin_name)
    if segment.tree is None:
        message = (
            f'{plugin_name}: sentence {segment.number} has no tree: give --trees, or <seg src_tree="FILE">'
        )
        raise InputError(message, path=segment.where)
    tree = _tree(segment.tree, segment.where)
    if not tree.tokens:
        return None
    if len(tree.tokens) != len(tokens):
        words = f"{len(tokens)} words, as in sentence {segment.number}"
        raise InputError(f"expected a tree of {words}, got one of {len(tree.tokens)}", path=segment.where)
    labels = {NO_LABEL: 0}
    label = np.zeros((len(tokens) + 1, len(tokens) + 1), np.intp)
    for text, begin, end in tree.constituents:  # parents come before their children
        if not label[begin, end]:
            label[begin, end] = labels.setdefault(text, len(labels))
    return LabelledSpans(tuple(labels), label)


def _tree(text: str, where: str) -> Tree:
    if not text.strip(BLANK) or text.lstrip(BLANK).startswith("("):
        return parse_tree(text, path=where, whole_labels=True)
    path = Path(text)
    try:
        if not path.is_file():  # a pipe would wait
            raise FileNotFoundError(text)
        content = path.read_text("utf-8")
        return parse_tree(content.strip(BLANK), path=path, whole_labels=True)
    except (OSError, UnicodeDecodeError, InputError):  # says nothing of the content of just any file
        raise InputError(f"expected a Penn tree, or a file with one, got {text[:80]!r}", path=where) from None

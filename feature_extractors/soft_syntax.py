"""Soft syntactic constraints (Marton and Resnik 2008; Chiang, Marton and Resnik 2008, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    InputError,
    PluginError,
    Segment,
    Tree,
    parse_tree,
    span_index,
)
from hopefear.plugins.trees import read_lines

COARSE = ("NP", "PP", "S", "VP", "SBAR", "ADJP", "ADVP", "QP")
FINE = ("NP", "PP", "S", "VP", "SBAR", "ADJP", "WHNP", "PRT", "ADVP", "PRN", "QP")
_UNION = "XP"


@dataclass(kw_only=True, eq=False)
class SoftSyntax(EdgeFeatures):
    """Whether the source span of a rule is a constituent of the source's parse, or crosses one.

    Fine features, for each label X: ``X=`` fires where the span is exactly that of a constituent labelled X;
    where constituents of one span stand above each other, each of their labels fires. ``X+`` fires where the
    span crosses the boundary of an X: it has some of its words and some outside, and neither contains the
    other. The coarse features ``XP=`` and ``XP+`` fire where some label's do. All are binary, however many
    constituents agree. Constituents of one tree never cross each other, so an edge that fires an ``=`` fires
    no ``+``.

    The span is that of a rule's use, nonterminals' words included, and all rules have one: both papers speak
    of any rule, and cdec's ``SoftSynFeature`` fires on all edges but the one into the goal node. So do these
    features: on glue rules (``[S] ||| [X,1] ||| [1]`` fires again what the rule under it has fired), whose
    spans begin with the sentence, and on rules and passed-through words that span a single word.

    Parameters
    ----------
    trees : Path or str, optional
        A file with a Penn tree for each segment of the input, one a line, plain or gzip. A tree that comes
        with a segment goes before it. A line without words (the parser failed) fires nothing.
    granularity : {"fine", "coarse"}
        Which features.
    labels : sequence of str, optional
        Which labels, without functional tags; the paper's (`FINE`, `COARSE`) if not given.
    """

    trees: Path | str | None = None
    granularity: Literal["fine", "coarse"] = "fine"
    labels: Sequence[str] | None = None

    def prepare(self) -> None:
        """Check the arguments and read the trees' file."""
        if self.granularity not in ("fine", "coarse"):
            raise PluginError(f"SoftSyntax: granularity must be fine or coarse, got {self.granularity!r}")
        if self.labels is not None:
            odd = [label for label in self.labels if not label or any(mark in label for mark in " \t\r\n()")]
            if odd or not self.labels or isinstance(self.labels, str):
                raise PluginError(f"SoftSyntax: labels must be a sequence of labels, got {self.labels!r}")
        if self.trees is not None:
            _ = self._lines

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each span of the sentence.

        Raises
        ------
        InputError
            The segment is a lattice or has no tree; the tree is malformed or has another number of words.
        """
        tree = self._tree(segment)
        if not tree.tokens:
            return FeatureTable.empty(len(edges))
        side = edges.source_length + 1
        fires = np.zeros((side, side, len(self._names)), bool)
        for label, begin, end in tree.constituents:
            column = self._columns.get(label)
            if column is not None:
                fires[begin, end, column] = True
                fires[:begin, begin + 1 : end, column + 1] = True
                fires[begin + 1 : end, end + 1 :, column + 1] = True
        return FeatureTable.from_dense(self._names, fires.reshape(side * side, -1), span_index(edges))

    @cached_property
    def _labels(self) -> Sequence[str]:
        return tuple(dict.fromkeys(self.labels or (FINE if self.granularity == "fine" else COARSE)))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        kinds = self._labels if self.granularity == "fine" else (_UNION,)
        return tuple(kind + sign for kind in kinds for sign in "=+")

    @cached_property
    def _columns(self) -> dict[str, int]:
        """Where in `_names` a label's two features begin."""
        fine = self.granularity == "fine"
        return {label: 2 * index if fine else 0 for index, label in enumerate(self._labels)}

    @cached_property
    def _lines(self) -> list[str]:
        return read_lines(self.trees) if self.trees is not None else []

    def _tree(self, segment: Segment) -> Tree:
        if segment.tokens is None:
            message = f"SoftSyntax: expected a sentence, got a lattice: segment {segment.id}"
            raise InputError(message, path=segment.where)
        text, path, line = self._text(segment)
        tree = parse_tree(text, path=path, line=line)
        if tree.tokens and len(tree.tokens) != len(segment.tokens):
            words = f"{len(segment.tokens)} words, as in segment {segment.id}"
            message = f"expected a tree of {words}, got one of {len(tree.tokens)}"
            raise InputError(message, path=path, line=line)
        return tree

    def _text(self, segment: Segment) -> tuple[str, Path | str, int | None]:
        """Find the tree as text, and file and line where it stands."""
        if segment.tree is not None:
            return segment.tree, segment.where, None
        if self.trees is None:
            message = f"SoftSyntax: segment {segment.id} has no tree, and no file of trees is given"
            raise InputError(message, path=segment.where)
        line = segment.index + 1
        if line > len(self._lines):
            message = f"expected the tree of segment {segment.id}, got the end of the file"
            raise InputError(message, path=self.trees, line=line)
        return self._lines[segment.index], self.trees, line

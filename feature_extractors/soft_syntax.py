"""Soft syntactic constraints (Marton and Resnik 2008; Chiang, Marton and Resnik 2008, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hopefear.base.lines import each_line
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

from .keyed import check_choice, tokens_of

COARSE = ("NP", "PP", "S", "VP", "SBAR", "ADJP", "ADVP", "QP")
FINE = ("NP", "PP", "S", "VP", "SBAR", "ADJP", "WHNP", "PRT", "ADVP", "PRN", "QP")
_UNION = "XP"


@dataclass(kw_only=True, eq=False)
class SoftSyntax(EdgeFeatures):
    """Whether the source span of a rule is a constituent of the source's parse, or crosses one.

    Fine features, for each label X: ``X=`` fires if the span is the span of a constituent labelled X; if
    several constituents have the span, each of their labels fires. ``X+`` fires if the span crosses the
    boundary of an X: the two share some words, and neither contains the other. The coarse features ``XP=``
    and ``XP+`` fire if those of any label do. All features are binary, for any number of constituents.
    Constituents of one tree never cross each other, so an edge that fires an ``=`` fires no ``+``.

    Two features per label, with separate weights, are Marton and Resnik's X2; `conflated` gives their ``X_``
    instead, one feature that is 1 if ``X=`` fires and -1 if ``X+`` fires. cdec's ``SoftSyntaxFeatures`` has
    both under these names.

    `boundaries` adds features of both ends of the span, which are not in the papers. The span begins with an
    X if the X has the same first word, and cuts into an X if the X begins before the span; in both cases the
    X ends before the span ends. The end of the span is treated likewise. ``X|Y=`` fires if the span begins
    with an X and ends with a Y, such as the span of a subject and its verb phrase (``NP|VP=``; Zollmann and
    Venugopal 2006 label it NP+VP); ``X|Y+`` fires if the span cuts into an X at its begin and into a Y at its
    end. ``double`` adds these for each label, ``X|X=`` and ``X|X+``, ``pairs`` for each pair of labels. In
    the coarse model all labels are the one label XP.

    The span of a rule includes the words of its nonterminals. All rules fire, as in both papers, on all edges
    but the edge into the goal node, as in cdec's ``SoftSynFeature``. So glue rules fire, whose spans begin
    with the sentence (``[S] ||| [X,1] ||| [1]`` repeats the features of the rule below), and so do rules and
    passed-through words that span a single word.

    Parameters
    ----------
    trees : Path or str, optional
        A file with a Penn tree for each segment of the input, one per line, plain or gzip. A segment's own
        tree takes precedence. A line without words (the parser failed) fires nothing.
    granularity : {"fine", "coarse"}
        Which features fire.
    labels : sequence of str, optional
        The labels, without functional tags; by default the paper's (`FINE`, `COARSE`).
    boundaries : {"single", "double", "pairs"}
        Whether to add the features of both ends, for each label or for each pair of labels.
    conflated : bool
        Fire one feature ``X_`` in place of ``X=`` and ``X+``, with value ``X=`` minus ``X+``; pairs likewise.
    """

    fires: ClassVar[tuple[str, ...]] = ("*=", "*+", "*_")

    trees: Path | str | None = None
    granularity: Literal["fine", "coarse"] = "fine"
    labels: Sequence[str] | None = None
    boundaries: Literal["single", "double", "pairs"] = "single"
    conflated: bool = False

    def prepare(self) -> None:
        """Check the arguments and read the trees' file."""
        check_choice(self, "granularity", "fine", "coarse")
        check_choice(self, "boundaries", "single", "double", "pairs")
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
        match, cross = self._fires(tree, edges.source_length + 1)
        fires = match.astype(np.int8) - cross if self.conflated else np.stack([match, cross], axis=3)
        return FeatureTable.from_dense(self._names, fires.reshape(len(match) ** 2, -1), span_index(edges))

    def _fires(self, tree: Tree, side: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell for each span [i, j), i, j < side, which kinds fire ``=`` and which fire ``+``."""
        if self.boundaries == "single":
            return self._single(tree, side)
        match, begins, ends, cuts_in, cuts_out = np.zeros((5, side, side, len(self._kinds)), bool)
        for label, begin, end in tree.constituents:
            kind = self._kind_of.get(label)
            if kind is not None:
                match[begin, end, kind] = True
                begins[begin, end + 1 :, kind] = True
                ends[:begin, end, kind] = True
                cuts_in[begin + 1 : end, end + 1 :, kind] = True
                cuts_out[:begin, begin + 1 : end, kind] = True
        first, second = self._pairs
        return (
            np.concatenate([match, begins[..., first] & ends[..., second]], axis=2),
            np.concatenate([cuts_in | cuts_out, cuts_in[..., first] & cuts_out[..., second]], axis=2),
        )

    def _single(self, tree: Tree, side: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """As `_fires`, without the features of both ends."""
        match, cross = np.zeros((2, side, side, len(self._kinds)), bool)
        for label, begin, end in tree.constituents:
            kind = self._kind_of.get(label)
            if kind is not None:
                match[begin, end, kind] = True
                cross[begin + 1 : end, end + 1 :, kind] = True
                cross[:begin, begin + 1 : end, kind] = True
        return match, cross

    @cached_property
    def _kinds(self) -> tuple[str, ...]:
        """The first parts of names."""
        if self.granularity == "coarse":
            return (_UNION,)
        return tuple(dict.fromkeys(self.labels or FINE))

    @cached_property
    def _kind_of(self) -> dict[str, int]:
        """The index of each label in `_kinds`."""
        if self.granularity == "coarse":
            return dict.fromkeys(self.labels or COARSE, 0)
        return {label: kind for kind, label in enumerate(self._kinds)}

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pairs of kinds at the begin and at the end of a span."""
        kinds = np.arange(len(self._kinds))
        if self.boundaries == "double":
            return kinds, kinds
        return np.repeat(kinds, len(kinds)), np.tile(kinds, len(kinds))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        kinds = self._kinds
        if self.boundaries != "single":
            kinds += tuple(f"{kinds[i]}|{kinds[j]}" for i, j in zip(*self._pairs, strict=True))
        return tuple(kind + sign for kind in kinds for sign in ("_" if self.conflated else "=+"))

    @cached_property
    def _lines(self) -> list[str]:
        return list(each_line(self.trees)) if self.trees is not None else []

    def _tree(self, segment: Segment) -> Tree:
        tokens = tokens_of(segment, "SoftSyntax")
        text, path, line = self._text(segment)
        tree = parse_tree(text, path=path, line=line)
        if tree.tokens and len(tree.tokens) != len(tokens):
            words = f"{len(tokens)} words, as in sentence {segment.number}"
            message = f"expected a tree of {words}, got one of {len(tree.tokens)}"
            raise InputError(message, path=path, line=line)
        return tree

    def _text(self, segment: Segment) -> tuple[str, Path | str, int | None]:
        """Find the segment's tree as text, with file and line."""
        if segment.tree is not None:
            return segment.tree, segment.where, None
        if self.trees is None:
            message = f"SoftSyntax: sentence {segment.number} has no tree: give --trees"
            raise InputError(message, path=segment.where)
        line = segment.index + 1
        if line > len(self._lines):
            message = f"expected the tree of sentence {segment.number}, got the end of the file"
            raise InputError(message, path=self.trees, line=line)
        return self._lines[segment.index], self.trees, line

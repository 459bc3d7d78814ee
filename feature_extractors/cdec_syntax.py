"""The features of source trees that cdec has, under cdec's names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base.lines import each_line
from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    PluginError,
    RuleBatch,
    Segment,
    growing,
    name_fault,
    span_index,
)
from hopefear.plugins.keys import edge_uses

from .keyed import Numbering, named_rows
from .source_trees import labelled_spans

_VARIANTS = "2_+-"


@dataclass(kw_only=True, eq=False)
class ParseMatchFeatures(EdgeFeatures):
    """cdec's ``ParseMatchFeatures``: how near a rule's span is to a constituent (Vilar et al. 2008).

    ``PM`` depends on the number of words that are to be added at the ends of the span, or taken away, to get
    a constituent (`hopefear.feature_extractors.source_trees.LabelledSpans.nearest`). A single word that is no
    constituent counts as one; in cdec its value is undefined.

    Parameters
    ----------
    method : str
        Only the first letter counts. ``binary``: 1 if the spans of the rule and of its nonterminals are
        constituents. ``linear``: 1 / (d + 1) for a distance of d words. ``exponential``: exp(-d).
        ``relative``: 1 for a constituent, as cdec divides integers.
    """

    fires: ClassVar[tuple[str, ...]] = ("PM",)

    method: str = "binary"

    def prepare(self) -> None:
        """Check the method."""
        if self.method[:1] not in ("b", "l", "e", "r"):
            message = "method must be binary, linear, exponential or relative"
            raise PluginError(f"ParseMatchFeatures: {message}, got {self.method!r}")

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each group of edges, which all rules of one source side share."""
        spans = labelled_spans(segment, "ParseMatchFeatures")
        if spans is None:
            return FeatureTable.empty(len(edges))
        distances, _ = spans.nearest()
        groups = edges.groups
        distance = distances[tuple(groups.span.T)]
        if self.method[:1] == "b":
            tails = np.concatenate([[0], np.cumsum(distances[tuple(groups.tail_span.T)])])
            below = tails[groups.tail_indptr[1:]] - tails[groups.tail_indptr[:-1]]
            value = (distance + below == 0).astype(np.float64)
        elif self.method[:1] == "l":
            value = 1.0 / (distance + 1)
        elif self.method[:1] == "e":
            value = np.exp(-distance.astype(np.float64))
        else:
            value = (distance == 0).astype(np.float64)
        return FeatureTable.from_dense(self.fires, value[:, None], edges.group.astype(np.int32))


@dataclass(kw_only=True, eq=False)
class SoftSyntaxFeatures(EdgeFeatures):
    """cdec's ``SoftSyntaxFeatures``: whether a rule's span has a label of the source tree.

    After Marton and Resnik (2008), but what does not match counts as crossing: the papers' features are
    `SoftSyntax`. For an item ``NP2`` of the list, a span labelled NP fires ``SOFT:NP_conform``, another span
    ``SOFT:NP_cross``; ``NP+`` has only the first, ``NP-`` only the second of these; for ``NP_``, ``SOFT:NP``
    is 1 or -1. Of several constituents with the same span, only the topmost counts.

    Parameters
    ----------
    labels : sequence of str
        Labels, each followed by ``2``, ``_``, ``+`` or ``-``. On a line of a cdec.ini they are separated by
        spaces.
    """

    fires: ClassVar[tuple[str, ...]] = ("SOFT:*",)
    spellings: ClassVar[Mapping[str, str]] = {"*": "labels"}

    labels: Sequence[str]

    def prepare(self) -> None:
        """Check the labels."""
        wrong = [item for item in self.labels if item[-1:] not in [*_VARIANTS] or name_fault(item)]
        if wrong or not self.labels or isinstance(self.labels, str):
            message = "labels must be labels, each followed by 2, _, + or -"
            raise PluginError(f"{type(self).__name__}: {message}, got {self.labels!r}")

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each span of the sentence."""
        spans = labelled_spans(segment, type(self).__name__)
        if spans is None:
            return FeatureTable.empty(len(edges))
        values: dict[str, NDArray[Any]] = {}
        for item in self.labels:
            label, variant = item[:-1], item[-1]
            number = spans.labels.index(label) if label in spans.labels else -1
            values.update(self._values(label, variant, spans.label, number, spans.nearest))
        matrix = np.stack([value.ravel() for value in values.values()], axis=1)
        return FeatureTable.from_dense(tuple(values), matrix, span_index(edges))

    def _values(
        self, label: str, variant: str, labels: NDArray[np.intp], number: int, nearest: Any
    ) -> Iterator[tuple[str, NDArray[Any]]]:
        match = labels == number
        if variant == "_":
            yield f"SOFT:{label}", np.where(match, 1, -1)
        if variant in "2+":
            yield f"SOFT:{label}_conform", match
        if variant in "2-":
            yield f"SOFT:{label}_cross", ~match


class SoftSyntaxFeaturesMindist(SoftSyntaxFeatures):
    """cdec's ``SoftSyntaxFeaturesMindist``: `SoftSyntaxFeatures` of the constituent nearest to a rule's span.

    The nearest constituent and its distance in words are those of `ParseMatchFeatures`. If it is labelled NP,
    ``NP2`` fires ``SOFTM:NP_conform`` at distance 0, else ``SOFTM:NP_cross``; ``NP+`` has only the first of
    these; for ``NP_``, ``SOFTM:NP`` is 1 at distance 0, else -1. If it is not labelled NP, ``NP-`` fires
    ``SOFTM:NP_cross`` at distances above 0.

    Parameters are those of `SoftSyntaxFeatures`.
    """

    fires: ClassVar[tuple[str, ...]] = ("SOFTM:*",)

    def _values(
        self, label: str, variant: str, labels: NDArray[np.intp], number: int, nearest: Any
    ) -> Iterator[tuple[str, NDArray[Any]]]:
        distance, nearest_label = nearest()
        match, exact = nearest_label == number, distance == 0
        if variant == "_":
            yield f"SOFTM:{label}", np.where(match, np.where(exact, 1, -1), 0)
        if variant in "2+":
            yield f"SOFTM:{label}_conform", match & exact
        if variant == "2":
            yield f"SOFTM:{label}_cross", match & ~exact
        if variant == "-":
            yield f"SOFTM:{label}_cross", ~match & ~exact


@dataclass(kw_only=True, eq=False)
class SourceSyntaxFeatures(EdgeFeatures):
    """cdec's ``SourceSyntaxFeatures``: a rule with the labels of its spans (Blunsom and Osborne 2008).

    ``[X] ||| [X,1] de [X,2] ||| [2] 's [1]`` over an NP that consists of an NP, ``de`` and a span without
    label fires ``SSYN:NP:[NP]_de_[XX]:[2]_'s_[1]``. Of several constituents with the same span, the topmost
    counts. Equal signs and semicolons stay. If a rule can split a span in several ways, such as a glue rule,
    cdec names all of them after the first split that it finds. Most features belong to one sentence only.

    Parameters
    ----------
    features : Path or str, optional
        A file of names, one a line; without it, or if it is empty, all names fire.
    """

    fires: ClassVar[tuple[str, ...]] = ("SSYN:*",)
    _lexical: ClassVar[bool] = True

    features: Path | str | None = None

    def prepare(self) -> None:
        """Read the names."""
        _ = self._known

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Number the rules by their words."""
        source = list(pairwise(rules.source_indptr.tolist()))
        target = list(pairwise(rules.target_indptr.tolist()))
        numbers = np.zeros(len(rules), np.int32)
        for rule, ((f, f_end), (e, e_end)) in enumerate(zip(source, target, strict=True)):
            words = [
                f"[{1 - symbol}]" if symbol <= 0 else rules.symbol(symbol)
                for symbol in rules.target[e:e_end].tolist()
            ]
            numbers[rule] = self._patterns[
                (*self._template(rules, rules.source[f:f_end].tolist()), "_".join(words))
            ]
        return numbers

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each rule with each sequence of labels."""
        spans = labelled_spans(segment, type(self).__name__)
        if spans is None:
            return FeatureTable.empty(len(edges))
        groups = edges.groups
        heads = spans.label[tuple(groups.span.T)].tolist()
        tails = spans.label[tuple(groups.tail_span.T)].tolist()
        numbers: Numbering[tuple[int, ...]] = Numbering()
        ends = pairwise(groups.tail_indptr.tolist())
        sequences = [numbers[(head, *tails[a:b])] for head, (a, b) in zip(heads, ends, strict=True)]
        row, rules, used = edge_uses(edges, np.array(sequences, np.int32))
        patterns, label_numbers = list(self._patterns), list(numbers)
        return named_rows(
            (
                self._allowed(spans.labels, patterns[rule - 1], label_numbers[sequence - 1])
                for rule, sequence in zip(rules.tolist(), used.tolist(), strict=True)
            ),
            row,
        )

    def _template(self, rules: RuleBatch, source: list[int]) -> Iterator[str]:
        """Yield the texts before, between and after the labels of a source side."""
        text = ""
        for position, symbol in enumerate(source):
            between = "_" if position and (self._lexical or symbol < 0) else ""
            if symbol < 0:
                yield f"{text}{between}["
                text = "]"
            elif self._lexical:
                text += between + rules.symbol(symbol)
        yield text

    def _allowed(
        self, labels: Sequence[str], pattern: tuple[str, ...], numbers: tuple[int, ...]
    ) -> Sequence[str]:
        head, *tails = (labels[number] for number in numbers)
        first, *rest, target = pattern
        source = first + "".join(label + text for label, text in zip(tails, rest, strict=True))
        name = f"{self.fires[0][:-1]}{head}:{source}:{target}"
        return (name,) if not self._known or name in self._known else ()

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset() if self.features is None else frozenset(each_line(self.features))

    @growing
    def _patterns(self) -> Numbering[tuple[str, ...]]:
        return Numbering()


class SourceSyntaxFeatures2(SourceSyntaxFeatures):
    """cdec's ``SourceSyntaxFeatures2``: `SourceSyntaxFeatures` without the source words.

    The example there fires ``SSYN2:NP:[NP]_[XX]:[2]_'s_[1]``.

    Parameters are those of `SourceSyntaxFeatures`.
    """

    fires: ClassVar[tuple[str, ...]] = ("SSYN2:*",)
    _lexical: ClassVar[bool] = False

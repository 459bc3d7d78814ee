"""BLEU (Papineni, Roukos, Ward & Zhu 2002) and its smoothed forms, from one vector of n-gram counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from .base import Metric, PreparedReferences, Sentence, Statistics, Tokens, check_order

EffectiveReferenceLength = Literal["closest", "shortest", "average"]
Smoothing = Literal["none", "add-one", "floor", "qcri"]

FLOOR = 0.01
"""The number of matches that cdec's BLEU assumes for an n-gram order without a match."""
MANY = 16
"""The number of hypotheses from which counting all of them at once is faster."""


@dataclass(frozen=True, kw_only=True)
class Bleu(Metric):
    """BLEU over the given tokens, from 0 to 100.

    The statistics are those of Chiang, Marton & Resnik 2008, section 2.2: ``[hypothesis length, effective
    reference length, n-grams of the hypothesis for n = 1…order, clipped n-gram matches for n = 1…order]``.

    Parameters
    ----------
    order : int
        Longest n-gram.
    effective_reference_length : {"closest", "shortest", "average"}
        The length that counts if there are several references: the closest to the hypothesis, or the shorter
        of two equally close lengths (sacrebleu; cdec's IBM_BLEU), the shortest (Chiang et al. 2008; cdec's
        NIST_BLEU) or the average (cdec's KOEHN_BLEU).
    smoothing : {"none", "add-one", "floor", "qcri"}
        How the score treats n-gram orders without a match.

        - "none": the score is 0, as in sacrebleu with ``smooth_method='none'``.
        - "add-one": one is added to n-grams and matches for n > 1: BLEU+1 (Lin & Och 2004).
        - "floor": 0.01 counts as the number of matches, and orders without n-grams are left out: cdec's BLEU.
        - "qcri": cdec's QCRI_BLEU, after Nakov, Guzmán & Vogel 2012. 1 counts as the number of matches, and
          orders without n-grams are left out. A hypothesis that is too short is penalised as if the reference
          were one token longer. The score of add-one smoothing of every order without any match is
          subtracted.

    Raises
    ------
    ValueError
        If the order is below 1 or an option is unknown.
    """

    order: int = 4
    effective_reference_length: EffectiveReferenceLength = "closest"
    smoothing: Smoothing = "none"

    def __post_init__(self) -> None:
        check_order("order", self.order)
        options = {"effective_reference_length": EffectiveReferenceLength, "smoothing": Smoothing}
        for name, known in options.items():
            if getattr(self, name) not in get_args(known):
                raise ValueError(f"{name} must be one of {get_args(known)}, got {getattr(self, name)!r}")

    @property
    def size(self) -> int:
        """Return the length of the statistics vector."""
        return 2 + 2 * self.order

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return (
            f"BLEU|order:{self.order}|reflen:{self.effective_reference_length}"
            f"|case:mixed|tok:none|smooth:{self.smoothing}"
        )

    def sentence_score(self, hypothesis: Sentence, references: Sequence[Sentence]) -> float:
        """BLEU+1 of one sentence (Lin & Och 2004), 0 to 100, for every setting of `smoothing`."""
        return replace(self, smoothing="add-one").score(self.stats(hypothesis, references))

    def _prepare(self, references: Sequence[Tokens]) -> PreparedReferences:
        return _BleuReferences(references, self.order, self.effective_reference_length)

    def _scores(self, stats: Statistics) -> Statistics:
        length, reference_length = stats[..., 0], stats[..., 1]
        counts, matches = stats[..., 2 : 2 + self.order], stats[..., 2 + self.order :]
        if self.smoothing == "qcri":
            too_short = length < reference_length
            penalty = np.where(too_short, log_brevity_penalty(length, reference_length + 1), 0.0)
            precision = _floored_log_precision(counts, matches, 1.0)
            ground = _floored_log_precision(counts + (counts > 0), np.zeros_like(matches), 1.0)
            return 100 * (np.exp(precision + penalty) - np.exp(ground + penalty))
        penalty = log_brevity_penalty(length, reference_length)
        if self.smoothing == "floor":
            return 100 * np.exp(_floored_log_precision(counts, matches, FLOOR) + penalty)
        if self.smoothing == "add-one":
            # Without any match BLEU+1 is 0: the unigrams are not smoothed.
            extra = np.arange(self.order) > 0
            counts, matches = counts + extra, matches + extra
        return 100 * np.exp(log_precision(counts, matches) + penalty)


def log_brevity_penalty(length: Statistics, reference_length: Statistics) -> Statistics:
    """min(0, 1 - r/h), and minus infinity for an empty hypothesis."""
    ratio = np.divide(reference_length, length, out=np.full_like(length, np.inf), where=length > 0)
    return np.minimum(0.0, 1.0 - ratio)


def log_precision(counts: Statistics, matches: Statistics) -> Statistics:
    """Mean log precision over all orders; minus infinity if one of them has no match or no n-gram."""
    precision = np.divide(matches, counts, out=np.zeros_like(counts), where=counts > 0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(precision).mean(axis=-1))


def _floored_log_precision(counts: Statistics, matches: Statistics, floor: float) -> Statistics:
    """Mean log precision over the orders with n-grams; an order without a match counts `floor` matches."""
    present = counts > 0
    floored = np.where(matches > 0, matches, floor)
    logs = np.log(np.divide(floored, counts, out=np.ones_like(counts), where=present))
    return np.asarray(logs.sum(axis=-1) / np.maximum(present.sum(axis=-1), 1))


# The n-grams of the references as a tree: a token leads to the number of the n-gram that ends in the token
# and to the extensions of that n-gram. An n-gram that is not in the tree is not part of a longer match
# either.
_NgramTree = dict[str, tuple[int, "_NgramTree"]]


class _BleuReferences(PreparedReferences):
    """The n-grams and lengths of the references of one sentence."""

    def __init__(
        self, references: Sequence[Tokens], order: int, effective_length: EffectiveReferenceLength
    ) -> None:
        self._order = order
        self._lengths = sorted(len(reference) for reference in references)
        self._fixed_length: float | None = None
        if effective_length == "shortest":
            self._fixed_length = self._lengths[0]
        elif effective_length == "average":
            self._fixed_length = sum(self._lengths) / len(self._lengths)
        self._tree: _NgramTree = {}
        self._clip: list[int] = []  # by n-gram number: its maximal count in one reference
        for reference in references:
            self._add(reference)

    def _add(self, reference: Tokens) -> None:
        occurrences: Counter[int] = Counter()
        for start in range(len(reference)):
            tree = self._tree
            for token in reference[start : start + self._order]:
                if token not in tree:
                    tree[token] = (len(self._clip), {})
                    self._clip.append(0)
                number, tree = tree[token]
                occurrences[number] += 1
        for number, count in occurrences.items():
            self._clip[number] = max(self._clip[number], count)

    def _effective_length(self, hypothesis_length: int) -> float:
        if self._fixed_length is not None:
            return self._fixed_length
        # Sorted lengths: of two equally close lengths the shorter comes first.
        return min(self._lengths, key=lambda length: abs(length - hypothesis_length))

    def _stats(self, hypothesis: Tokens) -> Statistics:
        length = len(hypothesis)
        remaining = self._clip.copy()
        matches = [0] * self._order
        for start in range(length):
            tree = self._tree
            for n, token in enumerate(hypothesis[start : start + self._order]):
                if token not in tree:
                    break
                number, tree = tree[token]
                if remaining[number]:
                    remaining[number] -= 1
                    matches[n] += 1
        counts = [max(0, length - n) for n in range(self._order)]
        return np.array([length, self._effective_length(length), *counts, *matches], dtype=np.float64)

    def _batch(self, hypotheses: list[Tokens]) -> Statistics:
        if len(hypotheses) < MANY:
            return super()._batch(hypotheses)
        # The tree as a table, which the positions of all hypotheses descend in parallel.
        automaton = self._automaton
        length = np.array([len(hypothesis) for hypothesis in hypotheses])
        hypothesis_of = np.repeat(np.arange(len(length)), length)
        left = np.repeat(np.cumsum(length), length) - np.arange(len(hypothesis_of))  # tokens up to the end
        known = automaton.vocabulary
        token = np.array([known.get(word, 0) for words in hypotheses for word in words], np.intp)
        place, node = np.arange(len(token)), np.zeros(len(token), np.intp)
        statistics = np.empty((len(length), 2 + 2 * self._order))
        statistics[:, 0] = length
        lengths, inverse = np.unique(length, return_inverse=True)
        statistics[:, 1] = np.array([self._effective_length(int(own)) for own in lengths])[inverse]
        for n in range(self._order):
            within = left[place] > n
            place, node = place[within], node[within]
            node = automaton.step[node, token[place + n]]
            found = node > 0
            place, node = place[found], node[found]
            ngrams = automaton.of_order[n]
            times = np.bincount(
                hypothesis_of[place] * len(ngrams) + automaton.rank[node], minlength=len(length) * len(ngrams)
            ).reshape(len(length), len(ngrams))
            statistics[:, 2 + n] = np.maximum(length - n, 0)
            statistics[:, 2 + self._order + n] = np.minimum(times, automaton.clip[ngrams]).sum(axis=1)
        return statistics

    @cached_property
    def _automaton(self) -> _Automaton:
        return _Automaton(self._tree, self._clip, self._order)


class _Automaton:
    """The tree of a sentence's n-grams as arrays; the root is 0, n-gram i is node i + 1.

    Attributes
    ----------
    vocabulary : dict of str to int
        The references' tokens, from 1.
    step : array of int, shape (nodes, tokens + 1)
        The node that a token leads to from a node; 0 for none.
    of_order : list of arrays of int
        The nodes of the n-grams, for n = 1…order.
    rank : array of int, shape (nodes,)
        The index of a node among the nodes of its order.
    clip : array of int, shape (nodes,)
    """

    def __init__(self, tree: _NgramTree, clip: list[int], order: int) -> None:
        self.vocabulary = {token: number for number, token in enumerate(tree, 1)}
        self.clip = np.array([0, *clip])
        self.step = np.zeros((len(self.clip), len(tree) + 1), np.intp)
        self.rank = np.zeros(len(self.clip), np.intp)
        self.of_order = []
        level = [(0, tree)]
        for _ in range(order):
            below = []
            for node, children in level:
                for token, (number, extensions) in children.items():
                    self.step[node, self.vocabulary[token]] = number + 1
                    below.append((number + 1, extensions))
            level = below
            nodes = np.array([node for node, _ in level], np.intp)
            self.rank[nodes] = np.arange(len(nodes))
            self.of_order.append(nodes)

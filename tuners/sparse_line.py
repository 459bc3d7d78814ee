"""MERT over the dense features and a line through the sparse ones (Flanigan et al. 2013, section 5.1)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import (
    CdecProcess,
    Decoder,
    Hypergraph,
    KBestList,
    KBestSource,
    Segment,
    Weights,
    best_translations,
)
from hopefear.metrics import Bleu

from .base import State
from .batch_progress import BatchProgress, OnBatchPass, shared_settings
from .candidates import Candidates
from .dense_features import DenseFeatures
from .error_surface import spread
from .evaluation import corpus_score
from .gathering import Gathered, gather
from .mert import Mert

OLD, NEW = "Hols_w_f", "Hols_g_f"
"""The features f1 = w_s·f_s and f2 = g·f_s."""


class SparseLine:
    """Weights w_d + b w_s + α g, of which a search knows w_d, b and α only.

    Parameters
    ----------
    decoder : Decoder or CdecProcess
        Has weights of this kind from `install` on.
    dense : DenseFeatures
    start : array of float64
        w_d + w_s, by feature number.
    direction : array of float64
        g, by feature number, of sparse features.

    Attributes
    ----------
    weights : Weights
        w_d, and b and α as those of `OLD` and `NEW`, under the decoder's feature numbers. Weights of dense
        features count from when they have been seen in a translation.
    """

    def __init__(
        self,
        decoder: Decoder | CdecProcess,
        dense: DenseFeatures,
        start: NDArray[np.float64],
        direction: NDArray[np.float64],
    ) -> None:
        self.decoder = decoder
        self._dense_features = dense
        self._start, self._direction = start, direction
        self.weights = Weights(native=decoder.weights.native.sibling())
        self.weights.selection = decoder.weights.selection
        self._old, self._new = self.weights.id(OLD), self.weights.id(NEW)
        self.weights[OLD] = 1.0
        self._seen = np.zeros(0, bool)  # by feature number: dense, and its weight is one of `weights`
        self._lock = threading.Lock()

    @property
    def step(self) -> float:
        """α."""
        return float(self.weights.array[self._new])

    def reset(self) -> None:
        """Go back to the start."""
        self.weights.array[self._old], self.weights.array[self._new] = 1.0, 0.0
        seen = np.flatnonzero(self._seen)
        self.weights.array[seen] = _pick(self._start, seen)

    def on_line(self, reduced: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give b (w_d + w_s) + α g, the weights of all features that are not dense or have not been seen.

        Parameters
        ----------
        reduced : array of float64
            Values of `weights`; the result is as long.
        """
        features = np.arange(len(reduced))
        line: NDArray[np.float64] = reduced[self._old] * _pick(self._start, features)
        line += reduced[self._new] * _pick(self._direction, features)
        return line

    def install(self) -> None:
        """Give the decoder the weights of now."""
        reduced = self.weights.array
        full = self.on_line(reduced)
        seen = np.flatnonzero(self._seen)
        full[seen] = reduced[seen]
        self.decoder.weights.replace(full)

    def translate(self, number: int, segment: Segment) -> ReducedTranslation:
        """Translate a segment; its k-best lists have the features that MERT sees."""
        return ReducedTranslation(self, self.decoder.translate(segment))

    def reduce(self, translations: KBestList) -> KBestList:
        """Give translations of the decoder the features (f_d, f1, f2)."""
        count, features, values = len(translations), translations.features, translations.values
        dense = self._dense_features.mask(self.decoder, features)
        self._see(np.unique(features[dense]))
        row = np.repeat(np.arange(count), np.diff(translations.indptr))
        sparse = np.flatnonzero(~dense)
        lines = [
            np.bincount(row[sparse], _pick(w, features[sparse]) * values[sparse], minlength=count)
            for w in (self._start, self._direction)
        ]
        row = np.concatenate((row[dense], np.arange(count), np.arange(count)))
        both = np.repeat(np.array([self._old, self._new], np.int32), count)
        features = np.concatenate((features[dense], both))
        order = np.lexsort((features, row))
        return KBestList(
            translations.texts,
            np.concatenate(([0], np.cumsum(np.bincount(row, minlength=count)))),
            features[order],
            np.concatenate((values[dense], *lines))[order],
        )

    def restore(self, pool: Candidates) -> None:
        """Take the features of a pool of this line for seen."""
        features = pool.active
        self._mark(features[(features != self._old) & (features != self._new)])

    def _see(self, features: NDArray[np.int32]) -> None:
        """Begin with the weights that dense features have when they are seen first."""
        with self._lock:
            unseen = features[~_pick(self._seen, features)]
            self.weights.array[unseen] = self.weights.array[self._old] * _pick(self._start, unseen)
            self._mark(unseen)

    def _mark(self, features: NDArray[np.int32] | NDArray[np.int64]) -> None:
        size = int(features.max(initial=-1)) + 1
        if size > len(self._seen):
            self._seen = np.pad(self._seen, (0, size - len(self._seen)))
        self._seen[features] = True


@dataclass(frozen=True, slots=True)
class ReducedTranslation:
    """What the decoder made of a segment, with the features that MERT sees."""

    line: SparseLine
    forest: Hypergraph | KBestSource

    def best_translations(self, k: int, *, unique: bool = True) -> KBestList:
        """Give the k best translations."""
        return self.line.reduce(best_translations(self.forest, k, unique=unique))


class LineSearch(Mert):
    """MERT along a `SparseLine`; it has the settings of `Mert`.

    Attributes
    ----------
    score : float
        The metric's score of the segments, translated with the weights that `search` has found.
    """

    score: float

    def search(
        self,
        line: SparseLine,
        segments: Sequence[Segment],
        saved: State | None,
        on_sentence: Callable[[], None],
        on_pass: OnBatchPass,
    ) -> None:
        """Search on segments with references; the decoder has the learned weights in the end.

        They are those of the pass that did best when the segments were translated again, or the weights of
        the start where no pass did better.

        Parameters
        ----------
        saved : State or None
            To go on from: what `get_state` gave in a run that was stopped.

        Raises
        ------
        InputError
            Nothing can be translated; the state is of another run.
        TuningError
            The weights would not be finite, or all zero.
        """
        self._line = line
        metric = Bleu() if self.metric is None else self.metric
        pool = Candidates.of_corpus(segments, metric, line.weights)
        state = BatchProgress(pool, line.weights.array.copy())
        if saved is not None:
            state.set_state(saved, shared_settings(self, pool))
            line.restore(pool)

        def gathered() -> Gathered:
            line.install()
            return gather(
                pool, line.translate, segments, self.k, threads=self.threads, on_sentence=on_sentence
            )

        def translated(weights: NDArray[np.float64]) -> float:
            line.install()
            decoder = cast(Decoder, line.decoder)
            return corpus_score(decoder, segments, decoder.weights.array.copy(), metric)

        self._run(state, gathered, translated, on_pass, grows=True)
        sign = 1 if metric.higher_is_better else -1
        start = self.passes_[0].score
        self.score = sign * max(sign * score for score in self.score_per_pass_)
        if sign * self.score <= sign * start:
            self.score = start
            line.reset()
        line.install()

    def _optimize(
        self, pool: Candidates, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        before = pool.scores(weights)
        learned = super()._optimize(pool, weights, rng)
        # Only the direction counts here. Of its length the next gradient depends: costs add to scores.
        widths = spread(pool, np.stack((before, pool.scores(learned))))
        if widths.all():
            learned[pool.active] *= widths[0] / widths[1]
        # A dense feature that comes up in a later pass had this weight in this one.
        unseen = np.setdiff1d(np.arange(len(learned)), pool.active, assume_unique=True)
        learned[unseen] = self._line.on_line(learned)[unseen]
        return learned


def _pick(values: NDArray[Any], features: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[Any]:
    """Give the values of features, 0 beyond the end."""
    picked = np.zeros(len(features), values.dtype)
    known = np.flatnonzero(features < len(values))
    picked[known] = values[features[known]]
    return picked

"""MERT over the dense features and a line through the sparse ones (Flanigan et al. 2013, section 5.1)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np

from hopefear.base import InputError
from hopefear.decoder import Segment
from hopefear.metrics import Bleu, Metric
from hopefear.parallel import Executor, Serial

from ..batch import BatchRecord
from ..contract import Interval, Scored, State, TuningError, from_json
from ..pool import Climber
from .sharded_pool import ShardedPool, Sharding
from .sharded_surface import ShardedSurface
from .sparse_line import NEW, Reduced, SparseLine


class LineSearch:
    """MERT along a `SparseLine`, on k-best lists that stay where they are made.

    Its state is the weights of the passes, not the candidates: who goes on from it translates again.

    Parameters
    ----------
    passes, k, metric, restarts, features, seed
        See `Mert`.
    sharding : Sharding, optional
        How the candidates are divided among workers.

    Attributes
    ----------
    passes_ : list of BatchRecord
    score : float
        The metric's score of the segments, translated with the weights that `search` has found.
    interval : (float, float) or None
        Around it: see `Interval`.
    step : float
        α of these.
    """

    TOLERANCE = 1e-5
    """The search ends when the weights change by no more than this times their length."""

    score: float
    interval: Interval | None
    step: float

    def __init__(
        self,
        *,
        passes: int = 10,
        k: int = 100,
        metric: Metric | None = None,
        restarts: int = 20,
        features: Sequence[str] | None = None,
        seed: int = 0,
        sharding: Sharding | None = None,
    ) -> None:
        self.passes, self.k, self.metric = passes, k, metric
        self.restarts, self.features, self.seed = restarts, features, seed
        self.sharding = sharding
        self.passes_: list[BatchRecord] = []
        self._converged = False

    def search(
        self,
        line: SparseLine,
        segments: Sequence[Segment],
        *,
        saved: State | None = None,
        executor: Executor | None = None,
        on_sentence: Callable[[], None] = lambda: None,
        on_pass: Callable[[BatchRecord], None] = lambda record: None,
    ) -> None:
        """Search on segments with references; the decoder has the learned weights in the end.

        They are those of the pass that did best when the segments were translated again, or the weights of
        the start where no pass did better.

        Parameters
        ----------
        saved : State, optional
            To go on from: what `get_state` gave in a run that was stopped.
        executor : Executor, optional
            Where to translate, and to keep the candidates; this thread if not given.

        Raises
        ------
        InputError
            Nothing can be translated; `saved` is not the state of a line search; workers die of a segment,
            and the decoder has no `on_error`.
        TuningError
            The weights would not be finite, or all zero.
        WorkerDied
            Workers die again and again.
        """
        self._line, self._weights = line, [line.begin]
        if saved is not None:
            self._set_state(saved)
        metric = Bleu() if self.metric is None else self.metric
        where = Serial() if executor is None else executor
        pool = ShardedPool(where, line, segments, metric, self.k, self.sharding)
        try:
            for weights in self._weights[:-1]:
                pool.translate(weights, on_sentence)
                pool.merge()
            while len(self.passes_) < self.passes and not self._converged:
                self._pass(pool, on_sentence)
                on_pass(self.passes_[-1])
        finally:
            pool.close()
        self._choose(1 if metric.higher_is_better else -1)

    def get_state(self) -> State:
        """Give what a search goes on from, as of the last complete pass."""
        names = list(self._weights[-1])
        known = [self._line.with_seen(weights, names) for weights in self._weights]
        return {
            "facts": {
                "passes": [asdict(record) for record in self.passes_],
                "converged": self._converged,
                "features": names,
            },
            "arrays": {"weights": np.array([[weights[name] for name in names] for weights in known])},
        }

    def _set_state(self, state: State) -> None:
        try:
            facts, weights = state["facts"], state["arrays"]["weights"]
            self.passes_ = from_json(list[BatchRecord], facts["passes"], "passes")
            self._converged = bool(facts["converged"])
            self._weights = [dict(zip(facts["features"], row, strict=True)) for row in weights.tolist()]
            if len(self._weights) != len(self.passes_) + 1:
                raise ValueError("weights of each pass")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"expected the state of a line search; missing or wrong: {error}") from None

    def _pass(self, pool: ShardedPool, on_sentence: Callable[[], None]) -> None:
        """Translate, pool, optimise."""
        line, number = self._line, len(self.passes_) + 1
        clock, inside = time.thread_time(), pool.inside
        rows, skipped = pool.translate(self._weights[-1], on_sentence)
        merged = pool.merge()
        before = line.with_seen(self._weights[-1], (name for own in merged for name in own.names))
        after: Reduced = before
        new = sum(own.new for own in merged)
        if new:
            rng = np.random.default_rng([self.seed, number])
            after = self._optimize(pool, before, rng)
        full = line.full(after)
        if not np.all(np.isfinite(full)) or not np.all(np.isfinite(list(after.values()))):
            raise TuningError(
                f"the weights are no longer finite after pass {number}: scale the features down"
            )
        change = float(np.linalg.norm(full - line.full(before)))
        pool_score = pool.pool_score(after)
        own_seconds = time.thread_time() - clock - (pool.inside - inside)
        seconds = own_seconds + pool.seconds()
        before_it, after_it = Scored.of(rows, pool.metric), pool.score(after)
        self.passes_.append(
            BatchRecord(
                pass_number=number,
                metric=pool.metric.name,
                score=before_it.score,
                pool_score=pool_score,
                development_score=after_it.score,
                candidates=sum(own.candidates for own in merged),
                new=new,
                change=change,
                skipped=skipped,
                seconds=seconds,
                score_interval=before_it.interval,
                development_interval=after_it.interval,
            )
        )
        self._weights.append(dict(after))
        self._converged = change <= self.TOLERANCE * float(np.linalg.norm(full))

    def _optimize(self, pool: ShardedPool, before: Reduced, rng: np.random.Generator) -> Reduced:
        """Fit the weights to the pool."""
        surface = ShardedSurface(pool, before, self.features)
        if not surface.features:
            return before
        begin = surface.position()
        best = Climber(self.restarts).search(surface, begin, rng)
        if np.array_equal(best, begin):
            return before
        learned = surface.weights(best)
        if self.features is None and best.any():
            # As in `Mert`, the weights that do not count, since their features vary nowhere, keep pace.
            norms = [np.linalg.norm([own[name] for name in surface.features]) for own in (before, learned)]
            if norms[0] > 0:
                learned.update(
                    {name: learned[name] * float(norms[0] / norms[1]) for name in surface.features}
                )
        # Only the direction counts here. Of its length the next gradient depends: costs add to scores.
        widths = pool.deviations(before, learned)
        scale = float(widths[0] / widths[1]) if widths.all() else 1.0
        return {name: scale * weight for name, weight in learned.items()}

    def _choose(self, sign: int) -> None:
        """Take the pass that did best, or the start."""
        scores = [
            sign * record.development_score for record in self.passes_ if record.development_score is not None
        ]
        best = int(np.argmax(scores))
        learned: Reduced = self._weights[best + 1]
        self.score, self.interval = sign * scores[best], self.passes_[best].development_interval
        if scores[best] <= sign * self.passes_[0].score:
            self.score, learned = self.passes_[0].score, self._line.begin
            self.interval = self.passes_[0].score_interval
        self.step = learned[NEW]
        self._line.install(learned)

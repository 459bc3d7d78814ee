"""MERT over the dense features and a line through the sparse ones (Flanigan et al. 2013, section 5.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.base.progress import ProgressBar
from hopefear.decoder import Segment
from hopefear.parallel import Executor, Serial

from ..batch import BatchRecord, Mert, PoolLoop
from ..contract import Hooks, Interval, Scored, Training, fact
from ..pool import Pool
from .sharded_pool import ShardedPool, Sharding
from .sparse_line import NEW, OLD, Reduced, SparseLine


@dataclass(eq=False)
class Steps:
    """The passes of a line search; whoever goes on from them translates with the weights of each again."""

    records: list[BatchRecord] = fact([])
    weights: list[dict[str, float]] = fact([])
    converged: bool = fact(False)

    def restored(self) -> None:
        """Raise ValueError where these are no passes of a line search."""
        if not all({OLD, NEW} <= set(own) for own in self.weights):
            raise ValueError(f"weights of {OLD} and {NEW}")
        begun = bool(self.weights)
        if len(self.weights) != len(self.records) + begun:
            raise ValueError("weights of each pass")


@dataclass(kw_only=True, eq=False, repr=False)
class LineSearch(Mert):
    """MERT along a `SparseLine`, on k-best lists that stay where they are made."""

    sharding: Sharding = field(default_factory=Sharding)

    score: float = field(init=False)
    interval: Interval | None = field(init=False)
    step: float = field(init=False)

    def search(
        self,
        line: SparseLine,
        segments: Sequence[Segment],
        *,
        steps: Steps | None = None,
        executor: Executor | None = None,
        on_sentence: Callable[[], None] = lambda: None,
        on_pass: Callable[[BatchRecord], None] = lambda record: None,
    ) -> None:
        """Search on segments with references; the decoder has the learned weights in the end."""
        where, metric = Serial() if executor is None else executor, self._corpus_metric
        with closing(ShardedPool(where, line, segments, metric, self.k, self.sharding)) as pool:
            run = self._run = SearchLoop(self, pool, line, Steps() if steps is None else steps)
            for weights in run.steps.weights[:-1]:
                pool.gather(weights, on_sentence)
            hooks = Hooks(ProgressBar(show=False), on_sentence=on_sentence, on_pass=on_pass)
            training = Training(line.decoder, segments, where, hooks, resumed=False)
            run.go(partial(run.one_pass, training), pool.score, hooks, passes=self.passes)
        (self.score, self.interval), learned = run.best()
        self.step = learned[NEW]
        line.install(learned)

    def optimize(self, pool: Pool[Any], weights: Floats, rng: np.random.Generator) -> Floats:
        """Search along the line, and keep the spread of the scores."""
        learned = super().optimize(pool, weights, rng)
        # Only the direction counts here. Of its length the next gradient depends: costs add to scores.
        widths = [pool.measure(np.zeros(0, np.int64), own)[0][0] for own in (weights, learned)]
        return learned * (widths[0] / widths[1]) if all(widths) else learned


@dataclass(init=False, eq=False)
class SearchLoop(PoolLoop[ShardedPool]):
    """Runs a line search, whose candidates stay where they are made."""

    def __init__(self, search: LineSearch, pool: ShardedPool, line: SparseLine, steps: Steps) -> None:
        if not steps.weights:
            steps.weights.append(line.begin)
        pool.weights.update(steps.weights[-1])
        super().__init__(search, pool, {})
        self._line, self.steps = line, steps
        self.records, self.converged = steps.records, steps.converged

    def one_pass(self, training: Training) -> tuple[BatchRecord, Floats]:
        """Translate with the present weights, and search along the lines of all candidates."""
        pool, on_sentence = self.pool, training.hooks.sentence
        return self.learn(lambda: pool.gather(pool.named(pool.weights.array), on_sentence))

    def full(self, weights: Floats) -> Floats:
        """Return the weights of all features of the decoder."""
        return self._line.full(self.pool.named(weights))

    def seconds(self) -> float:
        """Return the processor time so far, wherever it was spent."""
        return self.pool.seconds()

    def finish(self, record: BatchRecord, learned: Floats, development: Scored | None) -> None:
        """Record a pass, and choose its weights if they do best so far."""
        super().finish(record, learned, development)
        self.steps.weights.append(self.pool.named(learned))
        self.steps.converged = self.converged

    def best(self) -> tuple[Scored, Reduced]:
        """Return the score and the weights of the best pass, or of the beginning where none is better."""
        sign, first = 1 if self.metric.higher_is_better else -1, self.records[0]
        scores = [Scored(first.score, first.score_interval)]
        for record in self.records:
            assert record.development_score is not None
            scores.append(Scored(record.development_score, record.development_interval))
        best = int(np.argmax([sign * own.score for own in scores]))
        return scores[best], self.steps.weights[best]

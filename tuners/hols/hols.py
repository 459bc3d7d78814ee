"""Held-out line search, HOLS (Flanigan, Dyer & Carbonell 2013): a gradient, then a line search along it."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.decoder import Segment, Translator, Weights
from hopefear.metrics import Metric
from hopefear.parallel import Executor, WorkerDied

from ..batch import BatchRecord
from ..contract import (
    ByFamily,
    Can,
    FeatureFamilies,
    Hooks,
    Interval,
    PassTuner,
    Run,
    Scored,
    Training,
    TuningError,
    array,
    fact,
    part,
    read_checkpoint,
    resuming,
    setting,
    shared_settings,
    skip_dead,
    write_checkpoint,
)
from ..pool import grounded_metric
from .dense_features import DenseFeatures
from .folds import DataSplit, Fold, dealt
from .gradient_sum import GradientSum, PartialSum
from .loss_gradient import GradientTask, SentenceLoss
from .sparse_line import SparseLine
from .sparse_line_search import LineSearch, Steps

Self = TypeVar("Self", bound="Hols")

_AFTER_GRADIENT = {
    "conditioning",
    "min_count",
    "line_search_passes",
    "line_search_k",
    "restarts",
    "between_passes",
    "metric",
    "families",
}
"""Settings that matter only once a gradient is complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HolsRecord(BatchRecord):
    """One update: a gradient, then a line search; see `BatchRecord`.

    `pass_number` is the number of the update. `score`, `pool_score`, `candidates` and `new` are of the set of
    the line search, whose pool is new in each update; `skipped` counts training segments.

    Attributes
    ----------
    sentences : int
        Training segments that the gradient was taken over.
    loss : float
        Their soft ramp, with the weights that the update began with.
    features : int
        Sparse features that the gradient moves.
    step : float
        α, the weight of g·f_s.
    searches : int
        Passes of the line search.
    search_score : float
        Of the set of the line search, translated with the weights that the update ended with.
    search_interval : (float, float) or None
        Around it: see `hopefear.tuners.contract.base.Interval`.
    held_out : bool
        Whether the set of the line search is another one than that of the last update.
    """

    sentences: int
    loss: float
    features: int
    step: float
    searches: int
    search_score: float
    search_interval: Interval | None = None
    held_out: bool = False

    @property
    def _own_score(self) -> float:
        return self.search_score

    @property
    def note(self) -> str:
        """Say in a few words how well it went, for a progress bar."""
        return self.with_development(f"line search {self.metric} {self.search_score:.2f}")


@dataclass(init=False, eq=False)
class HolsLoop(Run[HolsRecord]):
    """Runs HOLS, and stands wherever a stopped run is to go on."""

    KIND = "HOLS"
    PASS = "update"

    records: list[HolsRecord] = fact([])
    begin: Floats = array(by_feature=True, copied=False)
    gradient: GradientSum = part(GradientSum)
    direction: Floats | None = array(optional=True, by_feature=True, copied=False)
    """What came of the gradient, once it is complete."""
    search: Steps | None = part(Steps, optional=True)

    def __init__(
        self,
        hols: Hols,
        weights: Weights,
        metric: Metric,
        settings: dict[str, str],
        split: DataSplit,
        loss: SentenceLoss,
        before_last: Path | None,
    ) -> None:
        super().__init__(weights, metric, settings)
        self.hols, self.split, self.loss, self.before_last = hols, split, loss, before_last
        self._begin_update(weights.array.copy())

    def _begin_update(self, weights: Floats) -> None:
        self.begin, self.gradient = weights, GradientSum()
        self.direction = self.search = None

    def learned(self) -> Floats:
        """Return the weights after the last update, by feature number."""
        return self.begin

    def finish(self, record: HolsRecord, learned: Floats, development: Scored | None) -> None:
        """Record an update, choose its weights if they do best so far, and begin the next."""
        super().finish(record, learned, development)
        self._begin_update(learned)

    @contextmanager
    def prepared(self, training: Training) -> Iterator[None]:
        """Begin with the state before the last line search, if another run has saved it."""
        path = self.before_last
        if path is not None and path.exists() and not training.resumed:
            with resuming(path):
                self.set_state(read_checkpoint(path), free_before_last(self.hols))
            self.direction = self._direction()
        yield

    def sentences(self, passes: int, count: int) -> tuple[int | None, int]:
        """Tell that the number of sentences is not known."""
        return None, 0

    def one_pass(self, training: Training) -> tuple[HolsRecord, Floats]:
        """Do an update, or what is left of it."""
        executor, hooks = training.executor, training.hooks
        name, number = hooks.bar.name, len(self.records) + 1
        if self.direction is None:
            name(f"update {number} of {self.hols.updates}, gradient")
            self._take_gradient(executor, hooks)
            self.direction = self._direction()
            if self.before_last is not None and number == self.hols.updates:
                write_checkpoint(self.before_last, self.get_state())
            hooks.save(self)
        name(f"update {number} of {self.hols.updates}, line search")
        record = self._search_along(executor, hooks)
        return record, training.decoder.weights.array.copy()

    def _take_gradient(self, executor: Executor, hooks: Hooks) -> None:
        """Add up the gradient of an update, or what is left of it."""

        def on_chunk(sentences: int) -> None:
            for _ in range(sentences):
                hooks.count()

        # A block is added up in a tree, where workers are; a run that is stopped within it begins it again.
        split, total, number = self.split, self.gradient, len(self.records)
        task = GradientTask(self.loss, tuple(fold.decoder for fold in split.gradient))
        executor.publish(self.weights)
        deadly = set[int]()  # numbers of sentences in the block on which workers died
        left, size = split.part(number, self.hols.parts, total.sentences), self.hols.save_every or None
        while total.sentences < split.count(number, self.hols.parts):
            block = ((fold, None if i in deadly else x) for i, (fold, x) in enumerate(islice(left, size)))
            try:
                found = executor.reduce(
                    task, PartialSum.merged, block, chunk=self.hols.chunk, on_chunk=on_chunk
                )
            except WorkerDied as error:
                if not error.times:
                    raise
                again = islice(split.part(number, self.hols.parts, total.sentences), size)
                known, deadly = deadly, deadly | _find_deadly(task, executor, again, deadly)
                if deadly == known:
                    raise
                left = split.part(number, self.hols.parts, total.sentences)
                continue
            total.add(found)
            deadly.clear()
            if self.hols.save_every:
                hooks.save(self)
        total.check()

    def _search_along(self, executor: Executor, hooks: Hooks) -> HolsRecord:
        """Search along the gradient, or what is left to search, and give the record of the update."""
        assert self.direction is not None
        fold, passes, seed = self.split.between, self.hols.between_passes, self.hols.seed
        if len(self.records) + 1 == self.hols.updates:
            fold, passes = self.split.last, None
            seed = self.hols.seed if self.hols.last_seed is None else self.hols.last_seed
        self.search = self.search or Steps()
        search = LineSearch(
            passes=self.hols.line_search_passes if passes is None else passes,
            k=self.hols.line_search_k,
            metric=self.hols.metric,
            restarts=self.hols.restarts,
            seed=seed,
        )
        line = SparseLine(fold.decoder, self.loss.dense, self.begin, self.direction)
        search.search(
            line,
            list(fold.segments),
            steps=self.search,
            executor=executor,
            on_sentence=hooks.count,
            on_pass=lambda record: hooks.save(self),
        )
        return self.record(search, line, held_out=fold is not self.split.last)

    def _direction(self) -> Floats:
        hols = self.hols
        direction = self.gradient.direction(conditioning=hols.conditioning, min_count=hols.min_count)
        families = FeatureFamilies.of_tuner(hols, self.weights)
        return direction if families is None else direction * families.rates(np.arange(len(direction)))

    def record(self, search: LineSearch, line: SparseLine, *, held_out: bool) -> HolsRecord:
        """Return the record of the update under way after the passes of its line search, at least one."""
        if not line.decoder.weights.array.any():
            raise TuningError("all weights are zero after a line search: start from other weights")
        first, last = search.passes_[0], search.passes_[-1]
        assert self.direction is not None
        after = line.decoder.weights.array.copy()
        after[: len(self.begin)] -= self.begin
        return HolsRecord(
            pass_number=len(self.records) + 1,
            metric=last.metric,
            score=first.score,
            pool_score=last.pool_score,
            candidates=last.candidates,
            new=last.candidates,
            change=math.sqrt(math.fsum((after * after).tolist())),  # whatever the order of the features
            skipped=self.gradient.skipped,
            seconds=self.gradient.seconds + sum(record.seconds for record in search.passes_),
            sentences=self.gradient.sentences,
            loss=self.gradient.loss,
            features=int(np.count_nonzero(self.direction)),
            step=search.step,
            searches=len(search.passes_),
            search_score=search.score,
            score_interval=first.score_interval,
            search_interval=search.interval,
            held_out=held_out,
        )

    def restored(self) -> None:
        """Set the decoder's weights to those of then."""
        self.weights.replace(self.begin)


def free_before_last(hols: Hols) -> set[str]:
    """Name the settings that change nothing before the last line search."""
    free = {"save_every", "threads", "last_seed"}
    return free | _AFTER_GRADIENT if hols.updates == 1 else free


def _find_deadly(
    task: GradientTask, executor: Executor, block: Iterable[tuple[int, Segment]], known: Container[int]
) -> set[int]:
    """Return the numbers of sentences on which workers die, apart from `known` ones: a tree does not tell."""
    deadly = set[int]()
    numbered = [(i, own) for i, own in enumerate(block) if i not in known]

    def skip(item: list[tuple[int, Segment]], died: WorkerDied) -> None:
        ((fold, segment),) = item
        skip_dead(task.decoders[fold], segment, died)

    results = executor.map(task, ([own] for _, own in numbered), on_death=skip)
    for (number, _), found in zip(numbered, results, strict=True):
        if found is None:
            deadly.add(number)
    return deadly


@dataclass(kw_only=True, eq=False, repr=False)
class Hols(PassTuner[HolsLoop, HolsRecord], ByFamily):
    """HOLS: the gradient of soft ramp 3 on training data, then MERT on other data along it.

    An update takes the gradient g of the sparse features' weights w_s over training sentences, and lets MERT
    find new dense weights w_d and the step α for ``w_d·f_d + w_s·f_s + α g·f_s`` (section 4). The gradient
    needs no memory for the sentences. The scale of the weights matters to it, since costs add to scores:
    start from weights that MERT has found for the dense features.

    Parameters
    ----------
    updates : int
        Gradients, each with its line search.
    parts : int
        An update's gradient takes every n-th training sentence, that of the next update those after them: two
        passes and four updates are ``updates=4, parts=2``.
    k : int
        Translations of a sentence that the loss sums over.
    cost_scale : float
        Of 1 - BLEU in the loss.
    conditioning : bool
        Divide a feature's gradient by the number of k-best lists in which the feature is not 0 (section 5.2).
    min_count : int
        Features that are not 0 in fewer k-best lists do not move.
    families : mapping of str to mapping, optional
        Rates by family, factors of the gradient: ``R:* rate=0.5``.
    dense : sequence of str, optional
        The dense features; if not given all but those that plugins name.
    sentence_metric : Metric, optional
        BLEU of the cost; where `metric` is BLEU, grounded BLEU+1 with smoothed brevity penalty if not given,
        else `metric`.
    metric : Metric, optional
        What line searches optimise; BLEU if not given.
    line_search_passes, line_search_k, restarts : int
        `passes`, `k` and `restarts` of `Mert`; the pass counts whose weights translate best.
    between_passes : int, optional
        Passes of the line searches but the last; `line_search_passes` if not given.
    line_search_share : float
        Where there are no folds: the share of the corpus that line searches run on, drawn at random.
    seed : int
        Of the draw, and of the starting points of line searches.
    last_seed : int, optional
        Of the starting points of the last line search; `seed` if not given.
    save_every : int
        A gradient is saved after each so many sentences; 0 for only when it is complete.
    threads : int
        Sentences that are translated at the same time where no executor is given.

    Attributes
    ----------
    executor : Executor or None
        Where sentences are translated, and candidates of line searches kept; if it is not set, threads of
        this process.
    chunk : int
        Sentences of a task of a gradient; what is learned does not depend on it but for rounding.
    weights_ : dict of str to float
        The learned weights by name, without zeros.
    """

    HELD_IN: ClassVar[bool] = False
    """Whether the corpus that line searches run on is part of what the gradient is taken over."""

    OF_FAMILIES: ClassVar[tuple[str, ...]] = ("rate",)

    can: ClassVar[Can] = Can.LEARN_FROM_FOLDS | Can.USE_CLUSTER

    updates: int = setting(1, least=1)
    parts: int = setting(1, least=1)
    k: int = setting(1000, least=1)
    cost_scale: float = setting(20.0, above=0, finite=True)
    conditioning: bool = True
    min_count: int = setting(1, least=1)
    dense: Sequence[str] | None = None
    sentence_metric: Metric | None = None
    metric: Metric | None = None
    line_search_passes: int = setting(10, least=1)
    line_search_k: int = setting(100, least=1)
    restarts: int = setting(20, least=0)
    between_passes: int | None = setting(None, least=1)
    line_search_share: float = setting(1 / 6, above=0, most=1)
    seed: int = setting(0, least=0)
    last_seed: int | None = setting(None, least=0)
    save_every: int = setting(1000, least=0, shared=False)
    threads: int = setting(1, least=1, shared=False)

    chunk: int = field(default=25, init=False)

    def _check_settings(self) -> None:
        super()._check_settings()
        if isinstance(self.dense, str):
            raise ValueError(f"dense must be a sequence of names, got a single string: {self.dense!r}")

    def fit(
        self: Self,
        decoder: Translator,
        corpus: Sequence[Segment],
        *,
        training: Sequence[Fold] | None = None,
        held_out: Fold | None = None,
        before_last: Path | None = None,
        **options: Any,
    ) -> Self:
        """Tune the decoder's weights; it has the learned weights in the end.

        With `training`, gradients are taken over these folds, line searches run on `held_out`, and the last
        one on the corpus, which is then the paper's development set (section 5.1). Without, the corpus is a
        tuning set as in section 6.1: a random share is for all line searches, the rest for the gradients; the
        decoder's models should not have been built from it.

        Parameters
        ----------
        corpus : sequence of Segment
            With references.
        training : sequence of Fold, optional
            Each with a decoder of its own.
        held_out : Fold, optional
            Another fold; not needed with one update.
        before_last : Path, optional
            Where to save the state before the last line search. If the file is there, begin with it: runs
            that differ in the last line search only, or, with one update, in what is made of the gradient,
            share all that comes before. A checkpoint to resume from goes first.
        options
            Those of `PassTuner.fit`. The state is saved in the checkpoint after each `save_every` sentences,
            each gradient, each pass of a line search and each update.

        Raises
        ------
        InputError
            A segment has no reference; nothing can be translated; no sparse feature fires; the checkpoint is
            of another run; workers die of a segment, and its decoder has no `on_error`. The checkpoint stays
            as it is.
        TuningError
            The weights, or the loss, would not be finite.
        ValueError
            A setting is out of range; data is missing; the folds' decoders have other weights.
        """
        self.check()
        if held_out is not None and training is None:
            raise ValueError("held_out needs training folds, got none")
        if training is not None and self.HELD_IN:
            raise ValueError(
                "Hils uses the same data for line search and gradient: give training folds to Hols"
            )
        if training is not None and held_out is None and self.updates > 1:
            raise ValueError(f"with training folds and updates={self.updates}, held_out must be given")
        options |= {"training": training, "held_out": held_out, "before_last": before_last}
        return super().fit(decoder, corpus, **options)

    @property
    def _most_passes(self) -> int:
        return self.updates

    def _new_run(
        self,
        decoder: Translator,
        corpus: Sequence[Segment],
        *,
        training: Sequence[Fold] | None = None,
        held_out: Fold | None = None,
        before_last: Path | None = None,
        **data: Any,
    ) -> HolsLoop:
        own = Fold(decoder, corpus)
        if training is None:
            split = dealt(own, self.line_search_share, self.seed, held_in=self.HELD_IN)
        else:
            split = DataSplit(training, held_out or own, own)
        metric = self._corpus_metric
        dense = DenseFeatures([fold.decoder for fold in split.all], self.dense)
        loss = SentenceLoss(self.k, self.cost_scale, self.sentence_metric or grounded_metric(metric), dense)
        settings = self._shared_settings(metric, loss.metric, split)
        return HolsLoop(self, decoder.weights, metric, settings, split, loss, before_last)

    def _shared_settings(self, metric: Metric, cost_metric: Metric, split: DataSplit) -> dict[str, str]:
        """Return the settings that a resumed run must share."""
        texts = [getattr(fold.segments, "fingerprint", None) for fold in split.all]
        return shared_settings(
            self,
            metric=metric.signature(),
            sentence_metric=cost_metric.signature(),
            segments=repr([len(fold.segments) for fold in split.all]),
            texts=sha256(repr(texts).encode()).hexdigest()[:12],
        )


class Hils(Hols):
    """HILS: HOLS whose line searches run on a part of what the gradient is taken over (section 6.1).

    It overfits; it is there to be compared with. The settings are those of `Hols`.
    """

    HELD_IN = True

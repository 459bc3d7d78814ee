"""Held-out line search (Flanigan, Dyer & Carbonell 2013)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from hopefear.decoder import Segment, Translator
from hopefear.metrics import Metric

from ..contract import (
    Can,
    PassTuner,
    setting,
    shared_settings,
)
from ..pool import grounded_metric
from .dense_features import DenseFeatures
from .folds import DataSplit, Fold, dealt
from .loop import HolsLoop, HolsRecord
from .loss_gradient import SentenceLoss

Self = TypeVar("Self", bound="Hols")


@dataclass(kw_only=True, eq=False, repr=False)
class Hols(PassTuner[HolsLoop, HolsRecord]):
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

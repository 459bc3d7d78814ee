"""The `fit` that all tuners share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from hopefear.base.arrays import Floats
from hopefear.base.progress import ProgressBar
from hopefear.base.tables import data_frame
from hopefear.decoder import Segment, Translator
from hopefear.metrics import Bleu, Metric
from hopefear.parallel import Executor, in_threads

from .base import OnUpdate, check_references, check_weights
from .checkpoint import State, resuming, state_to_resume
from .evaluation import Scored, corpus_score
from .families import ByFamily, warn_of_unmatched
from .run import Hooks, R, Run, Training
from .settings import Settings
from .tuner import Can

if TYPE_CHECKING:
    import pandas as pd

Self = TypeVar("Self", bound="PassTuner[Any, Any]")
RunOf = TypeVar("RunOf", bound=Run[Any])


class PassTuner(Settings, ABC, Generic[RunOf, R]):
    """A tuner that learns in passes; a kind of tuner says what its run is."""

    can: ClassVar[Can] = Can(0)

    passes: int
    metric: Metric | None
    executor: Executor | None = None
    """Where sentences are translated; threads of this process if it is not set."""
    threads: int = 1
    """Sentences that are translated at the same time where no executor is given."""
    patience: int | None = None
    """Passes in a row without a new best score of the development set after which a run ends."""

    _run: RunOf | None = None

    @abstractmethod
    def _new_run(self, decoder: Translator, corpus: Sequence[Segment], **data: Any) -> RunOf:
        """Make a run of which nothing is done; `data` is what `fit` was given besides."""

    def fit(
        self: Self,
        decoder: Translator,
        corpus: Sequence[Segment],
        *,
        development: Sequence[Segment] | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
        progress: bool = False,
        on_sentence: Callable[[], None] | None = None,
        on_update: OnUpdate | None = None,
        on_pass: Callable[[Any], None] | None = None,
        on_save: Callable[[State], None] | None = None,
        **data: Any,
    ) -> Self:
        """Tune the decoder's weights on a corpus; it has the learned weights in the end.

        A sentence on which the decoder fails, or on which workers die, goes to the `on_error` of the decoder,
        and counts as one without a translation; without an `on_error` the error is raised.

        Parameters
        ----------
        decoder : Translator
            A real cdec gives k-best lists and no forests: it can be tuned by tuners and oracles that need no
            forests.
        corpus : sequence of Segment
            With references.
        development : sequence of Segment, optional
            Stop early, and choose the pass, by the score of these with the learned weights: by the tuner's
            metric, BLEU with the closest reference length where none was given. Without it, the last pass
            counts.
        checkpoint : Path, optional
            Where to save the state, after each pass at least.
        resume : bool
            Go on from the checkpoint. The weights are the same, bit for bit, as without the stop; but for
            rounding where several threads or workers number the features of plugins as they come up.
        progress : bool
            Show a progress bar on standard error.
        on_sentence : callable, optional
            Called after each sentence, or after each batch that is learned from at the same time. Whoever
            raises an exception there can save what `get_state` returns, and go on from it.
        on_update : callable, optional
            Called after each update of an online tuner; other tuners have none.
        on_pass : callable, optional
            Called after each pass with its record; `weights_` is then what the pass learned.
        on_save : callable, optional
            Called with each state before it is saved in the checkpoint; may add to the state.
        data
            What else a kind of tuner learns from: see its `fit`.

        Raises
        ------
        ValueError
            A setting is out of range.
        InputError
            A segment has no reference; nothing can be translated or learned; the checkpoint is of another
            run; workers die of a segment.
        TuningError
            The weights would not be finite, or all zero; the oracle failed.
        WorkerDied
            Workers die again and again.
        """
        self.check()
        check_references(corpus)
        if development is not None:
            check_references(development)
        check_weights(decoder.weights)
        resumed = checkpoint if resume else None
        with resuming(resumed):
            run = self._run = self._new_run(decoder, corpus, **data)
            if resume:
                run.set_state(state_to_resume(checkpoint))
        total, done = run.sentences(self._most_passes, len(corpus))
        with (
            executor_for(self.executor, self.threads) as executor,
            ProgressBar(total, done=done, show=progress) as bar,
        ):
            hooks = Hooks(bar, checkpoint, on_sentence, on_update, on_pass, on_save)
            training = Training(decoder, corpus, executor, hooks, resume)

            def developed(weights: Floats) -> Scored | None:
                if development is None:
                    return None
                return corpus_score(decoder, development, weights, self._corpus_metric, executor)

            with ExitStack() as stack:
                with resuming(resumed):
                    stack.enter_context(run.prepared(training))
                one_pass = partial(run.one_pass, training)
                run.go(one_pass, developed, hooks, passes=self._most_passes, patience=self.patience)
        if isinstance(self, ByFamily):
            warn_of_unmatched(self.by_family(), decoder.weights)
        return self

    def can_begin(self, decoder: Translator, corpus: Sequence[Segment]) -> bool:
        """Tell whether the weights of the decoder are such as this tuner needs to begin with."""
        return True

    @property
    def weights_(self) -> dict[str, float]:
        """What the last pass learned, or the last `fit`."""
        if self._run is None:
            raise AttributeError("expected a tuner that has begun to learn")
        return self._run.weights_

    @property
    def passes_(self) -> list[R]:
        """The passes of the last `fit`."""
        if self._run is None:
            raise AttributeError("expected a tuner that has begun to learn")
        return self._run.records

    @property
    def score_per_pass_(self) -> list[float]:
        """The metric's score after each pass of the last `fit`: see `Record.learned_score`."""
        return [record.learned_score for record in self.passes_]

    def to_frame(self) -> pd.DataFrame:
        """Return the passes of the last `fit` as a `pandas.DataFrame`: a row for each record.

        Raises
        ------
        InputError
            pandas is not installed.
        """
        records = [asdict(record) for record in self.passes_]
        return data_frame({name: [record[name] for record in records] for name in records[0]})

    def get_state(self) -> State:
        """Return what `set_state` and a resumed `fit` start from: ``facts`` that JSON can hold, ``arrays``.

        Raises
        ------
        ValueError
            Nothing has been learned yet.
        """
        if self._run is None:
            raise ValueError("expected a tuner that has begun to learn")
        return self._run.get_state()

    @property
    def _corpus_metric(self) -> Metric:
        """What scores a corpus: BLEU if no metric is given."""
        return Bleu() if self.metric is None else self.metric

    @property
    def _most_passes(self) -> int:
        passes: int = self.passes
        return passes


def executor_for(given: Executor | None, threads: int) -> AbstractContextManager[Executor]:
    """Return the executor that was given, or threads of this process, which end with the context."""
    return in_threads(threads) if given is None else nullcontext(given)

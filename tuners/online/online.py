"""Online tuners: an algorithm with `fit`, and with `partial_fit` for sentences one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from hopefear.base.arrays import Ints
from hopefear.decoder import Hypotheses, Segment, Translation, Translator
from hopefear.metrics import PseudoDocument

from ..contract import Can, PassRecord, State, TuningError, UpdateRecord, shared_settings
from ..oracles import Oracle, check_searchable, describe, prepare_oracle
from .algorithm import OnlineAlgorithm
from .loop import OnlineLoop
from .run import OnlineRun

L = TypeVar("L", bound=OnlineRun)


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineTuner(OnlineAlgorithm):
    """What online tuners share: passes, batches, averaging, checkpoints.

    An algorithm is a dataclass with the settings it adds, see `hopefear.tuners.setting`. It defines `update`,
    `init` if it keeps anything besides the weights, and other methods of `OnlineAlgorithm` where it does
    otherwise. `OnlineLoop` runs it.

    Parameters
    ----------
    passes : int
        Passes over the corpus; fewer if the development set says so.
    starts : int
        First passes, each from the initial weights, with an order of its own. The run goes on from the one
        whose weights translate the corpus best.
    batch_size : int
        Sentences of one update.
    decay : float
        Factor of the pseudo-document after each sentence.
    seed : int
        Of the order of the sentences.
    shuffle : bool
        Whether each pass has an order of its own.
    average : {"last", "all", "none"}
        The weights that are learned: the mean over the last pass, over all passes, or those at the end.
    patience : int
        Stop after so many passes in a row without a new best score of the development set.
    save_every : int
        Updates between two checkpoints; 0 to save after each pass only.
    metric : Metric, optional
        The metric of the pseudo-document.
    families : mapping of str to mapping, optional
        Settings by family: ``R:* rate=0.5 l2=0.01; LanguageModel fixed`` as text, in Python a mapping
        ``{"R:*": {"rate": 0.5, "l2": 0.01}}``. See `hopefear.tuners.contract.families`.

    Attributes
    ----------
    executor : Executor or None
        Where the development set is translated; None for this process.
    weights_ : dict of str to float
        The learned weights by name, without zeros.
    score_per_pass_ : list of float
        The metric's score of the development set after each pass, or, without one, that of the corpus as it
        was translated while the weights changed.
    passes_ : list of PassRecord
        The passes of the last `fit`.
    """

    can: ClassVar[Can] = Can.LEARN_ONLINE
    LOOP: ClassVar[type[OnlineRun]] = OnlineLoop

    _run: OnlineRun | None = field(default=None, init=False)
    _restored: State | None = field(default=None, init=False)

    def check(self) -> None:
        """Refuse settings that nothing can be learned with; for callers that want to know at the start.

        Raises
        ------
        ValueError
            A setting of the tuner or of its oracle is out of range.
        TuningError
            The oracle searches forests, which the metric cannot measure; or its `prepare` raised another
            exception than ValueError.
        """
        super().check()
        self.LOOP.check(self)
        oracle, metric = self.make_oracle(self.init()), self.make_metric()
        prepare_oracle(oracle)
        if getattr(oracle, "searches_forest", False):
            check_searchable(metric)

    def hypotheses(
        self, decoder: Translator, forest: Translation, segment: Segment, *, oracle: Oracle | None = None
    ) -> Hypotheses:
        """Return the hope, best and fear lists of a forest, without learning from them.

        Parameters
        ----------
        oracle : Oracle, optional
            Another one than that of the tuner.

        Raises
        ------
        InputError
            The segment has no reference.
        TuningError
            The oracle finds nothing to learn.
        """
        _, found = self._live_run(decoder).find(decoder, forest, segment, oracle)
        if found is None:
            raise TuningError(f"the oracle finds nothing to learn from sentence {segment.number}")
        return found

    def partial_fit(self, decoder: Translator, forest: Translation, segment: Segment) -> UpdateRecord:
        """Learn from one forest and the references of its segment; changes the decoder's weights.

        Raises
        ------
        InputError
            The segment has no reference, or there is not enough memory to learn from it.
        TuningError
            The weights would not be finite; the oracle failed.
        """
        run = self._live_run(decoder)
        with decoder.attempting(segment):
            return run.update(run.take_in(decoder, forest, segment), 0)

    @property
    def position(self) -> int:
        """Sentences of the pass under way that are done."""
        return 0 if self._run is None else self._run.progress.position

    @property
    def latest(self) -> tuple[Segment, Hypotheses] | None:
        """The sentence that was learned from last, with its hope, best and fear."""
        return self._run.latest if isinstance(self._run, OnlineLoop) else None

    @property
    def touched(self) -> Ints | None:
        """The features whose weights the latest update may have changed; None for any."""
        return self._run.touched if isinstance(self._run, OnlineLoop) else None

    def so_far(self) -> tuple[PassRecord, dict[str, float]]:
        """Return what the run has learned so far, for a callback of `fit` such as its `on_sentence`.

        Returns
        -------
        record : PassRecord
            The pass under way up to here.
        weights : dict of str to float
            By name, without zeros: what `weights_` would be if the pass ended here.

        Raises
        ------
        ValueError
            Nothing has been learned yet.
        TuningError
            The weights would not be finite.
        """
        if self._run is None:
            raise ValueError("expected a tuner that has begun to learn")
        run = self._run
        return run.progress.record(len(run.records) + 1), run.weights.named(run.learned())

    def live_state(self, decoder: Translator) -> State:
        """Return what `resume` goes on from, also before the first `partial_fit`."""
        return self._live_run(decoder).get_state()

    def resume(self, decoder: Translator, state: State) -> None:
        """Go on from a `live_state`: the decoder has the weights of then at once.

        Raises
        ------
        InputError
            The state is of another tuner or of other settings, or it is damaged.
        """
        self.set_state(state)
        self._live_run(decoder)

    def set_state(self, state: State) -> None:
        """Go on from a state, which holds the decoder's weights too, with the next `partial_fit`."""
        self._run, self._restored = None, state

    def _new_run(self, decoder: Translator, corpus: Sequence[Segment], **data: Any) -> OnlineRun:
        return self._begin(self.LOOP, decoder, corpus)

    def _begin(self, loop: type[L], decoder: Translator, corpus: Sequence[Segment] = ()) -> L:
        metric = self.make_metric()
        oracle = describe(self.make_oracle(self.init()))
        settings = shared_settings(self, oracle=oracle, metric=metric.signature())
        text = getattr(corpus, "fingerprint", None)  # of a corpus that is not in memory
        if text is not None:
            settings["text"] = text
        if corpus:
            metric = metric.for_corpus(segment.references for segment in corpus)
        keep_rows = len(corpus) > 0 and text is None  # outside `fit` no pass ends
        self._restored = None
        return loop(self, decoder.weights, PseudoDocument(metric, self.decay), settings, keep_rows=keep_rows)

    def _live_run(self, decoder: Translator) -> OnlineLoop:
        """Return the run that goes on outside `fit`, which checks the settings itself; or begin one."""
        run = self._run
        if not isinstance(run, OnlineLoop):
            self.check()
            restored, run = self._restored, self._begin(OnlineLoop, decoder)
            if restored is not None:
                self._restored = restored
                run.set_state(restored)
            self._run, self._restored = run, None
        return run

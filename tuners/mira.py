"""Online large-margin training with forest oracles (Chiang, Marton & Resnik 2008, section 2)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from hopefear.decoder import Decoder, Hypergraph, InputError, ParseFailed, Segment, Weights
from hopefear.metrics import Bleu, PseudoDocument

from .base import PassRecord, State, TuningError, UpdateRecord, read_checkpoint, write_checkpoint
from .evaluation import corpus_bleu
from .hypotheses import Hypotheses, check_references, find_hypotheses
from .margin import solve
from .progress import Progress

OnUpdate = Callable[[UpdateRecord], None]
OnPass = Callable[[PassRecord], None]

_SHARED_SETTINGS = (
    *("C", "k", "hope_mu", "fear_mu", "batch_size", "decay", "effective_reference_length", "seed", "shuffle"),
    *("oracle_pop_limit", "average"),
)


class Mira:
    """MIRA with hope and fear from the forest (Chiang, Marton & Resnik 2008).

    Parameters
    ----------
    C : float
        Of equation 1: how far an update goes at most.
    passes : int
        Over the corpus; fewer if the development set says so.
    k : int
        Hypotheses by each criterion: the model, hope, fear.
    hope_mu, fear_mu : float
        μ of equation 11.
    batch_size : int
        m: sentences of one update.
    decay : float
        Of the pseudo-document (equations 6 and 7).
    effective_reference_length : str
        Which of several reference lengths counts, see `hopefear.metrics.Bleu`; "shortest" in the paper.
    seed : int
        Of the order of the sentences.
    shuffle : bool
        Whether each pass has an order of its own.
    oracle_pop_limit : int
        Candidates scored at a node while looking for oracles; all of them where it is 0.
    average : {"last", "all", "none"}
        The weights that are learned: the mean over the last pass, over all passes, or those at the end.
    patience : int
        Stop after so many passes in a row without a new best development BLEU.
    save_every : int
        Updates between two checkpoints; 0 to save after each pass only.

    Attributes
    ----------
    weights_ : dict of str to float
        The learned weights by name, without zeros.
    bleu_per_pass_ : list of float
        Development BLEU after each pass, or, without a development set, that of the corpus as it was
        translated while the weights changed.
    passes_ : list of PassRecord
        The passes of the last `fit`.
    """

    CORPUS_SETTINGS: ClassVar[dict[str, Any]] = {
        "batch_size": 10,
        "C": 0.05,
        "average": "all",
        "decay": 0.99,
    }
    """What ``hopefear tune`` starts from: on the dev sets of tanaka, both directions and several seeds,
    better and steadier than the paper's settings, which are the defaults."""

    def __init__(
        self,
        *,
        C: float = 0.01,
        passes: int = 8,
        k: int = 10,
        hope_mu: float = 0.5,
        fear_mu: float = math.inf,
        batch_size: int = 1,
        decay: float = 0.9,
        effective_reference_length: Any = "shortest",
        seed: int = 0,
        shuffle: bool = True,
        oracle_pop_limit: int = 0,
        average: str = "last",
        patience: int = 2,
        save_every: int = 500,
    ) -> None:
        self.C = C
        self.passes = passes
        self.k = k
        self.hope_mu = hope_mu
        self.fear_mu = fear_mu
        self.batch_size = batch_size
        self.decay = decay
        self.effective_reference_length = effective_reference_length
        self.seed = seed
        self.shuffle = shuffle
        self.oracle_pop_limit = oracle_pop_limit
        self.average = average
        self.patience = patience
        self.save_every = save_every
        self._progress: Progress | None = None
        self._weights: Weights | None = None
        self._restored: State | None = None

    # one sentence

    def hypotheses(self, decoder: Decoder, forest: Hypergraph, segment: Segment) -> Hypotheses:
        """Give the hope, best and fear lists of a forest, without learning from them.

        Raises
        ------
        InputError
            The segment has no reference.
        """
        return self._find(self._begin(decoder), forest, segment)

    def partial_fit(self, decoder: Decoder, forest: Hypergraph, segment: Segment) -> UpdateRecord:
        """Learn from one forest and the references of its segment; changes the decoder's weights.

        Raises
        ------
        InputError
            The segment has no reference.
        TuningError
            The weights would not be finite.
        """
        progress = self._begin(decoder)
        found = self._find(progress, forest, segment)
        self._take_in(progress, found)
        return self._update(progress, decoder, [found], 0)

    # a corpus

    def fit(
        self,
        decoder: Decoder,
        corpus: Sequence[Segment],
        *,
        development: Sequence[Segment] | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
        progress: bool = False,
        on_update: OnUpdate | None = None,
        on_pass: OnPass | None = None,
    ) -> Mira:
        """Tune the decoder's weights on a corpus; it has the learned weights in the end.

        Parameters
        ----------
        corpus : sequence of Segment
            With references.
        development : sequence of Segment, optional
            Stop early, and choose the pass, by the BLEU of these with the averaged weights.
        checkpoint : Path, optional
            Where to save the state.
        resume : bool
            Go on from the checkpoint. The weights are the same, bit for bit, as without the stop.
        progress : bool
            Show a progress bar on standard error.
        on_update, on_pass : callable, optional
            Called after each; at `on_pass`, `weights_` is what the pass learned.

        Raises
        ------
        InputError
            A segment has no reference; nothing can be translated; the checkpoint is of another run.
        TuningError
            The weights would not be finite.
        """
        check_references(corpus)
        if development is not None:
            check_references(development)
        self._progress, self._restored = None, None
        if resume:
            if checkpoint is None:
                raise ValueError("expected a checkpoint to resume from, got None")
            self._restored = read_checkpoint(checkpoint)
        state = self._begin(decoder)
        self.passes_ = state.passes
        bar = tqdm(
            total=self.passes * len(corpus),
            initial=len(state.passes) * len(corpus) + state.position,
            disable=None if progress else True,
            unit="sentence",
        )
        with bar:
            while len(state.passes) < self.passes and not state.stagnant(self.patience):
                self._pass(state, decoder, corpus, checkpoint, bar.update, on_update)
                learned = self._learned(state, decoder.weights)
                bleu = None if development is None else corpus_bleu(decoder, development, learned)
                state.finish_pass(learned, bleu)
                self.weights_ = decoder.weights.named(learned)
                if checkpoint is not None:
                    write_checkpoint(checkpoint, self.get_state())
                if on_pass is not None:
                    on_pass(state.passes[-1])
        learned = self._learned(state, decoder.weights) if state.chosen is None else state.chosen
        decoder.weights.replace(learned)
        self.weights_ = decoder.weights.nonzero()
        return self

    @property
    def bleu_per_pass_(self) -> list[float]:
        """BLEU after each pass of the last `fit`."""
        return [r.bleu if r.development_bleu is None else r.development_bleu for r in self.passes_]

    # state

    def get_state(self) -> State:
        """Give what `set_state` restores: ``facts`` that JSON can hold and ``arrays``.

        Raises
        ------
        ValueError
            Nothing has been learned yet.
        """
        if self._progress is None or self._weights is None:
            raise ValueError("expected a tuner that has begun to learn")
        return self._progress.get_state(self._weights, self._settings())

    def set_state(self, state: State) -> None:
        """Go on from a state, which holds the decoder's weights too, with the next `partial_fit`."""
        self._progress, self._restored = None, state

    def _settings(self) -> dict[str, Any]:
        """Give the settings that a resumed run must share."""
        # As text, since JSON has no infinity.
        return {name: repr(getattr(self, name)) for name in _SHARED_SETTINGS}

    def _begin(self, decoder: Decoder) -> Progress:
        if self._progress is None:
            self._check_settings()
            metric = Bleu(effective_reference_length=self.effective_reference_length)
            fresh = Progress(PseudoDocument(metric, self.decay))
            if self._restored is not None:
                fresh.set_state(self._restored, decoder.weights, self._settings())
            self._progress, self._restored = fresh, None
        self._weights = decoder.weights
        return self._progress

    def _check_settings(self) -> None:
        lowest = {"passes": 1, "k": 1, "batch_size": 1, "patience": 1, "oracle_pop_limit": 0, "save_every": 0}
        for name, bound in lowest.items():
            if getattr(self, name) < bound:
                raise ValueError(f"{name} must be at least {bound}, got {getattr(self, name)}")
        if not 0 < self.C < math.inf:
            raise ValueError(f"C must be above 0 and finite, got {self.C}")
        if self.average not in ("last", "all", "none"):
            raise ValueError(f"average must be 'last', 'all' or 'none', got {self.average!r}")

    # the algorithm

    def _pass(
        self,
        state: Progress,
        decoder: Decoder,
        corpus: Sequence[Segment],
        checkpoint: Path | None,
        advance: Callable[[], Any],
        on_update: OnUpdate | None,
    ) -> None:
        """Go through the corpus once, or through what is left of it."""
        number = len(state.passes) + 1
        order = np.arange(len(corpus))
        if self.shuffle:
            order = np.random.default_rng([self.seed, number]).permutation(len(corpus))
        if state.position == 0 and self.average == "last":
            state.average.reset()
        batch: list[Hypotheses] = []
        clock = time.process_time()
        for place in range(state.position, len(corpus)):
            segment = corpus[order[place]]
            try:
                batch.append(self._find(state, decoder.translate(segment), segment))
                self._take_in(state, batch[-1])
            except ParseFailed:
                state.skipped += 1
            state.position = place + 1
            advance()
            if len(batch) == self.batch_size or (batch and state.position == len(corpus)):
                record = self._update(state, decoder, batch, number)
                batch = []
                clock, before = time.process_time(), clock
                state.seconds += clock - before
                if on_update is not None:
                    on_update(record)
                if checkpoint is not None and self.save_every and state.updates % self.save_every == 0:
                    write_checkpoint(checkpoint, self.get_state())
        state.seconds += time.process_time() - clock
        if state.skipped == len(corpus):
            raise InputError("no derivation covers any segment: is the grammar that of the source language?")

    def _find(self, state: Progress, forest: Hypergraph, segment: Segment) -> Hypotheses:
        check_references([segment])
        return find_hypotheses(
            forest,
            segment,
            state.document.metric.prepare(segment.references),
            state.document,
            k=self.k,
            hope_mu=self.hope_mu,
            fear_mu=self.fear_mu,
            pop_limit=self.oracle_pop_limit,
        )

    def _take_in(self, state: Progress, found: Hypotheses) -> None:
        """Add the 1-best translation to the pseudo-document (equations 6 and 7)."""
        statistics = found.best.statistics[0]
        state.document.update(statistics, found.segment.length)
        state.statistics += statistics

    def _update(
        self, state: Progress, decoder: Decoder, batch: Sequence[Hypotheses], pass_number: int
    ) -> UpdateRecord:
        weights = decoder.weights.array
        solution = solve([found.constraints() for found in batch], weights, self.C)
        changed = weights[solution.features] + solution.change
        segments = tuple(found.segment.id for found in batch)
        if not np.all(np.isfinite(changed)) or not math.isfinite(solution.hinge):
            raise TuningError(
                f"the weights are no longer finite after segment {segments[-1]}: a feature value or an "
                f"initial weight is infinite or too large; scale it down, or lower C (it is {self.C})"
            )
        weights[solution.features] = changed
        state.average.add(solution.features, solution.change)
        state.updates += 1
        return UpdateRecord(
            update=state.updates,
            pass_number=pass_number,
            segments=segments,
            hinge=solution.hinge,
            loss=float(sum(found.hope.B[0] - found.best.B[0] for found in batch)),
            pseudo_bleu=state.document.metric.score(state.document.statistics),
            steps=solution.steps,
            change=float(np.linalg.norm(solution.change)),
        )

    def _learned(self, state: Progress, weights: Weights) -> NDArray[np.float64]:
        return weights.array.copy() if self.average == "none" else state.average.mean(weights.array)

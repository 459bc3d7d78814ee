"""The run of a tuner: passes, the choice of the best, patience, checkpoints, records, progress."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from hopefear.base.arrays import Floats
from hopefear.base.progress import ProgressBar
from hopefear.base.state import array, fact, load, restoring, save
from hopefear.decoder import Segment, Translator, Weights
from hopefear.metrics import Metric
from hopefear.parallel import Executor

from .base import Record, UpdateRecord
from .checkpoint import State, check_resumed, write_checkpoint
from .evaluation import Scored
from .saved_features import check_same_features, load_features, save_lines

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Hooks:
    """Who follows a run."""

    bar: ProgressBar
    checkpoint: Path | None = None
    on_sentence: Callable[[], None] | None = None
    on_update: Callable[[UpdateRecord], None] | None = None
    on_pass: Callable[[Any], None] | None = None
    on_save: Callable[[State], None] | None = None

    def sentence(self) -> None:
        """Tell of a sentence after which the run may be stopped."""
        if self.on_sentence is not None:
            self.on_sentence()

    def count(self) -> None:
        """Count a sentence in the bar, and tell of it."""
        self.bar.update()
        self.sentence()

    def save(self, run: Run[Any]) -> None:
        """Save the state of a run, if there is a file for it."""
        if self.checkpoint is not None:
            state = run.get_state()
            if self.on_save is not None:
                self.on_save(state)
            write_checkpoint(self.checkpoint, state)


@dataclass(frozen=True, slots=True)
class Training:
    """What `fit` gives a run: whose weights it learns, from what, where, and who follows."""

    decoder: Translator
    corpus: Sequence[Segment]
    executor: Executor
    hooks: Hooks
    resumed: bool


@dataclass(init=False, eq=False)
class Run(ABC, Generic[R]):
    """Where a run stands, and how it goes on: passes until there are enough, or no better one comes."""

    KIND: ClassVar[str]
    """Whose state it is, for messages: "a batch tuner"."""
    PASS: ClassVar[str] = "pass"
    """What a pass is called in the progress bar."""
    NUMBERED: ClassVar[bool] = True
    """Whether the state holds feature numbers: a resumed run then needs a decoder with the same."""

    records: list[R] = fact([])  # a subclass declares it again, with its type
    chosen: Floats | None = array(optional=True, by_feature=True)
    weights_: dict[str, float] = field(init=False)

    def __init__(self, weights: Weights, metric: Metric, settings: dict[str, str]) -> None:
        selection = weights.selection
        self.weights, self.metric = weights, metric
        self.settings = {**settings, "selection": "" if selection is None else selection.comment()}
        self.records = []
        self.chosen = None

    @abstractmethod
    def learned(self) -> Floats:
        """Return what the passes so far have learned, by feature number."""

    @contextmanager
    def prepared(self, training: Training) -> Iterator[None]:
        """Do what comes before the first pass, or before a resumed run goes on; free it after the last."""
        yield

    @abstractmethod
    def one_pass(self, training: Training) -> tuple[R, Floats]:
        """Do what is left of a pass; return its record, without development set, and what it learned."""

    def sentences(self, passes: int, count: int) -> tuple[int | None, int]:
        """Count the sentences of all passes over `count`, None if the number is not known, and those done."""
        return passes * count, len(self.records) * count

    def is_over(self) -> bool:
        """Whether there is nothing left to learn, however many passes are left."""
        return False

    def go(
        self,
        one_pass: Callable[[], tuple[R, Floats]],
        developed: Callable[[Floats], Scored | None],
        hooks: Hooks,
        *,
        passes: int,
        patience: int | None = None,
    ) -> None:
        """Do the passes that are left; the decoder has the chosen weights, or the last ones, in the end."""
        while len(self.records) < passes and not self.is_over() and not self._is_stagnant(patience):
            hooks.bar.name(f"{self.PASS} {len(self.records) + 1} of {passes}")
            record, learned = one_pass()
            self.finish(record, learned, developed(learned))
            hooks.bar.note(self.records[-1].note)
            self.weights_ = self.weights.named(learned)
            hooks.save(self)
            if hooks.on_pass is not None:
                hooks.on_pass(self.records[-1])
        self.weights.replace(self.learned() if self.chosen is None else self.chosen)
        self.weights_ = self.weights.nonzero()

    def finish(self, record: R, learned: Floats, development: Scored | None) -> None:
        """Record a pass, and choose what it learned if that does best so far."""
        if development is not None:
            score, interval = development
            record = replace(record, development_score=score, development_interval=interval)
        self.records.append(record)
        since = self._passes_since_best()
        if since == 0:
            self.chosen = learned
        self.records[-1] = replace(record, chosen=since in (None, 0))

    def get_state(self) -> State:
        """Return what `set_state` restores: settings, all names of features, and the fields of the run."""
        state, names = save(self), save_lines(name for name, _ in self.weights)
        return {
            "facts": {"settings": self.settings, **state["facts"]},
            "arrays": {"names": names, **state["arrays"]},
        }

    def set_state(self, state: State, free: Collection[str] = ()) -> None:
        """Go back to a state; the decoder's weights become those of then."""
        settings = {name: value for name, value in self.settings.items() if name not in free}
        with restoring(self.KIND):
            names = state["arrays"]["names"]
            check_resumed(state["facts"]["settings"], settings)
            if self.NUMBERED:
                check_same_features(names, self.weights)
            load(self, state, what=self.KIND, numbers=load_features(names, self.weights))

    def _is_stagnant(self, patience: int | None) -> bool:
        since = self._passes_since_best()
        return since is not None and patience is not None and since >= patience

    def _passes_since_best(self) -> int | None:
        """Count the passes since the first of the best; None without a development set."""
        sign = 1 if self.metric.higher_is_better else -1
        scores = [sign * r.development_score for r in self.records if r.development_score is not None]
        return len(scores) - 1 - scores.index(max(scores)) if scores else None

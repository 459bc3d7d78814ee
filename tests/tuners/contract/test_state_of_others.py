"""Tuners and oracles of other packages keep arrays of their own, which checkpoints hold as they hold ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import world
from support.stopping import Stop, stop_at
from support.world import EQUALLY_LONG

from hopefear import Decoder, InputError
from hopefear.base.arrays import Floats
from hopefear.decoder import Hypotheses
from hopefear.tuners import (
    Mira,
    OnlineTuner,
    Oracle,
    Parallel,
    SearchSpace,
    Step,
    array,
    check_tuner,
    fact,
    read_checkpoint,
    setting,
)
from hopefear.tuners.parallel import ParallelLoop


@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(OnlineTuner):
    """The smallest tuner there can be: a setting, and a method."""

    passes: int = 8
    rate: float = setting(0.5, above=0)

    def update(self, batch: Any, weights: Floats, memory: Any) -> Step:
        """Go from the best by the model to the oracle translation."""
        change = np.zeros(len(weights))
        for found in batch:
            for sign, rows in ((self.rate, found.hope), (-self.rate, found.best)):
                first = rows.translations.take([0])
                np.add.at(change, first.features, sign * first.values)
        return Step(np.flatnonzero(change), change[change != 0], 0.0, 1)


@dataclass
class Velocity:
    """An array of somebody else's, by feature."""

    speed: Floats = array(by_feature=True)
    lengths: Floats = array(dimensions=2)
    steps: int = fact(0, least=0)


@dataclass(kw_only=True, eq=False, repr=False)
class Momentum(Perceptron):
    """A perceptron that goes on for a while as it went."""

    friction: float = setting(0.5, least=0, below=1)

    def init(self) -> Velocity:
        """Stand still."""
        return Velocity()

    def update(self, batch: Any, weights: Floats, memory: Velocity) -> Step:
        """Go on, and a step."""
        step = super().update(batch, weights, None)
        speed = np.zeros(len(weights))
        speed[: len(memory.speed)] = self.friction * memory.speed
        speed[step.features] += step.change
        memory.speed, memory.steps = speed, memory.steps + 1
        memory.lengths = np.append(memory.lengths.reshape(-1, 2), [[memory.steps, np.abs(speed).sum()]], 0)
        return Step(np.flatnonzero(speed), speed[speed != 0], 0.0, 1)


@dataclass
class Patient(Oracle):
    """An oracle that remembers how good the model was, and asks for more each time."""

    k: int = 5
    seen: Floats = array()

    def find(self, space: SearchSpace, /) -> Hypotheses:
        """Choose a hope that is better the more sentences were seen."""
        best = space.best(self.k)
        self.seen = np.append(self.seen, best.B[0])
        return Hypotheses(space.segment, best, best.ranked(1 / len(self.seen), 1), best)


WORLD = world.CHOICES
MAKE: dict[str, Callable[[], OnlineTuner]] = {
    "perceptron": Perceptron,
    "momentum": Momentum,
    "oracle": lambda: Mira.paper(C=0.1, passes=3, oracle=Patient()),
}


@pytest.mark.parametrize("name", MAKE)
def test_a_resumed_run_ends_with_the_same_weights(
    name: str, make_decoder: Callable[..., Decoder], tmp_path: Path
) -> None:
    whole = MAKE[name]().fit(make_decoder(), EQUALLY_LONG).weights_
    checkpoint, stopped = tmp_path / "checkpoint", MAKE[name]()
    stopped.save_every = 1

    with pytest.raises(Stop):
        stopped.fit(make_decoder(), EQUALLY_LONG, checkpoint=checkpoint, on_update=stop_at(7))
    other = make_decoder(
        {"Another": 1.0, "Different": 2.0, **WORLD.weights}
    )  # whose features have other numbers
    assert MAKE[name]().fit(other, EQUALLY_LONG, checkpoint=checkpoint, resume=True).weights_ == whole


def test_the_arrays_are_in_the_checkpoint(make_decoder: Callable[..., Decoder], tmp_path: Path) -> None:
    for name, make in MAKE.items():
        make().fit(make_decoder(), EQUALLY_LONG, checkpoint=tmp_path / name)
    momentum, oracle = (read_checkpoint(tmp_path / name) for name in ("momentum", "oracle"))
    steps = momentum["facts"]["memory"]["steps"]
    assert momentum["arrays"]["memory.lengths"].shape == (steps, 2)
    assert len(oracle["arrays"]["oracle.seen"]) == 3 * len(EQUALLY_LONG)


def test_each_run_has_an_oracle_that_remembers_nothing(make_decoder: Callable[..., Decoder]) -> None:
    tuner = MAKE["oracle"]()
    learned = [tuner.fit(make_decoder(), EQUALLY_LONG).weights_ for _ in range(2)]
    assert learned[0] == learned[1]


def test_another_tuner_s_checkpoint_is_refused(make_decoder: Callable[..., Decoder], tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    Perceptron().fit(make_decoder(), EQUALLY_LONG, checkpoint=checkpoint)
    with pytest.raises(InputError, match="expected tuner=Perceptron, as in the checkpoint, got Momentum"):
        Momentum().fit(make_decoder(), EQUALLY_LONG, checkpoint=checkpoint, resume=True)


@pytest.mark.parametrize("kind", [Perceptron, Momentum])
def test_the_contract_is_kept(kind: type[OnlineTuner]) -> None:
    check_tuner(kind)


def test_examples_that_cannot_be_sent_are_refused() -> None:
    @dataclass(kw_only=True, eq=False, repr=False)
    class Together(Perceptron, Parallel):
        """Its examples are hypotheses."""

        LOOP = ParallelLoop

    with pytest.raises(ValueError, match="Together must name the class of its examples as EXAMPLE"):
        Together().check()

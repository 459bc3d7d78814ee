"""Learning over shards with selection of features (Simianer, Riezler & Dyer 2012, algorithm 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import world
from support.stopping import Stop, stop_at
from support.world import EQUALLY_LONG as CORPUS

from hopefear import Decoder
from hopefear.feature_extractors import RuleIndicators
from hopefear.parallel import Named, Serial, Threads
from hopefear.tuners import Mira, ParallelMira
from hopefear.tuners.parallel.messages import check_message, has_weights, pack_weights, unpack_weights
from hopefear.tuners.solvers import Constraints

START = {"Wrong": 0.05, "Right": -0.05, "R:X:la:her": 0.02}
WORLD = replace(world.CHOICES, weights=START, plugins=[RuleIndicators])
DENSE = {"Wrong", "Right", "Glue", "PassThrough"}
SETTINGS: dict[str, Any] = {"C": 0.1, "average": "none", "shuffle": False}


def mixed(shards: list[dict[str, float]], most: int) -> dict[str, float]:
    """Do lines 9 to 13 of algorithm 4 by their definition; the dense features are always selected."""
    names = sorted({name for shard in shards for name in shard})
    norm = {name: float(np.linalg.norm([shard.get(name, 0.0) for shard in shards])) for name in names}
    sparse = sorted((name for name in names if name.startswith("R:")), key=lambda name: -norm[name])
    assert norm[sparse[most - 1]] > norm[sparse[most]] + 1e-9, "no tie is to be decided"
    kept = {*sparse[:most], *(name for name in names if not name.startswith("R:"))}
    return {
        name: sum(shard.get(name, 0.0) for shard in shards) / len(shards) for name in names if name in kept
    }


@pytest.mark.parametrize("most", [2, 4])
@pytest.mark.parametrize("passes", [1, 3])
def test_shards_learn_apart_and_are_mixed(
    make_decoder: Callable[..., Decoder], most: int, passes: int
) -> None:
    weights = START
    for _ in range(passes):
        shards = [
            Mira.paper(passes=1, **SETTINGS).fit(make_decoder(weights), part).weights_
            for part in (CORPUS[0::2], CORPUS[1::2])
        ]
        weights = mixed(shards, most)
    tuner = ParallelMira.paper(workers=2, share=False, select=most, passes=passes, **SETTINGS)
    learned = tuner.fit(make_decoder(), CORPUS).weights_
    assert learned.keys() == {name for name, weight in weights.items() if weight}
    for name, weight in learned.items():
        assert weight == pytest.approx(weights[name], abs=1e-12)
    assert len([name for name in learned if name.startswith("R:")]) == most


@pytest.mark.parametrize("at", [2, 5, 6, 8, 13])
@pytest.mark.parametrize("average", ["all", "last"])
def test_a_stopped_run_goes_on(
    make_decoder: Callable[..., Decoder], tmp_path: Path, at: int, average: str
) -> None:
    settings = {"workers": 2, "share": False, "select": 3, "passes": 3, "C": 0.1, "average": average}
    whole = ParallelMira.paper(**settings).fit(make_decoder(), CORPUS).weights_

    given = {"checkpoint": tmp_path / "checkpoint"}
    with pytest.raises(Stop):
        ParallelMira.paper(**settings, save_every=1).fit(
            make_decoder(), CORPUS, on_update=stop_at(at), **given
        )
    tuner = ParallelMira.paper(**settings)
    tuner.executor = Threads(2)
    other = make_decoder({"Unheard-of": 1.0})
    assert tuner.fit(other, CORPUS, resume=True, **given).weights_ == whole


def test_one_shard_is_selected_from(make_decoder: Callable[..., Decoder]) -> None:
    make = partial(ParallelMira.paper, workers=1, share=False, select=2, passes=2, C=0.1)
    tuner = make()
    tuner.executor = Serial()
    learned = tuner.fit(make_decoder(), CORPUS).weights_
    assert make().fit(make_decoder(), CORPUS).weights_ == learned
    assert len([name for name in learned if name.startswith("R:")]) == 2


def test_weights_are_messages(make_decoder: Callable[..., Decoder]) -> None:
    weights = make_decoder().weights
    numbers = np.array([weights.id("Right"), weights.id("Wrong")], np.int32)
    message = pack_weights(Named.of(weights, numbers), np.array([1.5, -2.0]))
    assert has_weights(message)
    check_message(message, Constraints)
    features, values = unpack_weights(message)
    assert features.numbers(weights).tolist() == numbers.tolist()
    assert values.tolist() == [1.5, -2.0]
    infinite = pack_weights(Named.of(weights, numbers), np.array([1.5, np.inf]))
    for damaged in (message[:-3], infinite, b"weights "):
        with pytest.raises(ValueError, match="expected weights for a learner, got"):
            check_message(damaged, Constraints)

"""Runs of HOLS that differ in the last line search only share the state before it."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from support.small_sample import small_sample
from support.stopping import Stop, stop_after

from hopefear import Decoder, InputError, Segment
from hopefear.feature_extractors import RuleIndicators
from hopefear.plugins.corpus import read_corpus
from hopefear.tuners import Fold, Hols

make = partial(Hols, k=10, line_search_passes=2, line_search_k=3, restarts=2)


@cache
def corpus() -> list[Segment]:
    dev = read_corpus(small_sample() / "dev.es", [small_sample() / "dev.en.0"])
    return sorted(dev, key=lambda segment: len(segment.tokens))[:11]


def make_decoder() -> Decoder:
    folder = small_sample()
    return Decoder(folder / "cdec.ini", weights=folder / "weights.init", features=[RuleIndicators()])


def learned(tuner: Hols, before_last: Path | None = None, **options: Any) -> tuple[dict[str, float], int]:
    """Return the weights, and how many sentences were translated."""
    decoder, count = make_decoder(), 0

    def tick() -> None:
        nonlocal count
        count += 1

    training = [Fold(decoder, corpus()[:4])]
    held_out = Fold(decoder, corpus()[4:7])
    tuner.fit(
        decoder,
        corpus()[7:],
        training=training,
        held_out=held_out,
        before_last=before_last,
        on_sentence=tick,
        **options,
    )
    return tuner.weights_, count


@pytest.mark.parametrize("updates", [1, 2])
def test_a_run_from_the_shared_state_learns_what_a_whole_run_learns(tmp_path: Path, updates: int) -> None:
    shared = tmp_path / "shared"
    whole = {seed: learned(make(updates=updates, last_seed=seed)) for seed in (0, 1, 2)}
    assert len({repr(weights) for weights, _ in whole.values()}) > 1
    assert learned(make(updates=updates, last_seed=0), shared) == whole[0]
    state = shared.read_bytes()
    for seed in (0, 1, 2):
        weights, sentences = learned(make(updates=updates, last_seed=seed), shared)
        assert weights == whole[seed][0]
        assert sentences < whole[seed][1] - 4 + 1
    assert shared.read_bytes() == state


def test_the_last_seed_is_the_seed_if_not_given() -> None:
    assert learned(make(seed=2)) == learned(make(seed=2, last_seed=2)) != learned(make(seed=2, last_seed=1))


def test_one_gradient_serves_with_and_without_conditioning(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    learned(make(), shared)
    for settings in ({"conditioning": False}, {"min_count": 2}, {"restarts": 1, "line_search_passes": 1}):
        weights, sentences = learned(make(**settings), shared)
        assert (weights, sentences + 4) == learned(make(**settings))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 11}, "expected k=10, as in the checkpoint, got 11"),
        ({"updates": 2, "conditioning": False}, "expected conditioning=True"),
        ({"updates": 2, "between_passes": 1}, "expected between_passes=None"),
        ({"updates": 2, "line_search_k": 4}, "expected line_search_k=3"),
    ],
)
def test_the_state_of_another_run_is_refused(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    learned(make(updates=settings.get("updates", 1)), tmp_path / "shared")
    with pytest.raises(InputError, match=message):
        learned(make(**settings), tmp_path / "shared")


def test_a_checkpoint_goes_before_the_shared_state(tmp_path: Path) -> None:
    """Of the last line search, a pass that is done is not done again."""
    shared, checkpoint = tmp_path / "shared", tmp_path / "checkpoint"
    whole = learned(make(last_seed=1), shared)

    with pytest.raises(Stop):
        learned(make(last_seed=1), shared, checkpoint=checkpoint, on_pass=stop_after(1))
    assert learned(make(last_seed=1), shared, checkpoint=checkpoint, resume=True) == (whole[0], 0)


def test_searches_between_may_have_fewer_passes() -> None:
    tuner = make(updates=2, line_search_passes=3, between_passes=1)
    learned(tuner)
    first, last = tuner.passes_
    assert first.searches == 1 < last.searches

"""Steady learning: MIRA's steps, its pseudo-document and its initial weights, whatever their scale."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import world
from support.brute_force import deterministic
from support.parallel_runs import learn
from support.stopping import Stop, stop_at
from support.world import World

from hopefear import Decoder, InputError, Segment
from hopefear.base.state import load, save
from hopefear.metrics import Bleu
from hopefear.parallel import Serial, Threads
from hopefear.tuners import AdaptiveMira, Mira, ParallelMira, write_checkpoint
from hopefear.tuners.catalogue import make_tuner
from hopefear.tuners.online.mira import PAPER
from hopefear.tuners.solvers import Constraints, StepLength

CORPUS = world.PHRASED_CORPUS
MAKERS = [Mira.paper, partial(Mira.paper, batch_size=3, average="all"), partial(AdaptiveMira.paper, eta=0)]
STEADY = {"rate": 30.0, "trust_region": 1.0, "C": 1e9, "document": "hope", "warm_up": 3}
"""C that is never reached, so that nothing has a scale."""


def features(source: str, target: str) -> str:
    right = target == world.TARGETS[source][0]
    return f"{'Right' if right else 'Wrong'}=1 Length={len(target) / 8}"


WORLD = World(
    world.grammar(*world.PHRASED, features=features), weights={"Wrong": 0.5, "Right": -0.5, "Length": 0.25}
)


def scaled_decoder(folder: Path, scale: float = 1.0) -> Decoder:
    """Make a decoder whose weights are multiplied."""
    return WORLD.decoder(folder, {name: scale * value for name, value in WORLD.weights.items()})


def settle(
    folder: Path, make: Callable[..., Mira], scale: float = 1.0
) -> tuple[dict[str, float], list[float]]:
    """Return what is learned, and BLEU of the passes."""
    tuner = make(passes=3, seed=1, **STEADY).fit(scaled_decoder(folder, scale), CORPUS)
    return tuner.weights_, [record.score for record in tuner.passes_]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("scale", [2.0**-7, 2.0**7])
def test_the_scale_of_the_first_weights_changes_nothing(
    tmp_path: Path, make: Callable[..., Mira], scale: float
) -> None:
    weights, scores = settle(tmp_path, make)
    scaled, its_scores = settle(tmp_path, make, scale)
    assert scaled == pytest.approx(weights, rel=1e-9)
    assert its_scores == scores


def test_weights_of_zero_have_no_scale_and_are_learned(tmp_path: Path) -> None:
    decoder = scaled_decoder(tmp_path, 0.0)
    tuner = Mira.paper(passes=5, **STEADY).fit(decoder, CORPUS)  # type: ignore[arg-type]
    assert tuner.passes_[-1].score > tuner.passes_[0].score


def test_the_first_translations_are_the_executor_s(tmp_path: Path) -> None:
    here = Mira.paper(passes=1, **STEADY)  # type: ignore[arg-type]
    there = Mira.paper(passes=1, **STEADY)  # type: ignore[arg-type]
    with Threads(3) as executor:
        there.executor = executor
        weights = [tuner.fit(WORLD.decoder(tmp_path), CORPUS).weights_ for tuner in (here, there)]
    assert weights[0] == weights[1]


def test_hope_joins_the_pseudo_document(tmp_path: Path) -> None:
    decoder, bleu = (
        scaled_decoder(tmp_path, 0.05),
        Bleu(effective_reference_length="shortest"),
    )
    statistics = np.ones(bleu.size)
    tuner = Mira.paper(document="hope", decay=0.5)
    for segment in CORPUS:
        forest = decoder.translate(segment)
        found = tuner.hypotheses(decoder, forest, segment)
        assert segment is not CORPUS[0] or found.hope.texts[0] != forest.viterbi()
        statistics = 0.5 * (statistics + bleu.stats(found.hope.texts[0], segment.references))
        record = tuner.partial_fit(decoder, forest, segment)
        assert record.pseudo_score == pytest.approx(bleu.score(statistics), abs=1e-9)


def test_a_sentence_that_cannot_be_translated_is_told_of_once_a_pass(tmp_path: Path) -> None:
    class Fails(Decoder):
        def translate(self, segment: Segment, **options: Any) -> Any:
            if segment.id == 0:
                raise InputError("no way")
            return super().translate(segment, **options)

    decoder = WORLD.decoder(tmp_path, {"Wrong": 0.5}, kind=Fails)
    told: list[object] = []
    decoder.on_error = lambda segment, error: told.append(segment.id)
    tuner = Mira.paper(passes=2, **STEADY).fit(decoder, CORPUS)  # type: ignore[arg-type]
    assert told == [0, 0]
    assert [record.skipped for record in tuner.passes_] == [1, 1]


numbers = st.integers(-8, 8).map(lambda n: n / 4)


@deterministic
@given(
    st.lists(
        st.lists(
            st.lists(st.lists(numbers, min_size=4, max_size=4), min_size=1, max_size=3),
            min_size=1,
            max_size=3,
        ),
        min_size=1,
        max_size=3,
    ),
    st.floats(0.1, 10),
)
def test_steps_are_the_formula_s(batches: list[list[list[list[float]]]], rate: float) -> None:
    """Hypotheses of three features and a loss; the first of each sentence is the oracle."""
    w = np.array([0.5, -1.0, 2.0])
    length, most = StepLength(rate, 5.0), 5.0
    hinge = square = 0.0
    sentences = 0
    for batch in batches:
        g = np.zeros(3)
        for sentence in batch:
            difference = [(np.array(sentence[0][:3]) - h[:3], h[3] - sentence[0][3]) for h in sentence]
            worst = max(difference, key=lambda pair: pair[1] - pair[0] @ w)
            hinge += worst[1] - worst[0] @ w
            g += worst[0]
        square += g @ g
        sentences += len(batch)
        constraints = [
            Constraints(
                np.arange(0, 3 * len(sentence) + 1, 3, dtype=np.int64),
                np.tile(np.arange(3, dtype=np.int32), len(sentence)),
                np.array([h[:3] for h in sentence]).ravel(),
                np.array([h[3] - sentence[0][3] for h in sentence]),
                0,
            )
            for sentence in batch
        ]
        found = length.of(constraints, w)
        again = StepLength(rate, 5.0)
        load(again, save(length), what="a length")
        length = again
        if square and hinge:
            longer = min(1, rate / sentences**0.75)
            assert found == pytest.approx(min(most, longer * hinge / square))
        else:
            assert found == most


@deterministic
@given(st.integers(-9, 9), st.integers(-9, 9))
def test_steps_follow_the_scale_of_features_and_losses(features: int, losses: int) -> None:
    """C times features has the scale of weights: that of losses over that of features."""
    h, loss = np.array([1.0, -2.0, 0.5, 3.0]), np.array([0.0, 3.0])

    def step(a: float, b: float) -> float:
        constraints = Constraints(np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32), a * h, b * loss, 0)
        return StepLength(10.0, 1e9).of([constraints], b / a * np.array([0.5, 0.25]))

    a, b = 2.0**features, 2.0**losses
    assert step(a, b) == pytest.approx(b / a**2 * step(1.0, 1.0))


@pytest.mark.parametrize("name", ["Mira", "AdaptiveMira", "ParallelMira"])
def test_the_settings_of_tune_are_those_of_mira(name: str) -> None:
    tuner = make_tuner(name)
    wanted = {name: getattr(Mira(), name) for name in PAPER if name != "batch_size" or name == "Mira"}
    assert {key: getattr(tuner, key) for key in wanted} == wanted
    make_tuner(name, ["metric=Bleu --smoothing add-one"])  # which has its own length


@pytest.mark.parametrize("at", [1, 9, 40])
def test_parallel_mira_goes_on_with_the_same_steps(tmp_path: Path, at: int) -> None:
    make = partial(world.SPANS.decoder, tmp_path)
    expected = learn(make(), Serial(), **STEADY)[1]

    settings = {"passes": 2, "workers": 3, "snapshot_every": 4, "save_every": 0, **STEADY}
    tuner, path = ParallelMira.paper(**settings), tmp_path / "checkpoint"  # type: ignore[arg-type]
    tuner.executor = Serial()
    with pytest.raises(Stop):
        tuner.fit(make(), world.SPANS.corpus, on_update=stop_at(at))
    write_checkpoint(path, tuner.get_state())
    assert learn(make(), Serial(), checkpoint=path, resume=True, **STEADY)[1] == expected

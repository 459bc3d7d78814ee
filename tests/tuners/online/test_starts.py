"""Several first passes, of which the best counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.brute_force import deterministic
from support.stopping import Stop
from support.world import SPANS

from hopefear.metrics import Bleu
from hopefear.tuners import AdaptiveMira, Mira, OnlineLargeMargin, ParallelMira, SoftRamp, write_checkpoint
from hopefear.tuners.contract import RunFiles, UpdateRecord, corpus_score
from hopefear.tuners.online import OnlineTuner

STEADY: dict[str, Any] = {"rate": 30.0, "C": 1e9, "document": "hope", "warm_up": 3, "average": "all"}
MAKERS: dict[str, Callable[..., OnlineTuner]] = {
    "mira": Mira.paper,
    "steady": partial(Mira.paper, batch_size=2, **STEADY),
    "adaptive": partial(AdaptiveMira.paper, batch_size=3),
    "margin": OnlineLargeMargin,
    "ramp": partial(SoftRamp, rule="adagrad"),
}


class Orders(Mira):
    """MIRA whose orders are known from outside."""

    orders: list[list[int]]

    def order(self, number: int, sentences: int, start: int = 0) -> list[int]:
        self.orders.append(super().order(number, sentences, start))
        return self.orders[-1]


class Given(Mira):
    """MIRA with a given order in its first pass."""

    given: list[int]

    def order(self, number: int, sentences: int, start: int = 0) -> list[int]:
        return self.given if number == 1 else super().order(number, sentences, start)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_run_goes_on_from_the_first_pass_with_the_best_score(tmp_path: Path, seed: int) -> None:
    make = partial(SPANS.decoder, tmp_path)
    tuner = Orders.paper(passes=3, starts=4, seed=seed, **STEADY)
    tuner.orders = []
    files = RunFiles(tmp_path)
    learned = tuner.fit(make(), SPANS.corpus, on_update=files.add_update, on_pass=files.add_pass).weights_
    orders = tuner.orders[:4]
    assert len(tuner.orders) == 4 + 2
    assert len({*map(tuple, orders)}) == 4
    scores, ends, pseudo_scores = [], [], []
    for order in orders:  # each alone
        decoder, alone = make(), Given.paper(passes=1, seed=seed, **STEADY)
        alone.given = order
        alone.fit(decoder, SPANS.corpus)
        scores.append(corpus_score(decoder, SPANS.corpus, decoder.weights.array, Bleu()).score)
        alone, whole = Given.paper(passes=3, seed=seed, **STEADY), make()
        alone.given = order
        updates: list[UpdateRecord] = []
        ends.append(alone.fit(whole, SPANS.corpus, on_update=updates.append).weights_)
        pseudo_scores.append([update.pseudo_score for update in updates])
    best = scores.index(max(scores))
    assert learned == ends[best]
    assert [record.start for record in tuner.passes_] == [best + 1] * 3
    curve = files.read_log().curves().behind
    assert curve is not None and [point.score for point in curve.points] == pseudo_scores[best]


def test_with_one_start_nothing_is_translated_besides(tmp_path: Path) -> None:
    tuner = Orders.paper(passes=2, **STEADY)
    tuner.orders = []
    tuner.fit(SPANS.decoder(tmp_path), SPANS.corpus)
    assert len(tuner.orders) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
@settings(deterministic, max_examples=6)
@given(data=st.data())
def test_a_run_goes_on_wherever_it_was_stopped(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("starts")
    corpus = SPANS.corpus[:7]

    def make() -> tuple[OnlineTuner, Any]:
        return MAKERS[name](passes=2, starts=3, seed=1), SPANS.decoder(path)

    calls, last = 0, None

    def follow() -> None:
        nonlocal calls
        calls += 1
        if calls == last:
            raise Stop

    tuner, decoder = make()
    whole = tuner.fit(decoder, corpus, on_sentence=follow).weights_
    chosen = tuner.passes_[0].start
    last, calls = data.draw(st.integers(1, calls), "stop"), 0
    tuner, decoder = make()
    with pytest.raises(Stop):
        tuner.fit(decoder, corpus, on_sentence=follow)
    write_checkpoint(path / "checkpoint", tuner.get_state())
    tuner, decoder = make()
    again = tuner.fit(decoder, corpus, checkpoint=path / "checkpoint", resume=True)
    assert again.weights_ == whole
    assert len(again.passes_) == 2 and {one.start for one in again.passes_} == {chosen}


def test_parallel_learners_have_orders_of_their_own() -> None:
    with pytest.raises(ValueError, match="starts must be 1"):
        ParallelMira.paper(starts=2).check()

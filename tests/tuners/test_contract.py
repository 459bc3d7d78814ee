"""What all tuners that come with hopefear do: they keep the contract, check settings, and can be stopped."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import world

from hopefear import Decoder, InputError
from hopefear.metrics import BleuPlusOne, Ter
from hopefear.tuners import (
    AdaptiveMira,
    BatchMira,
    ForestMert,
    Hils,
    Hols,
    KBestLocal,
    Mert,
    MinimumRisk,
    Mira,
    OnlineLargeMargin,
    ParallelAdaptiveMira,
    ParallelMira,
    ParallelSoftRamp,
    Pro,
    Rampion,
    SoftRamp,
    StructuralSvm,
    check_tuner,
)
from hopefear.tuners.catalogue import make_tuner
from hopefear.tuners.checking import noisy_pool

HOLS: dict[str, Any] = {"updates": 2, "dense": ["WordPenalty"], "line_search_share": 0.5}
KEEP: list[Callable[[], Any]] = [
    partial(BatchMira, epochs=20),
    ForestMert,
    MinimumRisk,
    Rampion,
    Mert,
    partial(Mert, restarts=0),
    partial(Mert, start="uniform", directions=3),
    partial(Mert, window=1),
    partial(Mert, window=1, window_kind="minimum"),
    partial(Mert, softmax=1.0, restarts=2),
    partial(Pro, passes=4, interpolation=0.5, l2=0.01),
    partial(StructuralSvm, formulation="one-slack", optimizer="line-search"),
    partial(StructuralSvm, formulation="one-slack", optimizer="cutting-plane", Q=100.0),
    partial(StructuralSvm, formulation="sentence-slack", optimizer="line-search", Q=2000.0),
    partial(StructuralSvm, formulation="sentence-slack", optimizer="cutting-plane", Q=2000.0),
    *(partial(kind, **HOLS) for kind in (Hols, Hils)),
    *(partial(kind, **HOLS, conditioning=False) for kind in (Hols, Hils)),
    *(partial(kind, **HOLS, parts=2) for kind in (Hols, Hils)),
    *(partial(kind, **HOLS, metric=Ter()) for kind in (Hols, Hils)),
    partial(Mira.paper, C=0.5, passes=10),
    Mira,
    AdaptiveMira,
    partial(AdaptiveMira.paper, C=0.5),
    partial(AdaptiveMira.paper, C=0.5, cuts=0, batch_size=2),
    partial(AdaptiveMira.paper, C=0.5, eta=1.0, average="all"),
    partial(ParallelMira.paper, C=0.5),
    partial(ParallelMira.paper, C=0.5, workers=3, average="all"),
    partial(ParallelMira.paper, C=0.5, share=False),
    partial(ParallelAdaptiveMira.paper, C=0.5, eta=0.5),
    partial(ParallelSoftRamp, rate=0.1, passes=10),
    partial(ParallelSoftRamp, rate=0.1, passes=10, rule="adagrad", average="last", workers=3),
    partial(OnlineLargeMargin, passes=6, C=0.01),
    partial(OnlineLargeMargin, passes=6, m=1, k=1, C=0.2, average="last"),
    partial(OnlineLargeMargin, passes=6, batch_size=3, C=0.01),
    partial(OnlineLargeMargin, passes=6, step="perceptron", m=1, k=1),
    partial(OnlineLargeMargin, passes=6, step="sgd", m=2, k=4, C=0.5),
    SoftRamp,
    partial(SoftRamp, rate=0.05, search="forest"),
    partial(SoftRamp, rate=0.05, search="forest", pop_limit=20, batch_size=3),
    partial(SoftRamp, rate=0.05, l2=0.01),
    partial(SoftRamp, rate=0.05, metric=Ter()),
    partial(SoftRamp, rate=0.1, rule="adagrad", average="last"),
    partial(SoftRamp, rate=0.1, rule="rda", l1=0.01, average="none"),
]


@pytest.mark.parametrize("make", KEEP, ids=lambda make: repr(make()))
def test_the_contract_is_kept(make: Callable[[], Any]) -> None:
    check_tuner(make)


REFUSED = Path(__file__).with_suffix(".txt").read_text("utf-8")


@pytest.mark.parametrize("line", REFUSED.splitlines())
def test_settings_out_of_range_are_refused(line: str) -> None:
    tuner, _, message = line.partition(": ")
    with pytest.raises(InputError, match=re.escape(message)):
        make_tuner(tuner)


@pytest.mark.parametrize(
    ("tuner", "message"),
    [
        (Hols(dense="Good"), "dense must be a sequence of names"),
        (Mert(features="f0"), "features must be a sequence of names"),
        (Mira.paper(oracle=KBestLocal(k=0)), "k must be at least 1"),
        (SoftRamp(search="forest", sentence_metric=BleuPlusOne()), "sentence_metric is for"),
    ],
)
def test_what_a_line_cannot_say_is_refused(tuner: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tuner.check()


WORLD = world.OWN
CORPUS = world.right("la casa es verde", "la casa verde es la casa", "verde es la casa", "es la casa verde")


def test_settings_are_checked_when_they_are_used(decoder: Decoder) -> None:
    for use in (
        lambda: Mira.paper(C=0).fit(decoder, CORPUS),
        lambda: Mira.paper(C=0).partial_fit(decoder, decoder.translate(CORPUS[0]), CORPUS[0]),
        lambda: BatchMira(C=0).fit(decoder, CORPUS),
        lambda: BatchMira(C=0).fit_candidates(noisy_pool(0)),
    ):
        with pytest.raises(ValueError, match="C must be above 0"):
            use()


class Stop(Exception):
    """The run ends here."""


STEADY = {"rate": 30.0, "C": 1e9, "document": "hope", "warm_up": 3}


@pytest.mark.parametrize(
    "make",
    [
        partial(Mira.paper, C=0.1),
        partial(Mira.paper, C=0.1, batch_size=3),
        partial(Mira.paper, C=0.1, average="all"),
        partial(Mira.paper, C=0.1, average="none"),
        partial(Mira.paper, **STEADY),
        partial(AdaptiveMira.paper, C=0.1, eta=0.3),
        partial(AdaptiveMira.paper, eta=0.3, **STEADY),
        partial(OnlineLargeMargin, C=0.02, m=3, k=4),
        partial(SoftRamp, rate=0.05, rule="adagrad"),
    ],
)
def test_a_run_that_is_stopped_within_a_pass_goes_on(
    make: Callable[..., Mira], make_decoder: Callable[..., Decoder], tmp_path: Path
) -> None:
    """In a decoder with other weights, and in one that numbers the features otherwise."""

    def stop(record: Any) -> None:
        if record.update == 5:
            raise Stop

    make = partial(make, passes=4, seed=3)
    start = {"Wrong": 0.5, "Right": -0.5, "Glue": -0.1}
    whole = make().fit(make_decoder(start), CORPUS).weights_
    path, stopped = tmp_path / "checkpoint", tmp_path / "stopped"
    with pytest.raises(Stop):
        make(save_every=1).fit(make_decoder(start), CORPUS, checkpoint=stopped, on_update=stop)
    for weights in ({name: 99.0 for name in start}, {"Another": 1.0, "house": 3.0, "Right": 2.0}):
        shutil.copy(stopped, path)
        again = make().fit(make_decoder(weights), CORPUS, checkpoint=path, resume=True).weights_
        assert again == (whole if "Wrong" in weights else pytest.approx(whole, abs=1e-9))

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
    BatchMira,
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


REFUSED = """\
AdaptiveMira C=0: C must be above 0
AdaptiveMira cuts=-1: cuts must be at least 0
AdaptiveMira eta=-1: eta must be at least 0
BatchMira C=0: C must be above 0
BatchMira background=fear: background must be one of hope, model, got 'fear'
BatchMira decay=1.5: decay must be from 0 to 1, got 1.5
BatchMira epochs=0: epochs must be at least 1, got 0
Hols cost_scale=inf: cost_scale must be above 0 and finite, got inf
Hols k=0: k must be at least 1, got 0
Hols line_search_k=0: line_search_k must be at least 1, got 0
Hols line_search_share=0: line_search_share must be above 0
Hols line_search_share=nan: line_search_share must be a finite number, got 'nan'
Hols min_count=0: min_count must be at least 1, got 0
Hols parts=0: parts must be at least 1, got 0
Hols restarts=-1: restarts must be at least 0, got -1
Hols updates=0: updates must be at least 1, got 0
Mert directions=-1: directions must be at least 0, got -1
Mert k=0: k must be at least 1, got 0
Mert passes=0: passes must be at least 1, got 0
Mert restarts=-1: restarts must be at least 0, got -1
Mert softmax=nan: softmax must be a finite number, got 'nan'
Mert start=here: start must be one of walk, uniform, got 'here'
Mert threads=0: threads must be at least 1, got 0
Mert tolerance=-1: tolerance must be at least 0
Mert window=-1: window must be at least 0, got -1
Mert window_kind=maximum: window_kind must be one of average, minimum, got 'maximum'
MinimumRisk cooling=1: cooling must be above 0 and below 1
MinimumRisk iterations=0: iterations must be at least 1, got 0
MinimumRisk l2=inf: l2 must be at least 0 and finite, got inf
MinimumRisk stages=-1: stages must be at least 0, got -1
MinimumRisk temperature=-1: temperature must be at least 0 and finite
Mira C=0: C must be above 0
Mira C=inf: C must be above 0 and finite, got inf
Mira average=some: average must be one of last, all, none, got 'some'
Mira effective_reference_length=average metric=Bleu: effective_reference_length is for the default metric only
Mira k=0: k must be at least 1, got 0
Mira oracle=KBestLocal k=5: k is for the default oracle only
Mira oracle=KBestLocal oracle_pop_limit=5: oracle_pop_limit is for the default oracle only
Mira passes=0: passes must be at least 1, got 0
OnlineLargeMargin C=0: C must be above 0
OnlineLargeMargin m=0: m must be at least 1, got 0
OnlineLargeMargin nbest=4: nbest must be at least 10, got 4
OnlineLargeMargin step=bold: step must be one of margin, perceptron, sgd, got 'bold'
ParallelMira schedule=clock: schedule must be one of auto, length, arrival, got 'clock'
ParallelMira select=-1 share=false: select must be at least 0, got -1
ParallelMira select=5: select is for share=false
ParallelMira sentences_a_call=-1: sentences_a_call must be at least 0, got -1
ParallelMira snapshot_every=0: snapshot_every must be at least 1, got 0
ParallelMira workers=0: workers must be at least 1, got 0
Pro interpolation=0: interpolation must be above 0 and at most 1
Pro kept=0: kept must be at least 1, got 0
Pro l2=0: l2 must be above 0
Pro samples=0: samples must be at least 1, got 0
Pro threshold=-1: threshold must be at least 0
Rampion C=-1: C must be at least 0
Rampion C=1e5: C must be at least 0 and below 1 / rate
Rampion cost_scale=inf: cost_scale must be above 0 and finite, got inf
Rampion epochs=0: epochs must be at least 1, got 0
Rampion rate=0: rate must be above 0
Rampion rounds=0: rounds must be at least 1, got 0
SoftRamp cost_scale=0: cost_scale must be above 0
SoftRamp k=0: k must be at least 1, got 0
SoftRamp l1=0.1: rule 'sgd' has no setting l1
SoftRamp pop_limit=-1: pop_limit must be at least 0, got -1
SoftRamp rate=0: rate must be above 0
SoftRamp rule=adam: rule must be one of sgd, adagrad, rda, got 'adam'
SoftRamp rule=rda l2=0.1: rule 'rda' has no setting l2
SoftRamp search=forest metric=Ter: metric must be BLEU
SoftRamp search=lattice: search must be one of kbest, forest, got 'lattice'
SoftRamp sentence_metric=Ter: sentence_metric must use the statistics
StructuralSvm Q=-1: Q must be above 0
StructuralSvm Q=inf: Q must be above 0 and finite, got inf
StructuralSvm directions=-1: directions must be at least 0, got -1
StructuralSvm epsilon=0: epsilon must be above 0
StructuralSvm formulation=n-slack: formulation must be one of one-slack, sentence-slack, got 'n-slack'
StructuralSvm lam=0: lam must be above 0
StructuralSvm optimizer=smo: optimizer must be one of line-search, cutting-plane, got 'smo'
StructuralSvm rounds=0: rounds must be at least 1, got 0
SummaryMira scale=0: scale must be above 0
"""


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

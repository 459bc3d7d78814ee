"""Any online tuner learns in parallel: one worker learns what the tuner alone learns, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import world
from support.stopping import Stop, stop_at

from hopefear import Decoder
from hopefear.parallel import Serial
from hopefear.tuners import (
    AdaptiveMira,
    KBestLocal,
    Mira,
    ParallelAdaptiveMira,
    ParallelMira,
    ParallelSoftRamp,
    SoftRamp,
)
from hopefear.tuners.parallel import BY_SEVERAL, Parallel, ParallelLoop

WORLD, CORPUS = world.SPANS, world.SPANS.corpus
STEADY: dict[str, Any] = {"C": 1e6, "rate": 30.0, "document": "hope", "decay": 0.99}
PAIRS: list[tuple[Any, Any, dict[str, Any]]] = [
    (Mira.paper, ParallelMira.paper, {"C": 0.1}),
    (Mira.paper, ParallelMira.paper, {**STEADY, "average": "all"}),
    (Mira.paper, ParallelMira.paper, {"C": 0.1, "oracle": KBestLocal(k=5), "average": "none"}),
    (AdaptiveMira.paper, ParallelAdaptiveMira.paper, {"C": 0.5, "eta": 0.3, "oracle": KBestLocal(k=2)}),
    (AdaptiveMira.paper, ParallelAdaptiveMira.paper, {**STEADY, "eta": 0.3, "cuts": 2}),
    (AdaptiveMira.paper, ParallelAdaptiveMira.paper, {"C": 0.1, "cuts": 0}),
    (SoftRamp, ParallelSoftRamp, {"rate": 0.05}),
    (SoftRamp, ParallelSoftRamp, {"rate": 0.05, "search": "forest", "l2": 0.01, "average": "none"}),
    (SoftRamp, ParallelSoftRamp, {"rate": 0.1, "rule": "rda", "l1": 0.01, "average": "last"}),
]


def learned(tuner: Any, decoder: Decoder, **fit: Any) -> tuple[dict[str, float], list[Any]]:
    tuner.fit(decoder, CORPUS, **fit)
    return tuner.weights_, [(x.score, x.pseudo_score, x.updates, x.length_ratio) for x in tuner.passes_]


@pytest.mark.parametrize(("alone", "parallel", "settings"), PAIRS)
def test_one_worker_learns_what_the_tuner_alone_learns(
    alone: Any, parallel: Any, settings: dict[str, Any], make_decoder: Callable[[], Decoder]
) -> None:
    expected = learned(alone(passes=2, batch_size=1, **settings), make_decoder())
    tuner = parallel(passes=2, workers=1, **settings)
    assert learned(tuner, make_decoder()) == expected
    tuner.executor = Serial()  # a worker with a decoder of its own
    assert learned(tuner, make_decoder()) == expected


@pytest.mark.parametrize("at", [8, 11, 23])
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (ParallelAdaptiveMira.paper, {"C": 0.5, "eta": 0.3, "cuts": 3, "oracle": KBestLocal(k=2)}),
        (ParallelSoftRamp, {"rate": 0.1, "rule": "rda", "l1": 0.01}),
    ],
)
def test_a_resumed_run_ends_with_the_same_weights(
    kind: Any, settings: dict[str, Any], at: int, make_decoder: Callable[[], Decoder], tmp_path: Path
) -> None:
    """The workers go on in the midst of a sentence: its forest, which no checkpoint holds, is made again."""

    def make() -> Any:
        tuner = kind(passes=2, workers=2, snapshot_every=3, save_every=1, **settings)
        tuner.executor = Serial()
        return tuner

    whole = make_decoder()
    expected, report = learned(make(), whole), whole.feature_report()
    path = tmp_path / "checkpoint"
    with pytest.raises(Stop):
        make().fit(make_decoder(), CORPUS, checkpoint=path, on_update=stop_at(at))
    assert learned(make(), make_decoder(), checkpoint=path, resume=True) == expected
    assert report == whole.feature_report()


@dataclass(kw_only=True, eq=False, repr=False)
class Reversed(Parallel, Mira):
    """`ParallelMira` with its bases the other way round."""

    can = BY_SEVERAL
    LOOP = ParallelLoop

    batch_size: int = field(default=1, init=False)


def test_nothing_depends_on_the_order_of_bases(make_decoder: Callable[[], Decoder]) -> None:
    settings = {"passes": 1, "workers": 2, "warm_up": 3}
    found = [learned(kind(**settings), make_decoder()) for kind in (ParallelMira, Reversed)]  # type: ignore[arg-type]
    assert found[0] == found[1]


def test_one_learns_on_where_several_have_ended(decoder: Decoder) -> None:
    tuner = ParallelMira.paper(C=0.1, passes=1).fit(decoder, CORPUS)
    learned = decoder.weights.array.copy()
    record = tuner.partial_fit(decoder, decoder.translate(CORPUS[0]), CORPUS[0])
    assert (record.update, record.pass_number, tuner.latest[0]) == (1, 0, CORPUS[0])
    assert np.linalg.norm(decoder.weights.array[: len(learned)] - learned) == pytest.approx(record.change)

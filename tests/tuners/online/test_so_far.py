"""What an online tuner has learned so far can be read while it learns."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support import world

from hopefear import Decoder, Mira
from hopefear.tuners import AdaptiveMira, OnlineLargeMargin, OnlineTuner, SoftRamp
from hopefear.tuners.contract import PassRecord

WORLD, CORPUS = world.PHRASES, world.PHRASED_CORPUS
MAKERS: list[Callable[..., OnlineTuner]] = [Mira.paper, AdaptiveMira.paper, OnlineLargeMargin, SoftRamp]


@pytest.mark.parametrize("average", ["last", "all", "none"])
@pytest.mark.parametrize("make", MAKERS)
def test_it_is_what_a_pass_that_ends_there_learns(
    make: Callable[..., OnlineTuner], average: str, make_decoder: Callable[..., Decoder]
) -> None:
    def look() -> None:
        found.append((tuner.position, *tuner.so_far()))

    settings = {"passes": 1, "shuffle": False, "average": average}
    tuner = make(**settings)
    found: list[tuple[int, PassRecord, dict[str, float]]] = []
    with pytest.raises(ValueError, match="expected a tuner that has begun to learn"):
        tuner.so_far()
    assert tuner.position == 0
    tuner.fit(make_decoder(), CORPUS, on_sentence=look)
    assert [position for position, *_ in found] == [1, 2, 3, 4]
    for position, record, weights in found:
        shorter = make(**settings).fit(make_decoder(), CORPUS[:position])
        assert weights == shorter.weights_
        (whole,) = shorter.passes_
        assert (record.score, record.updates, record.pass_number) == (whole.score, whole.updates, 1)
    assert len({tuple(weights.values()) for *_, weights in found}) > 1

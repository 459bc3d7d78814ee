"""MIRA by several workers: who learns from what and when, and what comes of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from support import world
from support.world import EQUALLY_LONG, RIGHT

from hopefear import Decoder, Segment
from hopefear.plugins import EdgeBatch, EdgeFeatures, FeatureTable
from hopefear.tuners import Mira, ParallelMira, TuningError, UpdateRecord


def features(source: str, target: str) -> str:
    return f"Right=1 {target}=1" if target == RIGHT[source] else "Wrong=1"


WORLD = replace(world.CHOICES, rules=world.grammar(*RIGHT, features=features))


def batches(tuner: ParallelMira, decoder: Decoder, segments: list[Segment]) -> list[tuple[int | str, ...]]:
    records: list[UpdateRecord] = []
    tuner.fit(decoder, segments, on_update=records.append)
    assert [record.update for record in records] == list(range(1, len(records) + 1))
    return [record.segments for record in records]


def test_workers_take_in_what_waits(decoder: Decoder) -> None:
    """Equally long sentences: both finish at the same time, the first worker before the second."""
    found = batches(ParallelMira.paper(workers=2, passes=1, shuffle=False), decoder, EQUALLY_LONG)
    # Worker 0 has sentences 0, 2 and 4, worker 1 sentences 1 and 3; in the end each takes in what is left.
    assert found == [(0,), (1, 0), (2, 1), (3, 2), (4, 3), (4,)]


def test_a_long_sentence_takes_its_time(decoder: Decoder) -> None:
    segments = world.right("la casa la casa la casa la", "la casa", "es verde", "la verde", "casa es")
    found = batches(ParallelMira.paper(workers=2, passes=1, shuffle=False), decoder, segments)
    # Worker 0 needs 7 units for sentence 0; worker 1 is through with 1, 2 and 3 by then, and with 4 at 8.
    assert found == [(1,), (2,), (3,), (0, 1, 2, 3), (4, 0), (4,)]


def test_several_sentences_in_a_call(decoder: Decoder) -> None:
    """What others find comes before the first of them, and goes to others after the last."""
    tuner = ParallelMira.paper(workers=2, passes=1, shuffle=False, sentences_a_call=2)
    found = batches(tuner, decoder, EQUALLY_LONG)
    # The first calls have one sentence, 0 and 1; at 4 worker 0 gets 2 and 3, which take until 12, and
    # worker 1 gets 4, until 8. Worker 0's updates are counted when it is done.
    assert found == [(1, 0), (0,), (2,), (4,), (3, 1, 4), (2, 3)]
    assert tuner.schedule_ == [(0, 2), (1, 2), (1, 2), (0, 2)]


def test_independent_workers_are_averaged(decoder: Decoder) -> None:
    start = decoder.weights.array.copy()
    settings = {"C": 0.1, "passes": 3, "average": "none", "shuffle": False}
    learned = []
    for part in (EQUALLY_LONG[0::2], EQUALLY_LONG[1::2]):
        decoder.weights.replace(start)
        Mira.paper(**settings).fit(decoder, part)  # type: ignore[arg-type]
        learned.append(decoder.weights.array.copy())
    decoder.weights.replace(start)
    ParallelMira.paper(workers=2, share=False, **settings).fit(decoder, EQUALLY_LONG)  # type: ignore[arg-type]
    size = len(start)
    np.testing.assert_allclose(
        decoder.weights.array[:size], (learned[0][:size] + learned[1][:size]) / 2, atol=1e-12
    )


class Spans(EdgeFeatures):
    """A feature that a decoder has from an object, not from its configuration."""

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        return FeatureTable.from_pairs(len(edges.rule), [(i, "Span") for i in range(len(edges.rule))])


def test_plugin_objects_are_copied_or_need_a_maker_of_decoders(decoder: Decoder, tmp_path: Path) -> None:
    grammar = tmp_path / "grammar"

    class Local(Spans):
        """A class that cannot be found by its name."""

    def with_plugin(weights: object, plugin: type[Spans] = Spans) -> Decoder:
        return Decoder(formalism="scfg", grammar=grammar, weights=weights, features=[plugin()])  # type: ignore[arg-type]

    start = {"Wrong": 0.05}
    by_hand = ParallelMira.paper(passes=1, make_decoder=with_plugin).fit(with_plugin(start), EQUALLY_LONG)
    assert by_hand.weights_
    assert ParallelMira.paper(passes=1).fit(with_plugin(start), EQUALLY_LONG).weights_ == by_hand.weights_
    with pytest.raises(TuningError, match=r"cannot be copied .*Local.*: set make_decoder"):
        ParallelMira.paper(passes=1).fit(with_plugin(start, Local), EQUALLY_LONG)
    with pytest.raises(TuningError, match=r"the plugins \['Spans'\], got \[\]: set make_decoder"):
        wrong = partial(Decoder, formalism="scfg", grammar=grammar)
        ParallelMira.paper(make_decoder=lambda weights: wrong(weights=weights)).fit(
            with_plugin(start), EQUALLY_LONG
        )


def test_a_worker_must_have_its_own_weights(decoder: Decoder, tmp_path: Path) -> None:
    wrong = ParallelMira.paper(make_decoder=lambda weights: decoder)
    with pytest.raises(TuningError, match="set make_decoder"):
        wrong.fit(decoder, EQUALLY_LONG)
    made = []

    def make_decoder(weights: object) -> Decoder:
        made.append(Decoder(formalism="scfg", grammar=tmp_path / "grammar", weights=weights))  # type: ignore[arg-type]
        return made[-1]

    ParallelMira.paper(workers=3, passes=1, make_decoder=make_decoder).fit(decoder, EQUALLY_LONG)
    assert len(made) == 3

"""Parallel MIRA wherever its workers are, and where they die: the same weights, to the bit."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import world
from support.mortal_workers import Elsewhere, Mortal
from support.parallel_runs import Learned, learn

from hopefear.base import InputError
from hopefear.decoder import Decoder, Segment
from hopefear.parallel import Serial, Threads, WorkerDied
from hopefear.plugins import EdgeBatch, EdgeFeatures, FeatureTable
from hopefear.tuners import Mira, ParallelMira, TuningError

WORLD, CORPUS = world.SPANS, world.SPANS.corpus


@pytest.fixture(scope="module")
def lucky(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], tuple[ParallelMira, Learned]]:
    """Return a run in which nobody dies in the order of lengths, by the number of sentences a call."""
    folder = tmp_path_factory.mktemp("lucky")
    return cache(
        lambda a_call: learn(WORLD.decoder(folder), Mortal(), schedule="length", sentences_a_call=a_call)
    )


def holds(sentence: str, actor: int, calls: int, method: str, arguments: tuple[Any, ...]) -> bool:
    return method == "step" and any(segment.id == sentence for segment in arguments[2])


@pytest.mark.parametrize("a_call", [1, 3])
def test_all_executors_learn_the_same(make_decoder: Callable[[], Decoder], a_call: int) -> None:
    _, expected = learn(make_decoder(), Serial(), sentences_a_call=a_call)
    assert any(name.endswith(":1") for name in expected[0])
    mortal = Mortal()
    for executor in (None, Threads(2), mortal):
        assert learn(make_decoder(), executor, sentences_a_call=a_call)[1] == expected
    # What workers are made from is the same for all, so that it goes to each node once.
    assert len(mortal.actors) == 3 and len({actor.made_from for actor in mortal.actors}) == 1


@pytest.mark.parametrize("average", ["last", "all", "none"])
def test_one_worker_is_mira_on_all_executors(make_decoder: Callable[[], Decoder], average: str) -> None:
    plain = Mira.paper(C=0.1, passes=2, average=average).fit(make_decoder(), CORPUS)
    for executor in (None, Serial(), Threads(2), Mortal()):
        tuner, (weights, _) = learn(make_decoder(), executor, workers=1, average=average, sentences_a_call=4)
        assert weights == plain.weights_
        assert [(r.score, r.pseudo_score, r.length_ratio, r.updates) for r in tuner.passes_] == [
            (r.score, r.pseudo_score, r.length_ratio, r.updates) for r in plain.passes_
        ]
        assert tuner.passes_[-1].messages == 0


def test_the_order_in_which_workers_came_can_be_replayed(
    make_decoder: Callable[[], Decoder], tmp_path: Path
) -> None:
    first, learned = learn(make_decoder(), Threads(2), schedule="arrival", checkpoint=tmp_path / "run")
    path = tmp_path / "run.schedule"
    assert [(int(line), 1) for line in path.read_text().splitlines()] == first.schedule_
    assert len(first.schedule_) == 2 * len(CORPUS)
    # An order that no clock gives: the workers take turns, the last one first.
    by_hand = tmp_path / "by hand"
    by_hand.write_text("2\n1\n0\n" * 15 + "2\n")
    replayed, other = learn(make_decoder(), Serial(), replay=str(by_hand), snapshot_every=1)
    assert replayed.schedule_ == [(2, 1), (1, 1), (0, 1)] * 15 + [(2, 1)]
    assert other != learned
    for executor in (Serial(), Threads(2), Mortal()):
        assert learn(make_decoder(), executor, replay=str(path))[1] == learned
        assert learn(make_decoder(), executor, replay=str(by_hand))[1] == other


def test_an_order_may_be_that_of_the_run_before(make_decoder: Callable[[], Decoder], tmp_path: Path) -> None:
    _, learned = learn(make_decoder(), Threads(2), schedule="arrival", checkpoint=tmp_path / "run")
    path = tmp_path / "run.schedule"
    before = path.read_text()
    assert learn(make_decoder(), replay=str(path), checkpoint=tmp_path / "run")[1] == learned
    assert path.read_text() == before
    path.write_text(before + "0\n")
    with pytest.warns(UserWarning, match="schedule: the run ended before the end of this schedule"):
        assert learn(make_decoder(), replay=str(path))[1] == learned


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("0\n1\nx\n", "order:3: expected the number of a worker and a number of sentences .*, got 'x'"),
        ("0 9999999999\n", "order:1: expected the number of a worker and a number of sentences"),
        ("0\n1 0\n", "order:2: expected the number of a worker and a number of sentences .*, got '1 0'"),
        ("0\n7\n", r"order:2: expected a worker that works on a sentence, one of \[0, 1, 2\], got 7"),
        ("0\n1\n", "order: expected a line for each turn, got the end"),
    ],
)
def test_an_order_that_does_not_fit_is_refused(
    make_decoder: Callable[[], Decoder], tmp_path: Path, lines: str, message: str
) -> None:
    (tmp_path / "order").write_text(lines)
    with pytest.raises(InputError, match=message):
        learn(make_decoder(), replay=str(tmp_path / "order"))


def test_the_order_of_one_worker_is_kept_to(make_decoder: Callable[[], Decoder], tmp_path: Path) -> None:
    order = tmp_path / "order"
    with pytest.raises(InputError, match="order: cannot be read"):
        learn(make_decoder(), workers=1, replay=str(order))
    first, learned = learn(make_decoder(), Serial(), workers=1)
    order.write_text("0\n" * len(first.schedule_))
    tuner, again = learn(make_decoder(), workers=1, replay=str(order))
    assert again == learned and tuner.schedule_ == first.schedule_


def test_how_many_sentences_there_are_in_a_call_is_replayed(
    make_decoder: Callable[[], Decoder], tmp_path: Path
) -> None:
    first, learned = learn(make_decoder(), Elsewhere(), checkpoint=tmp_path / "run")
    path = tmp_path / "run.schedule"
    # Such short sentences take no time, so that a call has as many of them as one may have: 8 of 3 workers.
    assert max(turn.sentences for turn in first.schedule_) == 2
    assert "0 2\n" in path.read_text()
    for executor in (Serial(), Threads(2), Mortal()):
        replayed, again = learn(make_decoder(), executor, replay=str(path))
        assert again == learned
        assert replayed.schedule_ == first.schedule_


@pytest.mark.parametrize("a_call", [1, 3])
@pytest.mark.parametrize("schedule", ["length", "arrival"])
@pytest.mark.parametrize("seed", range(2))
def test_deaths_change_nothing(
    make_decoder: Callable[[], Decoder],
    tmp_path: Path,
    lucky: Callable[[int], tuple[ParallelMira, Learned]],
    schedule: str,
    seed: int,
    a_call: int,
) -> None:
    rng = np.random.default_rng(seed)
    died: set[Any] = set()
    deaths = 0

    def dies(actor: int, calls: int, method: str, arguments: tuple[Any, ...]) -> bool:
        """Die often, but never twice of one sentence in a pass."""
        nonlocal deaths
        if method != "step":
            return False
        what = {(arguments[0], segment.id) for segment in arguments[2]} or {arguments[0]}
        if died & what or rng.random() > 0.15:
            return False
        died.update(what)
        deaths += 1
        return True

    mortal = Mortal(dies)
    order = tmp_path / "run.schedule"
    tuner, found = learn(
        make_decoder(), mortal, schedule=schedule, sentences_a_call=a_call, checkpoint=tmp_path / "run"
    )
    assert mortal.restarts == deaths > 1
    assert learn(make_decoder(), Serial(), replay=str(order))[1] == found
    if schedule == "length":
        undisturbed, expected = lucky(a_call)
        assert found == expected
        assert tuner.schedule_ == undisturbed.schedule_


@pytest.mark.parametrize("method", ["snapshot", "restore", "learned"])
def test_deaths_between_sentences_change_nothing(make_decoder: Callable[[], Decoder], method: str) -> None:
    _, expected = learn(make_decoder(), Mortal())
    left = {"snapshot": 3, "restore": 1, "learned": 1}[method]

    def dies(actor: int, calls: int, name: str, arguments: tuple[Any, ...]) -> bool:
        nonlocal left
        # For a snapshot to be gone back to, somebody must die of a sentence first.
        if method == "restore" and (actor, calls) == (1, 9):
            return True
        left -= name == method
        return name == method and left >= 0

    mortal = Mortal(dies)
    assert learn(make_decoder(), mortal)[1] == expected
    assert mortal.restarts >= (1 if method == "learned" else 2)


@pytest.mark.parametrize("call", [2, 9, 17])
def test_a_worker_that_is_slow_to_begin_again_loses_nothing(
    make_decoder: Callable[[], Decoder], call: int
) -> None:
    """Its process dies once at a sentence, and then at its start, again and again."""
    _, expected = learn(make_decoder(), Mortal())
    failed_starts = 0

    def dies(actor: int, calls: int, method: str, arguments: tuple[Any, ...]) -> bool:
        nonlocal failed_starts
        starts_in_vain = actor == 1 and calls > call and method == "restore" and failed_starts < 4
        failed_starts += starts_in_vain
        return starts_in_vain or (actor == 1 and calls == call)

    mortal = Mortal(dies)
    assert learn(make_decoder(), mortal)[1] == expected
    assert (failed_starts, mortal.restarts) == (4, 5)


def test_a_recorded_run_with_deaths_is_replayed_without(
    make_decoder: Callable[[], Decoder], tmp_path: Path
) -> None:
    mortal = Mortal(lambda actor, calls, method, arguments: method == "step" and calls in (3, 17))
    _, learned = learn(make_decoder(), mortal, schedule="arrival", checkpoint=tmp_path / "run")
    assert mortal.restarts > 3
    assert learn(make_decoder(), Serial(), replay=str(tmp_path / "run.schedule"))[1] == learned


@pytest.mark.parametrize("a_call", [1, 4])
@pytest.mark.parametrize("schedule", ["length", "arrival"])
def test_a_sentence_that_workers_die_of_is_left_out(
    make_decoder: Callable[[], Decoder], schedule: str, a_call: int
) -> None:
    deadly = CORPUS[7].id
    mortal = Mortal(partial(holds, CORPUS[7].id))
    lost: list[tuple[Segment, str]] = []
    decoder = make_decoder()
    decoder.on_error = lambda segment, why: lost.append((segment, str(why)))
    tuner, (weights, _) = learn(decoder, mortal, schedule=schedule, sentences_a_call=a_call)
    assert lost == [(CORPUS[7], "the input: 2 workers died on sentence s7; the segment is skipped")] * 2
    assert [record.skipped for record in tuner.passes_] == [1, 1]
    assert mortal.restarts == 4
    if schedule == "length":
        # As if it could not be translated; nothing else is.
        nothing = Segment(("foreign",) * CORPUS[7].length, id=deadly, index=7, references=("x",))
        without = [*CORPUS[:7], nothing, *CORPUS[8:]]
        other, (expected, _) = learn(make_decoder(), Serial(), without, sentences_a_call=a_call)
        assert [record.skipped for record in other.passes_] == [1, 1]
        assert weights == expected


def test_a_lost_sentence_is_warned_of_where_nobody_is_told(make_decoder: Callable[[], Decoder]) -> None:
    mortal = Mortal(partial(holds, "s7"))
    with pytest.warns(RuntimeWarning, match="2 workers died on sentence s7; the segment is skipped"):
        learn(make_decoder(), mortal, passes=1)


@pytest.mark.parametrize("what", ["step", "learned", "restore"])
def test_a_worker_that_always_dies_ends_the_run(make_decoder: Callable[[], Decoder], what: str) -> None:
    def dies(actor: int, calls: int, method: str, arguments: tuple[Any, ...]) -> bool:
        return method == what or (what == "restore" and calls > 12)

    reason = "a worker that died could not be restarted, 5 times" if what == "restore" else f"in {what}: in a"
    with pytest.raises(WorkerDied, match=f"learner .: .*{reason}"):
        learn(make_decoder(), Mortal(dies))


class Touchy(EdgeFeatures):
    """Fails at one sentence."""

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Fail."""
        if segment.id == "s5":
            raise ArithmeticError("not this one")
        return FeatureTable.from_pairs(len(edges.rule), [])


def test_errors_come_here_from_wherever_they_are_raised(
    make_decoder: Callable[[], Decoder], tmp_path: Path
) -> None:
    def touchy() -> Decoder:
        make_decoder()
        return Decoder(formalism="scfg", grammar=tmp_path / "grammar", features=[Touchy()])

    for executor in (Serial(), Threads(2), Mortal()):
        with pytest.raises(InputError, match="not this one"):
            learn(touchy(), executor)
        endless = make_decoder()
        endless.weights["Right"] = math.nan
        with pytest.raises(TuningError, match="the initial weight of Right is not finite"):
            learn(endless, executor)
        failed: list[tuple[Segment, InputError]] = []
        skipping = touchy()
        skipping.on_error = lambda *what, told=failed: told.append(what)
        tuner, _ = learn(skipping, executor)
        assert [segment.id for segment, _ in failed] == ["s5", "s5"]
        assert [record.skipped for record in tuner.passes_] == [1, 1]


def test_messages_hold_what_fired_and_are_counted(make_decoder: Callable[[], Decoder]) -> None:
    tuner, _ = learn(make_decoder(), passes=1)
    record = tuner.passes_[0]
    assert record.messages == len(CORPUS)
    assert 100 < record.message_bytes / record.messages < 10_000
    assert json.dumps(record.message_bytes)
    alone, _ = learn(make_decoder(), passes=1, share=False)
    assert (alone.passes_[0].messages, alone.passes_[0].message_bytes) == (0, 0)


def test_what_plugins_fired_is_counted_in_all_workers(make_decoder: Callable[[], Decoder]) -> None:
    alone = make_decoder()
    Mira.paper(C=0.1, passes=2).fit(alone, CORPUS)
    expected = alone.feature_report()
    assert [report.family for report in expected] == ["Spans"] and expected[0].features > 8
    unlucky = Mortal(lambda actor, calls, method, arguments: method == "step" and calls in (3, 17))
    for executor in (Threads(2), unlucky):
        decoder = make_decoder()
        learn(decoder, executor)
        assert decoder.feature_report() == expected

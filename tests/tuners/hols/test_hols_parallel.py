"""HOLS and batch tuners with workers that share nothing: the same gradients, the same pools."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.hols_workers import SMOOTHED, in_other_numbers
from support.mortal_workers import Mortal
from support.other_process import elsewhere
from support.stopping import Stop, stop_after
from support.world import SPARSE

from hopefear import Segment
from hopefear.base import InputError
from hopefear.metrics import BleuPlusOne
from hopefear.parallel import Executor, Serial, Threads, WorkerDied
from hopefear.tuners import Fold, ForestMert, Hols, Mert, Pro
from hopefear.tuners.contract.evaluation import corpus_score
from hopefear.tuners.hols.dense_features import DenseFeatures
from hopefear.tuners.hols.gradient_sum import GradientSum, PartialSum
from hopefear.tuners.hols.loss_gradient import GradientTask, SentenceLoss
from hopefear.tuners.pool.kbest_task import KBestResult, KBestTask, Translate


class Copying(Mortal):
    """Pickles all that tasks get and give; some of their items are workers' death."""

    workers = 3

    def __init__(
        self, deadly: Callable[[Any], bool] = lambda item: False, *, times: int = 0, **given: Any
    ) -> None:
        super().__init__(**given)
        self.deadly, self.times = deadly, times

    def submit(self, task: Callable[[Any], Any], item: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.deadly(item):
            future.set_exception(WorkerDied("of this", times=self.times))
            return future
        copy = partial(_copied, task)
        return super().submit(copy, pickle.dumps(item))

    def map(self, task: Callable[[Any], Any], items: Iterable[Any], **given: Any) -> Iterator[Any]:
        return Executor.map(self, task, items, **given)


def _copied(task: Callable[[Any], Any], item: bytes) -> Any:
    return pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(task))(pickle.loads(item))))


def fitted(
    tmp_path: Path, executor: Executor | None = None, repeat: int = 3, **given: Any
) -> tuple[dict[str, float], list[tuple[object, ...]], Hols]:
    decoder, other = (SPARSE.decoder(tmp_path) for _ in range(2))
    other = SPARSE.decoder(tmp_path, decoder.weights)
    settings = {"updates": 2, "parts": 2, "line_search_passes": 2, "line_search_k": 5, "restarts": 2}
    tuner = Hols(**settings, metric=SMOOTHED, save_every=given.pop("save_every", 7))
    tuner.executor = executor
    tuner.chunk = given.pop("chunk", Hols.chunk)
    try:
        tuner.fit(
            decoder,
            SPARSE.corpus[5:],
            training=[Fold(decoder, SPARSE.corpus[:3] * repeat), Fold(other, SPARSE.corpus[3:6] * repeat)],
            held_out=Fold(other, SPARSE.corpus[2:6]),
            development=SPARSE.corpus,
            **given,
        )
    finally:
        fitted.last = tuner  # type: ignore[attr-defined]
    names = ("score", "search_score", "development_score", "loss", "step", "sentences", "candidates")
    records = [tuple(getattr(record, name) for name in names) for record in tuner.passes_]
    return tuner.weights_, records, tuner


def test_wherever_it_works_it_learns_the_same(tmp_path: Path) -> None:
    weights, records, _ = fitted(tmp_path, chunk=2)
    assert any(name.startswith("R:") for name in weights)
    assert [record[5] for record in records] == [9, 9]
    assert fitted(tmp_path, Copying(), chunk=2)[:2] == (weights, records)
    with Threads(3) as threads:  # they number sparse features as they come up
        assert fitted(tmp_path, threads, chunk=2)[:2] == (weights, records)


def test_a_gradient_is_the_same_bit_for_bit(tmp_path: Path) -> None:
    """With a tree of two levels, and sparse features in whatever order."""
    found = []
    for executor in (Serial(), Threads(3), Copying()):
        decoder = SPARSE.decoder(tmp_path)
        tuner = Hols(metric=SMOOTHED)
        tuner.executor = executor
        tuner.chunk = 1
        saved: list[dict[str, Any]] = []
        with executor, pytest.raises(Stop):
            calls = iter(range(10**6))

            def tick() -> None:
                if next(calls) == 8 * 9:  # noqa: B023
                    saved.append(tuner.get_state())  # noqa: B023
                    raise Stop

            tuner.fit(decoder, SPARSE.corpus, training=[Fold(decoder, SPARSE.corpus * 9)], on_sentence=tick)
        arrays = saved[0]["arrays"]
        lists, gradient = arrays["gradient.lists"], arrays["gradient.gradient"]
        gradient = np.pad(gradient, (0, len(lists) - len(gradient)))
        names = [decoder.weights.name(i) for i in np.flatnonzero(lists).tolist()]
        by_name = dict(zip(names, gradient[lists > 0].tolist(), strict=True))
        counts = dict(zip(names, lists[lists > 0].tolist(), strict=True))
        found.append((by_name, counts, saved[0]["facts"]["gradient"]["loss"]))
    assert found[0] == found[1] == found[2]
    assert sum(found[0][1].values()) > 9 * 8


@pytest.mark.slow
def test_nothing_is_counted_twice_where_a_run_stops(tmp_path: Path) -> None:
    """A block of the gradient counts or not; what follows is the same, bit for bit."""
    learned = fitted(tmp_path, Copying(), chunk=2, save_every=4)[:2]
    for number in range(1, 30, 3):
        checkpoint = tmp_path / str(number)
        follow = stop_after(number)
        with pytest.raises(Stop):
            fitted(tmp_path, Copying(), chunk=2, checkpoint=checkpoint, on_sentence=follow, save_every=4)
        resume = checkpoint.exists()
        again = fitted(tmp_path, Copying(), chunk=2, checkpoint=checkpoint, resume=resume, save_every=4)
        assert again[:2] == learned


def test_who_dies_of_a_sentence_ends_it_and_it_goes_on_later(tmp_path: Path) -> None:
    learned = fitted(tmp_path, Copying(), chunk=2, save_every=4)[:2]
    chunks = iter(range(1000))
    executor = Copying(lambda item: isinstance(item, list) and next(chunks) == 3)
    with pytest.raises(WorkerDied, match="of this"):
        fitted(tmp_path, executor, chunk=2, save_every=4, checkpoint=tmp_path / "checkpoint")
    assert fitted.last.get_state()["facts"]["gradient"]["sentences"] == 4  # type: ignore[attr-defined]
    again = fitted(
        tmp_path, Copying(), chunk=2, save_every=4, checkpoint=tmp_path / "checkpoint", resume=True
    )
    assert again[:2] == learned


def test_the_sentence_that_workers_die_of_is_named(tmp_path: Path) -> None:
    """In gradients, whose trees know lists of sentences only, and wherever sentences are translated."""

    def holds(item: Any) -> bool:
        if isinstance(item, Segment):
            return item.id == 1
        return isinstance(item, (list, tuple)) and any(map(holds, item))

    named = partial(pytest.raises, InputError, match="the input: sentence 2: workers died 2 times")
    with named():
        fitted(tmp_path, Copying(holds, times=2), chunk=4)
    with pytest.raises(WorkerDied):  # by chance: none is to blame
        deaths = iter([True])
        fitted(
            tmp_path, Copying(lambda item: isinstance(item, list) and next(deaths, False), times=2), chunk=4
        )
    with named():
        tuner = Mert(passes=1, k=5)
        tuner.executor = Copying(holds, times=2)
        tuner.fit(SPARSE.decoder(tmp_path), SPARSE.corpus)
    with named():
        decoder = SPARSE.decoder(tmp_path)
        corpus_score(decoder, SPARSE.corpus, decoder.weights.array, SMOOTHED, tuner.executor)


def test_workers_of_line_searches_die(tmp_path: Path) -> None:
    learned = fitted(tmp_path)[:2]
    dead: set[tuple[int, str]] = set()

    def dies(actor: int, number: int, method: str, arguments: tuple[Any, ...]) -> bool:
        if actor % 3 == 1 and method in {"translate", "cut", "score"} and (actor, method) not in dead:
            dead.add((actor, method))
            return True
        return False

    executor = Copying(dies=dies)
    assert fitted(tmp_path, executor)[:2] == learned
    assert executor.restarts == len(dead) == 6


def test_other_processes_number_features_in_another_way(tmp_path: Path) -> None:
    decoder = SPARSE.decoder(tmp_path)
    metric = BleuPlusOne(grounded=True, smooth_brevity=True)
    loss = SentenceLoss(20, 20.0, metric, DenseFeatures([decoder], list(SPARSE.weights)))
    task = GradientTask(loss, (decoder,))
    values = {**dict(decoder.weights), "R:X:casa:home": 0.25}
    chunk = [(0, segment) for segment in SPARSE.corpus[:4]]
    there = elsewhere(in_other_numbers, task, values, chunk)
    assert isinstance(there, PartialSum) and there.weights is decoder.weights
    decoder.weights.update(values)
    here = task(chunk)

    def named(found: PartialSum, times: int = 1) -> tuple[dict[str, float], dict[str, float]]:
        names = [decoder.weights.name(feature) for feature in found.features.tolist()]
        slopes = {name: slope / times for name, slope in zip(names, found.gradient.tolist(), strict=True)}
        counts = {name: count / times for name, count in zip(names, found.lists.tolist(), strict=True)}
        return slopes, counts

    slopes, counts = named(here)
    assert named(there) == (pytest.approx(slopes, abs=1e-12), counts)
    assert (there.sentences, there.skipped) == (4, 0)
    assert there.loss == pytest.approx(here.loss)
    assert there.seconds > 0
    both = PartialSum.merged([here, there])
    assert named(both, 2) == (pytest.approx(slopes, abs=1e-12), counts)
    total = GradientSum()
    total.add(both)
    assert (total.sentences, total.lists.sum()) == (8, 2 * here.lists.sum())

    best = KBestTask(Translate(decoder), decoder, 5)
    far, near = elsewhere(in_other_numbers, best, values, (0, SPARSE.corpus[0])), best((0, SPARSE.corpus[0]))
    assert isinstance(far, KBestResult) and far.elsewhere and not near.elsewhere
    assert far.translations.texts == near.translations.texts
    np.testing.assert_array_equal(far.translations.indptr, near.translations.indptr)
    np.testing.assert_array_equal(far.translations.features, near.translations.features)
    np.testing.assert_array_equal(far.translations.values, near.translations.values)
    lost = Segment(("zzz",), id=0, index=0, references=("x",))
    assert elsewhere(in_other_numbers, best, values, (0, lost)).translations is None


@pytest.mark.parametrize("kind", [Mert, Pro])
def test_batch_tuners_translate_elsewhere(tmp_path: Path, kind: type[Mert]) -> None:
    learned = []
    for executor in (None, Copying()):
        decoder = SPARSE.decoder(tmp_path)
        tuner = kind(passes=2, k=5, metric=SMOOTHED)
        tuner.executor = executor
        tuner.fit(decoder, SPARSE.corpus, development=SPARSE.corpus[:2])
        learned.append((tuner.weights_, tuner.score_per_pass_))
    assert learned[0] == learned[1]


def test_forests_stay_here(tmp_path: Path) -> None:
    tuner = ForestMert()
    tuner.executor = Serial()
    with pytest.raises(ValueError, match="ForestMert searches forests in threads of this process"):
        tuner.fit(SPARSE.decoder(tmp_path), SPARSE.corpus)


def test_a_corpus_is_scored_elsewhere(tmp_path: Path) -> None:
    decoder = SPARSE.decoder(tmp_path)
    weights = decoder.weights.array.copy()
    decoder.weights.clear()
    lost = Segment(("zzz",), id=9, index=9, references=("x",))
    scores = [
        corpus_score(decoder, [*SPARSE.corpus, lost], weights, SMOOTHED, executor)
        for executor in (None, Copying(), Serial())
    ]
    assert scores[0] == scores[1] == scores[2]
    assert scores[0].interval is not None and 0 < scores[0].interval[0] <= scores[0].score
    assert not decoder.weights.array.any()

"""The line search of HOLS in parts: the same whatever the parts, and whoever dies; messages are small."""

from __future__ import annotations

import math
import pickle
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.brute_force import deterministic
from support.hols_workers import SMOOTHED
from support.mortal_workers import Mortal
from support.small_pools import make_pool
from support.world import SPARSE

from hopefear import Decoder, InputError, Segment
from hopefear.base.arrays import Floats
from hopefear.base.state import load
from hopefear.metrics import Ter
from hopefear.parallel import Executor, Recovery, Threads, WorkerDied
from hopefear.tuners import Candidates, ErrorSurface, Intervals, search_line
from hopefear.tuners.hols.dense_features import DenseFeatures
from hopefear.tuners.hols.sharded_lines import merged
from hopefear.tuners.hols.sharded_pool import Sharding
from hopefear.tuners.hols.sparse_line import NEW, SparseLine
from hopefear.tuners.hols.sparse_line_search import LineSearch, Steps
from hopefear.tuners.pool.climbing import Climber
from hopefear.tuners.pool.line_search import REACH, peak
from hopefear.tuners.pool.spread import Squares, spread
from hopefear.tuners.solvers.row_sums import row_sums

candidate = st.tuples(
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=5).map(" ".join),
    st.lists(st.integers(-2, 2).map(float), min_size=3, max_size=3),
)
lists = st.lists(st.lists(candidate, max_size=6), min_size=3, max_size=3)
vectors = st.lists(st.integers(-3, 3).map(float), min_size=3, max_size=3).map(np.array)


def parts_of(found: list[Any], metric: Any, count: int) -> list[Candidates]:
    """The segments dealt; of those of other parts there is nothing."""
    return [
        make_pool([own if i % count == part else [] for i, own in enumerate(found)], metric)
        for part in range(count)
    ]


@deterministic
@given(lists, vectors, vectors, st.sampled_from([SMOOTHED, Ter()]), st.integers(1, 3), st.integers(1, 4))
def test_the_optimum_of_parts_is_that_of_all(
    found: list[Any],
    weights: Floats,
    direction: Floats,
    metric: Any,
    count: int,
    most: int,
) -> None:
    whole = search_line(make_pool(found, metric), weights, direction)
    cuts = [search_line(part, weights, direction) for part in parts_of(found, metric, count)]

    def further(after: float) -> list[Intervals]:
        return [cut.part(after, most) for cut in cuts]

    values = metric.quality(whole.sums)
    now, optimum = peak(merged(further(-math.inf), further), metric.quality)
    assert now == values[whole.touching(0.0)].min()
    assert optimum == whole.best(values, REACH)


@deterministic
@given(lists, st.integers(1, 3), st.data())
def test_deviations_of_parts_add_up_without_rounding(
    found: list[Any], count: int, data: st.DataObject
) -> None:
    pools = parts_of(found, SMOOTHED, count)
    pool = make_pool(found, SMOOTHED)
    assume(len(pool))
    number = st.floats(-1e300, 1e300)
    by_segment = [data.draw(st.lists(number, min_size=n, max_size=n)) for n in pool.counts.tolist()]
    values = np.array([x for own in by_segment for x in own])[np.newaxis]
    parted = [
        np.array([x for i, own in enumerate(by_segment) if i % count == part for x in own])[np.newaxis]
        for part in range(count)
    ]
    of_parts = Squares.merged([Squares.of(x, own.counts) for own, x in zip(pools, parted, strict=True)])
    np.testing.assert_array_equal(of_parts.deviations(), Squares.of(values, pool.counts).deviations())
    np.testing.assert_allclose(of_parts.deviations(), spread(values, pool.counts), rtol=1e-12, atol=1e-290)
    assert all(len(terms) < 50 for terms in of_parts.terms)


def make_line(decoder: Decoder, seed: int = 0) -> SparseLine:
    """A line whose w_s and g are random for the features of RuleIndicators."""
    dense = len(decoder.weights)
    for segment in SPARSE.corpus:
        decoder.translate(segment)
    rng = np.random.default_rng(seed)
    start, direction = decoder.weights.array.copy(), np.zeros(len(decoder.weights))
    start[dense:], direction[dense:] = rng.normal(size=(2, len(start) - dense))
    return SparseLine(decoder, DenseFeatures([decoder]), start, direction)


def searched(
    tmp_path: Path, executor: Executor | None, corpus: list[Segment] = SPARSE.corpus, **settings: Any
) -> tuple[dict[str, float], LineSearch]:
    decoder = SPARSE.decoder(tmp_path)
    search = LineSearch(**{"passes": 3, "k": 5, "restarts": 3, "metric": SMOOTHED, **settings})
    search.search(make_line(decoder), corpus, executor=executor)
    return decoder.weights.nonzero(), search


def workers(count: int, executor: Mortal | None = None) -> Mortal:
    executor = Mortal() if executor is None else executor
    executor.workers = count
    return executor


def scores(search: LineSearch) -> list[tuple[float, ...]]:
    return [(r.score, r.pool_score, r.candidates, r.change) for r in search.passes_]


def test_it_finds_the_same_in_any_number_of_parts(tmp_path: Path) -> None:
    weights, alone = searched(tmp_path, None)
    assert len(alone.passes_) > 1 and alone.step != 0
    for count in (1, 2, 3, 20):
        found, search = searched(tmp_path, workers(count))
        assert (found, scores(search)) == (weights, scores(alone))
    small = Sharding(chunk=2, block=3)  # a boundary of each part at a time
    found, search = searched(tmp_path, workers(3), sharding=small)
    assert (found, scores(search)) == (weights, scores(alone))
    with Threads(3) as threads:
        found, search = searched(tmp_path, threads, sharding=small)
    assert (found, scores(search)) == (weights, scores(alone))


def test_it_climbs_as_mert_does(tmp_path: Path) -> None:
    """Lines from the same places in the same order, on the pool as a whole."""
    steps, search = Steps(), LineSearch(passes=1, k=1000, restarts=3, metric=SMOOTHED)
    search.search(make_line(SPARSE.decoder(tmp_path)), SPARSE.corpus, steps=steps, executor=workers(2))
    decoder = SPARSE.decoder(tmp_path)
    line = make_line(decoder)
    pool = Candidates.of_corpus(SPARSE.corpus, SMOOTHED, decoder.weights)
    line.install(line.begin)
    found = (line.reduce(decoder.translate(segment).best_translations(1000)) for segment in SPARSE.corpus)
    pool.merge(enumerate(found))
    names = [decoder.weights.name(feature) for feature in pool.active.tolist()]
    before = line.with_seen(line.begin, names)

    surface = ErrorSurface(pool, line.array(before))
    best = Climber(3).search(surface, surface.position(), np.random.default_rng([0, 1]))
    assert pool.corpus_score(surface.weights(best)) == pytest.approx(search.passes_[0].pool_score)
    learned, got = surface.weights(best)[surface.features], steps.weights[1]
    found = np.array([got[decoder.weights.name(int(feature))] for feature in surface.features])
    np.testing.assert_allclose(found / found[0], learned / learned[0], rtol=1e-9)


@pytest.mark.parametrize("count", [1, 2])
def test_whoever_dies_whenever_nothing_changes(tmp_path: Path, count: int) -> None:
    settings = {"passes": 2, "restarts": 1, "sharding": Sharding(chunk=2)}
    weights, alone = searched(tmp_path, None, **settings)
    methods: dict[str, int] = {}

    def noted(actor: int, number: int, method: str, arguments: tuple[Any, ...]) -> bool:
        if actor == 0:
            methods.setdefault(f"{method}", number)
            last[method] = number
        return False

    last: dict[str, int] = {}
    searched(tmp_path, workers(count, Mortal(noted)), **settings)
    expected = "take translate merge check measure load cut best score seconds"
    assert set(expected.split()) <= set(last)
    for numbers in (methods, last):
        for number in numbers.values():
            executor = workers(
                count, Mortal(lambda actor, n, *call, number=number: (actor, n) == (0, number))
            )
            found, search = searched(tmp_path, executor, **settings)
            assert executor.restarts == 1
            assert (found, scores(search)) == (weights, scores(alone))


def test_who_dies_of_a_sentence_again_and_again_ends_it(tmp_path: Path) -> None:
    executor = workers(2, Mortal(lambda actor, n, method, given: (actor, method) == (1, "translate")))
    with pytest.raises(InputError, match=r"the input: sentence 2: workers died 2 times"):
        searched(tmp_path, executor)
    assert executor.restarts == 1
    assert all(actor.is_closed for actor in executor.actors)
    executor = workers(2, Mortal(lambda actor, n, method, given: (actor, method) == (1, "cut")))
    with pytest.raises(WorkerDied, match="a line search: workers died 2 times in cut: in a test"):
        searched(tmp_path, executor)


class Dying:
    """Lets an actor die when it has been asked so often since it died last, and then never again."""

    def __init__(self, *pauses: int) -> None:
        self.left = list(pauses)

    def __call__(self, actor: int, number: int, method: str, given: tuple[Any, ...]) -> bool:
        if actor or not self.left:
            return False
        self.left[0] -= 1
        if self.left[0]:
            return False
        del self.left[0]
        return True


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2])
def test_who_dies_again_while_it_is_brought_back_changes_nothing(tmp_path: Path, count: int) -> None:
    """Alone, or one after the other until all but the last have died on the way, and then once more."""
    settings = {"passes": 2, "restarts": 1, "sharding": Sharding(chunk=2)}
    weights, alone = searched(tmp_path, None, **settings)
    methods: dict[str, int] = {}

    def noted(actor: int, number: int, method: str, given: tuple[Any, ...]) -> bool:
        if actor == 0:
            methods[method] = number
        return False

    searched(tmp_path, workers(count, Mortal(noted)), **settings)
    assert {"translate", "score", "cut"} <= set(methods)
    for last in methods.values():
        for deaths in ((1,), (2, 1, 2), (1, 1, 1, 30, 2, 1, 2)):
            dying = Dying(last, *deaths)
            executor = workers(count, Mortal(dying))
            found, search = searched(tmp_path, executor, **settings)
            assert executor.restarts == 1 + len(deaths) - len(dying.left)
            assert (found, scores(search)) == (weights, scores(alone))


def test_who_is_never_brought_back_accuses_no_sentence(tmp_path: Path) -> None:
    executor = workers(2, Mortal(Dying(4, 1, 2, 1), Recovery(starts=3, seconds=0.0)))
    with pytest.raises(WorkerDied, match="a worker that died could not be restarted, 3 times: in a test"):
        searched(tmp_path, executor)
    assert executor.restarts == 3


def test_of_some_sentences_the_deadly_one_is_named(tmp_path: Path) -> None:
    """A part has the sentences 1, 3, 5 and 7; all go to it at once."""
    deadly = 2

    def dies(actor: int, number: int, method: str, given: tuple[Any, ...]) -> bool:
        return (actor, method) == (1, "score") and given[-2] <= deadly < given[-1]

    executor = workers(2, Mortal(dies))
    with pytest.raises(InputError, match="sentence 6: workers died 2 times"):
        searched(tmp_path, executor)
    assert executor.restarts == 1


@pytest.mark.parametrize("method", ["translate", "score"])
def test_a_deadly_sentence_is_skipped(tmp_path: Path, method: str) -> None:
    """It counts as a sentence without a translation, and all others as ever."""
    skipped: list[tuple[int | str, str]] = []

    def dies(actor: int, number: int, called: str, given: tuple[Any, ...]) -> bool:
        return (actor, called) == (1, method) and given[-2] <= 2 < given[-1]

    decoder = SPARSE.decoder(tmp_path)
    decoder.on_error = lambda segment, error: skipped.append((segment.id, str(error)))
    executor = workers(2, Mortal(dies))
    search = LineSearch(passes=2, k=5, restarts=1, metric=SMOOTHED)
    search.search(make_line(decoder), SPARSE.corpus, executor=executor)
    assert [name for name, _ in skipped] == [5] * len(search.passes_)
    assert all("sentence 6: workers died 2 times" in text for _, text in skipped)
    assert executor.restarts == 2 * len(search.passes_)
    first, untouched = search.passes_[0], searched(tmp_path, None, passes=1)[1].passes_[0]
    assert first.skipped == (method == "translate")
    assert (first.candidates < untouched.candidates) == (method == "translate")
    assert (first.score < untouched.score) == (method == "translate")


def test_very_many_workers_get_no_part_each(tmp_path: Path) -> None:
    weights, _ = searched(tmp_path, None, passes=1)
    executor = workers(1000)
    assert searched(tmp_path, executor, passes=1, sharding=Sharding(max_shards=3))[0] == weights
    assert len(executor.actors) == 3
    assert len({actor.made_from for actor in executor.actors}) == 1  # so that it goes to a node once


@deterministic
@given(
    st.lists(st.tuples(st.integers(0, 3), st.floats(-1e3, 1e3) | st.floats(-1e-300, 1e300)), max_size=30),
    st.randoms(use_true_random=False),
)
def test_sums_do_not_depend_on_the_order(entries: list[tuple[int, float]], random: Any) -> None:
    def sums() -> Floats:
        return row_sums(np.array([r for r, _ in entries], int), np.array([x for _, x in entries]), 4)

    first = sums()
    scale = max((abs(x) for _, x in entries), default=0.0)
    for row in range(4):
        assert first[row] == pytest.approx(math.fsum(x for r, x in entries if r == row), abs=1e-13 * scale)
    random.shuffle(entries)
    np.testing.assert_array_equal(sums(), first)


def test_it_goes_on_with_the_weights_of_its_passes(tmp_path: Path) -> None:
    for count in (1, 3):
        weights, _ = searched(tmp_path, workers(count))
        states: list[bytes] = []
        steps = Steps()
        search = LineSearch(passes=3, k=5, restarts=3, metric=SMOOTHED)
        search.search(
            make_line(SPARSE.decoder(tmp_path)),
            SPARSE.corpus,
            steps=steps,
            executor=workers(count),
            on_pass=lambda record, steps=steps, all=states: all.append(pickle.dumps(steps)),
        )
        assert len(states) > 1
        for state in states:
            decoder = SPARSE.decoder(tmp_path)
            search = LineSearch(passes=3, k=5, restarts=3, metric=SMOOTHED)
            steps = pickle.loads(state)
            search.search(make_line(decoder), SPARSE.corpus, steps=steps, executor=workers(count))
            assert decoder.weights.nonzero() == weights


class Weighing(Mortal):
    """Notes the size of the largest answer of each method."""

    def __init__(self) -> None:
        super().__init__()
        self.largest: dict[str, int] = {}

    def actor(self, make: Any) -> Any:
        made = super().actor(make)
        call = made.call

        def weighed(method: str, *arguments: Any) -> Future[Any]:
            future = call(method, *arguments)
            size = len(pickle.dumps((arguments, future.result())))
            self.largest[method] = max(self.largest.get(method, 0), size)
            return future

        made.call = weighed  # type: ignore[method-assign]
        return made


def test_what_comes_and_is_kept_does_not_grow_with_the_sentences(tmp_path: Path) -> None:
    found = []
    for times in (1, 4, 16):
        corpus = SPARSE.corpus * times
        executor = Weighing()
        executor.workers = 2
        steps = Steps()
        search = LineSearch(passes=1, k=20, restarts=3, metric=SMOOTHED, sharding=Sharding(block=8))
        search.search(make_line(SPARSE.decoder(tmp_path)), corpus, steps=steps, executor=executor)
        found.append((executor.largest, len(pickle.dumps(steps)), search.passes_[0].candidates))
    for largest, saved, candidates in found[1:]:
        assert candidates >= 4 * found[0][2]
        assert saved <= found[0][1] + 50
        for method, size in largest.items():
            # The way to a place, and lines that are looked at together, may be different ones; a call
            # translates up to 10 sentences, and gives the statistics of each.
            assert size <= (2 if method == "cut" else 1) * found[0][0][method] + 800, method


@pytest.mark.parametrize("facts", [{}, {"records": [], "weights": [{NEW: 0.0}], "converged": False}])
def test_steps_of_something_else_are_refused(facts: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="the state of a line search"):
        load(Steps(), {"facts": facts, "arrays": {}}, what="a line search")


def test_nothing_is_covered(tmp_path: Path) -> None:
    lost = [Segment(("zzz",), id=0, index=0, references=("x",))]
    with pytest.raises(InputError, match="no derivation covers any segment"):
        searched(tmp_path, workers(2), lost)
    weights, alone = searched(tmp_path, None, [*lost, *SPARSE.corpus])
    assert alone.passes_[0].skipped == 1
    found, search = searched(tmp_path, workers(2), [*lost, *SPARSE.corpus])
    assert (found, scores(search)) == (weights, scores(alone))

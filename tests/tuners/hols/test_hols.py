"""HOLS: its gradient, its line in the reduced space, its stages, and what it learns from sparse features."""

from __future__ import annotations

import gc
import math
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.brute_force import deterministic
from support.hols_workers import SMOOTHED
from support.small_pools import dense_list
from support.stopping import Stop, stop_after
from support.world import SPARSE

from hopefear import Decoder, Hypergraph, InputError, Segment
from hopefear.base.arrays import Floats
from hopefear.cdec import CdecProcess
from hopefear.decoder import Weights
from hopefear.feature_extractors import RuleIndicators
from hopefear.grammars.sample import sample_path
from hopefear.metrics import Bleu, BleuPlusOne, Ter
from hopefear.tuners import Fold, Hils, Hols, Mert, TuningError
from hopefear.tuners.hols.dense_features import DenseFeatures
from hopefear.tuners.hols.gradient_sum import GradientSum, PartialSum
from hopefear.tuners.hols.loss_gradient import list_gradient
from hopefear.tuners.hols.sparse_line import NEW, OLD, SparseLine
from hopefear.tuners.hols.sparse_line_search import LineSearch

values = st.integers(-8, 8).map(lambda n: n / 4)


def bleu(decoder: Decoder, corpus: list[Segment], metric: Bleu = SMOOTHED) -> float:
    texts = [decoder.translate(segment).viterbi() for segment in corpus]
    stats = [metric.stats(text, segment.references) for text, segment in zip(texts, corpus, strict=True)]
    return metric.score(np.sum(stats, axis=0))


# --- the gradient


@deterministic
@given(st.lists(st.tuples(values, values, values, values.map(abs)), min_size=1, max_size=6), st.data())
def test_the_gradient_is_that_of_finite_differences(
    rows: list[tuple[float, ...]], data: st.DataObject
) -> None:
    table = np.array(rows)
    h, cost = table[:, :3], 5 * table[:, 3]
    w = np.array([data.draw(values) for _ in range(3)])
    sparse = np.array([False, True, True])
    found = list_gradient(dense_list(h), w, cost, np.tile(sparse, len(h)))

    def loss(w: Floats) -> float:
        fear, hope = (math.fsum(np.exp(h @ w + sign * cost - 60)) for sign in (1, -1))
        return math.log(fear) - math.log(hope)

    assert found.loss == pytest.approx(loss(w), abs=1e-9)
    assert found.features.tolist() == [f for f in (1, 2) if h[:, f].any()]
    numeric = [(loss(w + s) - loss(w - s)) / 2e-5 for s in 1e-5 * np.eye(3)[found.features]]
    np.testing.assert_allclose(found.gradient, numeric, atol=1e-6)


def test_conditioning_by_hand() -> None:
    """Two candidates of scores 0 and costs ln 2 and 0: fear is (2/3, 1/3), hope (1/3, 2/3)."""
    cost = np.array([math.log(2), 0.0])
    weights, total = Weights(), GradientSum()
    lists = [
        list_gradient(dense_list(np.array(h)), np.zeros(3), cost, np.ones(6, bool))
        for h in ([[0.0, 3.0, 0.0], [0.0, 0.0, 1.0]], [[0.0, 6.0, 0.0], [5.0, 0.0, 0.0]])
    ]
    parts = [PartialSum.of(weights, own, 0.0) for own in (lists[:1], [None], lists[1:])]
    total.add(PartialSum.merged(parts[:2]))
    total.add(parts[2])
    assert (total.sentences, total.skipped) == (3, 1)
    assert total.loss == pytest.approx(2 * (math.log(3) - math.log(1.5)))
    np.testing.assert_allclose(total.direction(conditioning=False), [5 / 3, -3, 1 / 3])
    np.testing.assert_allclose(total.direction(conditioning=True), [5 / 3, -1.5, 1 / 3])
    np.testing.assert_allclose(total.direction(conditioning=True, min_count=2), [0, -1.5])


def test_what_the_gradient_is_taken_over(tmp_path: Path) -> None:
    """Costs of 20 times 1 - grounded BLEU+1, all sparse features of the lists, divided by their lists."""
    decoder = SPARSE.decoder(tmp_path)
    metric = BleuPlusOne(grounded=True, smooth_brevity=True)
    gradient: dict[str, float] = {}
    lists: dict[str, int] = {}
    for segment in SPARSE.corpus[:5]:
        forest = decoder.translate(segment)
        found = list(forest.derivations(1000, unique=True))
        cost = [20 - metric.score(metric.stats(forest.text(d), segment.references)) / 5 for d in found]
        score, h = [forest.score(d) for d in found], [forest.features(d) for d in found]
        fear, hope = (np.exp([s + sign * c for s, c in zip(score, cost, strict=True)]) for sign in (1, -1))
        p = fear / fear.sum() - hope / hope.sum()
        for name in {name for own in h for name in own if name not in SPARSE.weights}:
            slope = math.fsum(p[i] * own.get(name, 0.0) for i, own in enumerate(h))
            gradient[name], lists[name] = gradient.get(name, 0.0) + slope, lists.get(name, 0) + 1
    assert len(set(lists.values())) > 1
    for conditioning in (True, False):
        decoder = SPARSE.decoder(tmp_path)
        tuner = Hols(conditioning=conditioning)
        with pytest.raises(Stop):
            training = [Fold(decoder, SPARSE.corpus[:5])]
            tuner.fit(decoder, SPARSE.corpus[5:], training=training, on_sentence=stop_after(6))
        direction = tuner.get_state()["arrays"]["direction"]
        named = {name: float(direction[decoder.weights.id(name)]) for name in gradient}
        assert np.count_nonzero(direction) <= len(named)
        assert named == pytest.approx(
            {n: -g / (lists[n] if conditioning else 1) for n, g in gradient.items()}, abs=1e-9
        )


# --- the line


def sparse_line(tmp_path: Path, seed: int = 0) -> tuple[Decoder, SparseLine, Floats]:
    """Return a line whose w_s and g are random for the features of RuleIndicators."""
    decoder = SPARSE.decoder(tmp_path)
    for segment in SPARSE.corpus:
        decoder.translate(segment)
    rng = np.random.default_rng(seed)
    start, direction = decoder.weights.array.copy(), np.zeros(len(decoder.weights))
    for name, weight in decoder.weights:
        if name not in SPARSE.weights:
            assert weight == 0
            start[decoder.weights.id(name)], direction[decoder.weights.id(name)] = rng.normal(size=2)
    return decoder, SparseLine(decoder, DenseFeatures([decoder]), start, direction), direction


def test_the_reduced_features(tmp_path: Path) -> None:
    decoder, line, direction = sparse_line(tmp_path)
    line.install(line.begin)
    start = decoder.weights.array.copy()
    forest = decoder.translate(SPARSE.corpus[0])
    full, reduced = forest.best_translations(20), line.reduce(forest.best_translations(20))
    assert reduced.texts == full.texts
    names = {decoder.weights.name(int(feature)) for feature in reduced.features}
    assert names == {*SPARSE.weights, OLD, NEW}
    weights = line.with_seen(line.begin, names)
    np.testing.assert_allclose(reduced.scores(line.array(weights)), full.scores(start))
    weights["Good"], weights[OLD], weights[NEW] = -2.0, 0.5, 3.0
    line.install(weights)
    wanted = 0.5 * start + 3 * np.pad(direction, (0, len(start) - len(direction)))
    for name in SPARSE.weights:
        wanted[decoder.weights.id(name)] = weights[name]
    np.testing.assert_allclose(decoder.weights.array, wanted)
    np.testing.assert_allclose(reduced.scores(line.array(weights)), full.scores(wanted))


def test_a_dense_feature_that_comes_late_has_its_weight(tmp_path: Path) -> None:
    """So that weights are those that were translated with before, whatever comes later."""
    decoder, line, _ = sparse_line(tmp_path)
    weights = {OLD: 0.5, NEW: 2.0}
    line.install(weights)
    before = decoder.weights.array.copy()
    seen = line.with_seen(weights, ["Good"])
    assert seen["Good"] == decoder.weights["Good"] == 0.5 * SPARSE.weights["Good"]
    np.testing.assert_array_equal(line.full(seen), before)


@pytest.mark.parametrize("seed", range(3))
def test_the_best_step_is_that_of_enumeration(tmp_path: Path, seed: int) -> None:
    """With all dense features fixed, MERT's α is as good as the best of many."""
    decoder, _, direction = sparse_line(tmp_path, seed)
    start = decoder.weights.array[: len(direction)].copy()
    search = LineSearch(passes=1, k=1000, restarts=0, features=[NEW], metric=SMOOTHED)
    search.search(SparseLine(decoder, DenseFeatures([decoder]), start, direction), SPARSE.corpus)
    found = bleu(decoder, SPARSE.corpus)
    assert found == pytest.approx(search.passes_[-1].pool_score)
    scores = []
    for step in np.linspace(-10, 10, 801):
        decoder.weights.replace(start + step * direction)
        scores.append(bleu(decoder, SPARSE.corpus))
    assert found >= max(scores)
    assert max(scores) > scores[400]


def test_a_line_search_keeps_the_width_of_the_scores(tmp_path: Path) -> None:
    """However short g is."""
    decoder, line, direction = sparse_line(tmp_path)
    direction *= 1e-6

    line.install(line.begin)

    def width() -> float:
        weights = decoder.weights.array
        found = [
            decoder.translate(segment).best_translations(1000).scores(weights) for segment in SPARSE.corpus
        ]
        sizes = [len(scores) for scores in found]
        return math.sqrt(np.average([np.var(scores) for scores in found], weights=sizes))

    before = width()
    search = LineSearch(passes=1, k=1000, metric=SMOOTHED)
    search.search(line, SPARSE.corpus)
    assert abs(search.step) > 1000
    assert width() == pytest.approx(before)


# --- the tuner


class Noting(Decoder):
    """Notes what it translates."""

    def translate(self, source: Any, *arguments: Any, **options: Any) -> Hypergraph:
        LOG.append((self, source.id))
        return super().translate(source, *arguments, **options)


LOG: list[tuple[Decoder, int]] = []


def noting(tmp_path: Path, weights: Weights | None = None) -> Decoder:
    return SPARSE.decoder(tmp_path, weights, kind=Noting)


def test_who_translates_what_and_when(tmp_path: Path) -> None:
    """Four updates of half a pass; searches on the held-out fold, the last one on the dev set."""
    tuned = noting(tmp_path)
    one, two, other = (noting(tmp_path, tuned.weights) for _ in range(3))
    LOG.clear()
    tuner = Hols(updates=4, parts=2, line_search_passes=1, restarts=0).fit(
        tuned,
        SPARSE.corpus[7:],
        training=[Fold(one, SPARSE.corpus[:3]), Fold(two, SPARSE.corpus[3:5])],
        held_out=Fold(other, SPARSE.corpus[5:7]),
    )
    halves = [[(one, 0), (one, 2), (two, 4)], [(one, 1), (two, 3)]]
    held_out, last = 2 * [(other, 5), (other, 6)], 2 * [(tuned, 7)]  # k-best lists, then what was learned
    assert [*halves[0], *held_out, *halves[1], *held_out, *halves[0], *held_out, *halves[1], *last] == LOG
    assert [record.sentences for record in tuner.passes_] == [3, 2, 3, 2]
    assert tuned.weights is one.weights
    assert tuner.weights_ == two.weights.nonzero()


@pytest.mark.parametrize("kind", [Hols, Hils])
def test_a_tuning_set_is_dealt(tmp_path: Path, kind: type[Hols]) -> None:
    seen = []
    for seed in (1, 2):
        LOG.clear()
        kind(line_search_share=0.25, line_search_passes=1, seed=seed).fit(noting(tmp_path), SPARSE.corpus)
        ids = [number for _, number in LOG]
        count = 6 if kind is Hols else 8
        gradient, search = ids[:count], ids[count:]
        assert search[:2] == search[2:]
        assert sorted({*gradient, *search}) == list(range(8))
        assert gradient == sorted(set(range(8)) - (set(search) if kind is Hols else set()))
        seen.append(search)
    assert seen[0] != seen[1]


def data(decoder: Decoder, tmp_path: Path) -> dict[str, Any]:
    folds = [SPARSE.decoder(tmp_path, decoder.weights) for _ in range(3)]
    return {
        "training": [Fold(folds[0], SPARSE.corpus[:3]), Fold(folds[1], SPARSE.corpus[3:5])],
        "held_out": Fold(folds[2], SPARSE.corpus[4:6]),
    }


def folded(
    tmp_path: Path, checkpoint: Path | None = None, **arguments: Any
) -> tuple[dict[str, float], list[tuple[object, ...]]]:
    decoder = SPARSE.decoder(tmp_path)
    make = partial(Hols, updates=3, parts=2, line_search_passes=3, line_search_k=5, metric=SMOOTHED)
    tuner = make(restarts=3, save_every=1).fit(
        decoder,
        SPARSE.corpus[5:],
        **data(decoder, tmp_path),
        development=SPARSE.corpus,
        checkpoint=checkpoint,
        **arguments,
    )
    records = [
        tuple(getattr(record, name) for name in ("score", "search_score", "loss", "step", "change"))
        for record in tuner.passes_
    ]
    assert decoder.weights.nonzero() == tuner.weights_
    return tuner.weights_, records


@pytest.mark.slow
def test_a_run_goes_on_from_wherever_it_was_stopped(tmp_path: Path) -> None:
    sentences = 0

    def count() -> None:
        nonlocal sentences
        sentences += 1

    learned = folded(tmp_path, on_sentence=count)
    assert any(name.startswith("R:") for name in learned[0])
    assert sentences > 15
    for number in range(1, sentences + 1, 3):
        checkpoint = tmp_path / str(number)
        with pytest.raises(Stop):
            folded(tmp_path, checkpoint, on_sentence=stop_after(number))
        left = 0

        def count_left() -> None:
            nonlocal left
            left += 1

        assert folded(tmp_path, checkpoint, resume=checkpoint.exists(), on_sentence=count_left) == learned
        # Of gradients nothing is done again; line searches, of three passes at most, translate all again.
        assert left <= sentences - number + 9
    for number in (1, 2, 3):
        with pytest.raises(Stop):
            folded(tmp_path, tmp_path / "update", on_pass=stop_after(number))
        assert folded(tmp_path, tmp_path / "update", resume=True) == learned


def test_a_state_is_given_at_any_time(tmp_path: Path) -> None:
    """As `hopefear tune` wants it where it is stopped."""
    tuner = Hols()
    with pytest.raises(ValueError, match="begun to learn"):
        tuner.get_state()
    decoder = SPARSE.decoder(tmp_path)
    tuner.fit(decoder, SPARSE.corpus, on_sentence=lambda: tuner.get_state() and None)
    assert "search" not in tuner.get_state()["facts"]


LARGE = 50_000


class Lines:
    """Segments that are made one by one, and are large."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Segment]:
        for i in range(self.count):
            yield replace(
                SPARSE.corpus[i % len(SPARSE.corpus)],
                id=i,
                index=i,
                attributes={"comment": "x" * LARGE + str(i)},
            )


@pytest.mark.parametrize(("threads", "held"), [(1, 60), (2, 250)])
def test_the_gradient_streams(tmp_path: Path, threads: int, held: int) -> None:
    """Of 600 segments few are held at a time; two threads hold 200 and what they have learned."""
    decoder = SPARSE.decoder(tmp_path)
    for count in (20, 600):  # the first time, much is loaded
        gc.collect()
        tracemalloc.start()
        with pytest.raises(Stop):
            Hols(k=10, threads=threads, save_every=0).fit(
                decoder, SPARSE.corpus, training=[Fold(decoder, Lines(count))], on_sentence=stop_after(count)
            )
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < held * LARGE


def test_threads_learn_the_same(tmp_path: Path) -> None:
    learned = [
        Hols(threads=n, metric=SMOOTHED).fit(SPARSE.decoder(tmp_path), SPARSE.corpus).weights_ for n in (1, 3)
    ]
    assert learned[1] == pytest.approx(learned[0])


def test_named_features_are_the_dense_ones(tmp_path: Path) -> None:
    decoder = SPARSE.decoder(tmp_path)
    features = np.arange(len(decoder.weights), dtype=np.int32)
    for segment in SPARSE.corpus:
        decoder.translate(segment)
    features = np.arange(len(decoder.weights), dtype=np.int32)

    def dense(names: list[str] | None) -> set[str]:
        mask = DenseFeatures([decoder], names).mask(decoder, features)
        return {decoder.weights.name(int(feature)) for feature in features[mask]}

    assert dense(None) == set(SPARSE.weights)
    assert dense(["Good", "R:X:la:the"]) == {"Good", "R:X:la:the"}
    with pytest.raises(InputError, match="dense: expected names of the decoder's features, got 'Goode'"):
        dense(["Goode"])


def test_cdec_wants_the_dense_features_named(tmp_path: Path) -> None:
    """Its k-best lists do not say whose the features are."""
    (tmp_path / "cdec").write_text("#!/bin/sh\ncat\n")
    (tmp_path / "cdec").chmod(0o755)
    (tmp_path / "cdec.ini").write_text("formalism=scfg\n")
    with CdecProcess(tmp_path / "cdec.ini", executable=tmp_path / "cdec", weights=SPARSE.weights) as cdec:
        with pytest.raises(InputError, match="CdecProcess does not tell which features are sparse"):
            Hols().fit(cdec, SPARSE.corpus)
        features = np.arange(len(cdec.weights), dtype=np.int32)
        assert DenseFeatures([cdec], ["Bad"]).mask(cdec, features).tolist() == [
            name == "Bad" for name, _ in cdec.weights
        ]


@pytest.mark.parametrize("seed", range(3))
def test_no_line_search_does_harm(tmp_path: Path, seed: int) -> None:
    """On the data that it runs on: the best pass counts, or the weights of before."""
    decoder = SPARSE.decoder(tmp_path)
    before = bleu(decoder, SPARSE.corpus[6:])
    tuner = Hols(k=3, line_search_k=2, line_search_passes=4, metric=SMOOTHED, seed=seed)
    tuner.fit(decoder, SPARSE.corpus[6:], training=[Fold(decoder, SPARSE.corpus[:3])])
    assert tuner.passes_[0].score == pytest.approx(before)
    assert bleu(decoder, SPARSE.corpus[6:]) == pytest.approx(tuner.passes_[0].search_score)
    assert tuner.passes_[0].search_score >= tuner.passes_[0].score


def test_the_development_set_chooses_the_update(tmp_path: Path) -> None:
    decoder = SPARSE.decoder(tmp_path)
    chosen: dict[float, dict[str, float]] = {}

    def note(record: Any) -> None:
        chosen.setdefault(record.development_score, tuner.weights_)

    tuner = Hols(updates=3, line_search_share=0.3, seed=4, metric=SMOOTHED)
    tuner.fit(decoder, SPARSE.corpus, development=SPARSE.corpus[:2], on_pass=note)
    assert tuner.score_per_pass_ == [record.development_score for record in tuner.passes_]
    assert tuner.weights_ == chosen[max(chosen)]
    assert bleu(decoder, SPARSE.corpus[:2]) == pytest.approx(max(chosen))


def test_sparse_features_do_what_dense_ones_cannot(tmp_path: Path) -> None:
    """No weights of Good, Bad and the penalty translate these, but indicators of rules do."""
    dense, sparse = SPARSE.decoder(tmp_path), SPARSE.decoder(tmp_path)
    Mert(features=list(SPARSE.weights), k=1000, metric=SMOOTHED).fit(dense, SPARSE.corpus)
    folds = [Fold(sparse, SPARSE.corpus[:6])]
    tuner = Hols(line_search_k=1000, metric=SMOOTHED).fit(sparse, SPARSE.corpus[6:], training=folds)
    assert bleu(sparse, SPARSE.corpus) == 100
    assert bleu(dense, SPARSE.corpus) < 100
    assert tuner.passes_[0].step > 0
    best = sparse.weights.nonzero()
    tuner = Hols(line_search_k=1000, metric=SMOOTHED).fit(sparse, SPARSE.corpus[6:], training=folds)
    assert (tuner.weights_, tuner.passes_[0].step) == (best, 0)  # nothing is better


def sample(part: slice) -> list[Segment]:
    lines = [(sample_path() / f"dev.{end}").read_text("utf-8").splitlines() for end in ("es", "en.0", "en.1")]
    return [
        Segment(tuple(source.split()), id=i, index=i, references=tuple(references))
        for i, (source, *references) in enumerate(list(zip(*lines, strict=True))[part])
    ]


@pytest.mark.slow
def test_rule_indicators_of_the_sample_model() -> None:
    decoder = Decoder(
        sample_path() / "cdec.ini", weights=sample_path() / "weights.init", features=[RuleIndicators()]
    )
    development = sample(slice(15, 30))
    before = bleu(decoder, development, Bleu())
    tuner = Hols(k=100, line_search_passes=3, restarts=2)
    tuner.fit(decoder, development, training=[Fold(decoder, sample(slice(0, 15)))])
    record = tuner.passes_[0]
    assert record.score == pytest.approx(before)
    assert bleu(decoder, development, Bleu()) > before + 1
    assert record.step != 0
    assert sum(name.startswith("R:") for name in tuner.weights_) == record.features > 500


def test_data_is_checked(tmp_path: Path) -> None:
    decoder = SPARSE.decoder(tmp_path)
    own, other = Fold(decoder, SPARSE.corpus), Fold(SPARSE.decoder(tmp_path), SPARSE.corpus)

    def refused(error: type[Exception], message: str, kind: type[Hols] = Hols, **given: Any) -> None:
        names = {"training", "held_out", "resume"} & set(given)
        data = {name: given.pop(name) for name in names}
        with pytest.raises(error, match=message):
            kind(**given).fit(decoder, SPARSE.corpus[:6], **data)

    refused(ValueError, "held_out needs training folds", held_out=own)
    refused(ValueError, "give training folds to Hols", Hils, training=[own])
    refused(ValueError, "updates=2, held_out must be given", updates=2, training=[own])
    refused(ValueError, "at least one fold", training=[])
    refused(ValueError, "the decoder of fold 2 has other weights", training=[own, other])
    refused(ValueError, "expected a checkpoint", resume=True)
    refused(InputError, "expected segments in fold 2, got none", training=[own, Fold(decoder, [])])
    refused(InputError, "at least one segment for each of 9 parts, got 8", training=[own], parts=9)
    bare = [Segment(("la",), id="seg7", index=0)]
    refused(InputError, "expected a reference of sentence seg7", training=[Fold(decoder, bare)])
    folds = {"training": [own], "held_out": Fold(decoder, bare)}
    never = partial(pytest.fail, "the gradient was taken before the held-out fold was looked at")
    with pytest.raises(InputError, match="expected a reference of sentence seg7"):
        Hols(updates=2).fit(decoder, SPARSE.corpus[:6], on_sentence=never, **folds)
    refused(InputError, "in 9 k-best lists, got none: lower min_count", training=[own], min_count=9)
    lost = [Segment(("zzz",), id=0, index=0, references=("x",))]
    refused(InputError, "no derivation covers any segment", training=[Fold(decoder, lost)])
    with pytest.raises(InputError, match="at least two segments"):
        Hols().fit(decoder, SPARSE.corpus[:1])
    plain = replace(SPARSE, plugins=()).decoder(tmp_path)
    with pytest.raises(InputError, match="expected sparse features, but all features are dense"):
        Hols().fit(plain, SPARSE.corpus)


def test_what_is_not_finite_is_refused(tmp_path: Path) -> None:
    decoder = SPARSE.decoder(tmp_path)
    decoder.weights["R:unknown"] = math.inf
    with pytest.raises(TuningError, match="the initial weight of R:unknown is not finite"):
        Hols().fit(decoder, SPARSE.corpus)


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    folded(tmp_path, path)

    def refused(tuner: Hols, message: str, count: int = 3) -> None:
        decoder = SPARSE.decoder(tmp_path)
        given = data(decoder, tmp_path)
        given["training"][0] = Fold(decoder, SPARSE.corpus[:count])
        with pytest.raises(InputError, match=message):
            tuner.fit(decoder, SPARSE.corpus[5:], **given, checkpoint=path, resume=True)

    make = partial(Hols, updates=3, parts=2, line_search_passes=3, line_search_k=5, metric=SMOOTHED)
    refused(make(restarts=3, cost_scale=3.0), "expected cost_scale=20.0, as in the checkpoint, got 3.0")
    refused(make(restarts=3, metric=Ter()), "expected metric=BLEU")
    refused(make(restarts=3), "expected segments=", 2)
    Mert(passes=1).fit(SPARSE.decoder(tmp_path), SPARSE.corpus, checkpoint=path)
    refused(make(restarts=3), "expected tuner=Mert, as in the checkpoint, got Hols")

"""The pool of candidates against plain Python, and the loop that fills it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support import world
from support.world import World

from hopefear import Decoder, InputError, Segment
from hopefear.base.arrays import Floats
from hopefear.base.state import load, save
from hopefear.decoder import KBestList, Weights
from hopefear.metrics import Bleu, Ter
from hopefear.tuners import BatchRecord, BatchTuner, Candidates, TuningError

Row = dict[int, float]
REFERENCES = [["a b c d e", "a b c"], ["f g h"], ["i j"]]


def kbest(*candidates: tuple[str, Row]) -> KBestList:
    rows = [sorted(row.items()) for _, row in candidates]
    return KBestList(
        [text for text, _ in candidates],
        np.cumsum([0, *map(len, rows)]).astype(np.int64),
        np.array([f for row in rows for f, _ in row], np.int32),
        np.array([v for row in rows for _, v in row], np.float64),
    )


def rows_of(pool: Candidates) -> list[list[Row]]:
    rows = [
        dict(zip(pool.features[a:b].tolist(), pool.values[a:b].tolist(), strict=True))
        for a, b in zip(pool.indptr[:-1], pool.indptr[1:], strict=True)
    ]
    return [rows[a:b] for a, b in zip(pool.offsets[:-1], pool.offsets[1:], strict=True)]


def pool() -> Candidates:
    made = Candidates(Bleu(), REFERENCES, Weights({f"f{i}": 0.0 for i in range(6)}))
    made.merge([(0, kbest(("a b", {0: 1.0, 3: 2.0}), ("a c", {1: 1.0}))), (2, kbest(("i j", {5: -1.0})))])
    return made


def test_lists_are_merged_without_duplicates() -> None:
    made = pool()
    first = made.statistics[0].copy()
    new = made.merge(
        [
            (1, kbest(("f", {}), ("f", {2: 1.0}), ("f", {}))),
            (0, kbest(("a b", {0: 1.0, 3: 2.0}), ("a b", {0: 1.0, 3: 2.5}), ("a d", {1: 1.0}))),
            (0, kbest(("a d", {1: 1.0}), ("a e", {1: 1.0}))),
        ]
    )
    assert new == 5
    assert rows_of(made) == [
        [{0: 1.0, 3: 2.0}, {1: 1.0}, {0: 1.0, 3: 2.5}, {1: 1.0}, {1: 1.0}],
        [{}, {2: 1.0}],
        [{5: -1.0}],
    ]
    texts = ["a b", "a c", "a b", "a d", "a e", "f", "f", "i j"]
    segments = [0, 0, 0, 0, 0, 1, 1, 2]
    wanted = [Bleu().stats(text, REFERENCES[i]) for text, i in zip(texts, segments, strict=True)]
    np.testing.assert_array_equal(made.statistics, wanted)
    np.testing.assert_array_equal(made.statistics[0], first)
    np.testing.assert_array_equal(made.segment_of, segments)
    assert made.active.tolist() == [0, 1, 2, 3, 5]
    assert made.merge([(1, kbest(("f", {2: 1.0})))]) == 0


def test_scores_and_the_best_of_each_segment() -> None:
    made = pool()
    w = np.array([1.0, 3.0, 0.0, 1.0, 0.0, 2.0])
    np.testing.assert_array_equal(made.scores(w), [3.0, 3.0, -2.0])
    np.testing.assert_array_equal(made.best(made.scores(w)), [0, 2])  # the first of equal ones, no segment 1
    dense = np.zeros((3, 6))
    dense[:, made.active] = made.dense()
    np.testing.assert_array_equal(dense, made.matrix.toarray())
    wanted = Bleu().corpus_stats(["a b", "i j"], [REFERENCES[0], REFERENCES[2]]).sum(axis=0)
    assert made.corpus_score(w) == Bleu().score(wanted)
    np.testing.assert_array_equal(made.scores(np.array([1.0])), [1.0, 0.0, 0.0])


def test_a_merge_that_fails_changes_nothing() -> None:
    made = pool()
    before = rows_of(made)

    def lists():  # type: ignore[no-untyped-def]
        yield 1, kbest(("f", {}))
        raise OSError

    with pytest.raises(OSError):
        made.merge(lists())
    with pytest.raises(IndexError, match="below 3, got 3"):
        made.merge([(1, kbest(("f", {}))), (3, kbest(("f", {})))])
    assert rows_of(made) == before


def test_saved_candidates_know_their_duplicates() -> None:
    saved = save(pool())
    again = Candidates(Bleu(), REFERENCES, pool().weights)
    load(again, saved, what="a pool")
    assert rows_of(again) == rows_of(pool())
    assert again.merge([(2, kbest(("i j", {5: -1.0})))]) == 0
    with pytest.raises(InputError, match="2 segments and 10 statistics"):
        load(Candidates(Bleu(), REFERENCES[:2]), saved, what="a pool")
    with pytest.raises(InputError, match="statistics"):
        load(Candidates(Ter(), REFERENCES), saved, what="a pool")


class Climb(BatchTuner):
    """Random steps, kept if they help: the simplest batch tuner."""

    REMEDY = "take fewer steps"

    def __init__(
        self, *, passes=5, k=20, steps=50, metric=None, seed=0, tolerance=1e-5, patience=2, threads=1
    ) -> None:  # type: ignore[no-untyped-def]
        super().__init__()
        self.passes, self.k, self.steps, self.metric, self.seed = passes, k, steps, metric, seed
        self.tolerance, self.patience, self.threads = tolerance, patience, threads

    def optimize(self, pool: Candidates, weights: Floats, rng: np.random.Generator) -> Floats:
        for _ in range(self.steps):
            other = weights + rng.normal(size=len(weights))
            weights = max(weights, other, key=pool.corpus_score)
        return weights


class To(Climb):
    """A tuner whose features all have the same weight."""

    value = 0.0

    def optimize(self, pool: Candidates, weights: Floats, rng: np.random.Generator) -> Floats:
        return np.full_like(weights, self.value)


WORLD = World(
    world.grammar("la", "casa", "es") + world.rule("grande", "big", "Right=1"), weights=world.PHRASES.weights
)
CORPUS = [
    Segment(("la", "casa", "es", "grande"), id=0, references=("the house is big",)),
    Segment(("grande", "es", "la", "casa"), id=1, index=1, references=("big is the house", "it is big")),
]
UNKNOWN = Segment(("la", "mesa"), id=2, index=2, references=("the table",))


def test_passes_go_on_until_nothing_is_new(decoder: Decoder) -> None:
    seen: list[BatchRecord] = []
    metric = Bleu(smoothing="floor")
    tuner = Climb(k=4, threads=2, metric=metric).fit(decoder, [*CORPUS, UNKNOWN], on_pass=seen.append)
    assert tuner.passes_ == seen
    assert seen[0].new == seen[0].candidates == 8
    assert [r.candidates for r in seen] == np.cumsum([r.new for r in seen]).tolist()
    assert len(seen) < 5 and (seen[-1].new == 0 or seen[-1].change == 0.0)
    assert [r.skipped for r in seen] == [1] * len(seen)
    assert seen[-1].pool_score == pytest.approx(100.0)
    assert tuner.weights_ == decoder.weights.nonzero()
    # The score before a pass counts what cannot be translated.
    texts = [decoder.translate(s).viterbi() for s in CORPUS] + [""]
    sums = Bleu().corpus_stats(texts, [s.references for s in [*CORPUS, UNKNOWN]]).sum(axis=0)
    assert seen[-1].score == metric.score(sums)


def test_the_development_set_chooses_the_pass(decoder: Decoder) -> None:
    class Wander(Climb):
        """Right in its second pass only."""

        STOPS_WITHOUT_NEW = False
        signs = iter([-1.0, 1.0, -1.0, -2.0, -3.0, -4.0])

        def optimize(self, pool: Candidates, weights: Floats, rng: np.random.Generator) -> Floats:
            weights[pool.weights.id("Right")] = sign = next(self.signs)
            weights[pool.weights.id("Wrong")] = -sign
            return weights

    tuner = Wander(passes=9, patience=3).fit(decoder, CORPUS, development=CORPUS)
    assert [round(score) for score in tuner.score_per_pass_] == [0, 100, 0, 0, 0]
    assert tuner.weights_ == {"Right": 1.0, "Wrong": -1.0} == decoder.weights.nonzero()


@pytest.mark.parametrize(
    ("value", "message"), [(0.0, "all weights are zero after pass 1.*fewer"), (np.inf, "finite.*take fewer")]
)
def test_weights_that_are_of_no_use_are_refused(decoder: Decoder, value: float, message: str) -> None:
    tuner = To()
    tuner.value = value
    with pytest.raises(TuningError, match=message):
        tuner.fit(decoder, CORPUS)


def test_feature_values_must_be_finite() -> None:
    made = pool()
    made.merge([(1, kbest(("f", {4: np.nan})))])
    with pytest.raises(TuningError, match="feature f4 must be finite, but is nan"):
        Climb().fit_candidates(made)
    with pytest.raises(InputError, match="got none"):
        Climb().fit_candidates(Candidates(Bleu(), REFERENCES))


def test_nothing_that_can_be_translated_is_refused(decoder: Decoder) -> None:
    with pytest.raises(InputError, match="no derivation covers any segment"):
        Climb().fit(decoder, [UNKNOWN])


def test_a_checkpoint_is_of_one_run(decoder: Decoder, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    Climb(passes=1).fit(decoder, CORPUS, checkpoint=checkpoint)
    with pytest.raises(InputError, match="expected steps=50, as in the checkpoint, got 9"):
        Climb(steps=9).fit(decoder, CORPUS, checkpoint=checkpoint, resume=True)
    with pytest.raises(InputError, match=r"metric=BLEU.*got TER"):
        Climb(metric=Ter()).fit(decoder, CORPUS, checkpoint=checkpoint, resume=True)
    with pytest.raises(InputError, match="1 segments"):
        Climb().fit(decoder, CORPUS[:1], checkpoint=checkpoint, resume=True)
    (tmp_path / "grammar2").write_text("[X] ||| la ||| the ||| Other=1\n")
    other = Decoder(formalism="scfg", grammar=tmp_path / "grammar2")
    with pytest.raises(InputError, match="other features"):
        Climb().fit(other, CORPUS, checkpoint=checkpoint, resume=True)

"""MIRA on a small language where all is known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from support import world

from hopefear import Decoder, InputError, Segment
from hopefear.tuners import Mira, TuningError

WORLD = replace(world.PHRASES, lines=["feature_function=WordPenalty"])


CORPUS = [*world.PHRASED_CORPUS]
CORPUS[1] = replace(CORPUS[1], references=(*CORPUS[1].references, "the house of her is big"))


def translations(decoder: Decoder) -> list[str]:
    return [decoder.translate(segment).viterbi() for segment in CORPUS]


def test_a_separable_corpus_is_learned(decoder: Decoder) -> None:
    wanted = [segment.references[0] for segment in CORPUS]
    assert translations(decoder) != wanted
    Mira.paper(C=0.5, passes=10).fit(decoder, CORPUS)
    assert translations(decoder) == wanted


def test_hope_is_never_worse_than_the_best_nor_fear_better(decoder: Decoder) -> None:
    tuner = Mira.paper()
    for segment in CORPUS:
        found = tuner.hypotheses(decoder, decoder.translate(segment), segment)
        assert found.hope.objective(0.5)[0] >= found.best.objective(0.5).max() - 1e-9
        assert found.fear.objective(math.inf)[0] >= found.best.objective(math.inf).max() - 1e-9
        assert np.all(np.diff(found.hope.objective(0.5)) <= 1e-9)
        assert len(set(found.best.translations.texts)) == len(found.best)


def test_an_update_moves_towards_hope(decoder: Decoder) -> None:
    decoder.weights.update({"Wrong": 0.05, "Right": -0.05})
    segment = CORPUS[0]
    tuner = Mira.paper(C=0.1)
    found = tuner.hypotheses(decoder, decoder.translate(segment), segment)
    hope, fear = found.hope.translations.texts[0], found.fear.translations.texts[0]
    assert hope == "the green house is big"

    def margin() -> float:
        forest = decoder.translate(segment)
        scores = {forest.text(d): forest.score(d) for d in forest.derivations(1000, unique=True)}
        return scores[hope] - scores[fear]

    before = margin()
    record = tuner.partial_fit(decoder, decoder.translate(segment), segment)
    assert record.change > 0
    assert margin() > before


def test_the_last_pass_is_averaged(decoder: Decoder) -> None:
    seen: list[np.ndarray] = []
    tuner = Mira.paper(C=0.1, passes=2)
    tuner.fit(decoder, CORPUS, on_update=lambda record: seen.append(decoder.weights.array.copy()))
    last = seen[len(CORPUS) :]
    size = min(map(len, last))
    mean = np.mean([weights[:size] for weights in last], axis=0)
    np.testing.assert_allclose(decoder.weights.array[:size], mean, atol=1e-12)


def test_development_chooses_the_pass(decoder: Decoder) -> None:
    tuner = Mira.paper(C=0.1, passes=6, patience=1)
    tuner.fit(decoder, CORPUS, development=CORPUS)
    assert len(tuner.score_per_pass_) == len(tuner.passes_) <= 6
    assert max(tuner.score_per_pass_) == pytest.approx(100.0)


def test_segments_without_references_are_refused(decoder: Decoder) -> None:
    with pytest.raises(InputError, match="reference of sentence 8"):
        Mira.paper().fit(decoder, [Segment(("la",), id=7)])
    with pytest.raises(InputError, match="at least one segment"):
        Mira.paper().fit(decoder, [])


def test_weights_that_are_not_finite_are_refused(decoder: Decoder) -> None:
    decoder.weights["WordPenalty"] = math.nan
    with pytest.raises(TuningError, match="finite"):
        Mira.paper().fit(decoder, CORPUS)

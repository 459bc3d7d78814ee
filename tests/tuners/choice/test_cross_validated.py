"""One of several tuners, chosen on parts of the corpus that it has not seen."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import world
from support.stopping import Stop, stop_after
from support.world import RIGHT, TARGETS, World

from hopefear import Decoder, InputError
from hopefear.feature_extractors import RuleIndicators
from hopefear.metrics import Bleu, Metric, Ter
from hopefear.parallel import in_threads
from hopefear.tuners import CrossValidated, Mira, check_tuner, write_checkpoint
from hopefear.tuners.catalogue import make_tuner
from hopefear.tuners.choice import UNCHANGED

CORPUS = world.right(*(" ".join(words) for words in permutations(RIGHT)))[::2]
SPARSE = {f"R:X:{source}:{TARGETS[source][1]}": -0.2 for source in RIGHT}
"""Weights that are right: the wrong words are bad."""
UNLEARNED = {f"R:X:{source}:{TARGETS[source][1]}": 0.2 for source in ("la", "es")}
MIXED = world.right(*(f"casa verde {' '.join(words)}" for words in permutations(RIGHT, 2)))
"""Some of the words that are unlearned are in some of the sentences."""
SMALL = {"passes": 2, "folds": 2}


WORLD = World(world.grammar(*RIGHT, features=lambda *_: "p=1"), plugins=[RuleIndicators])


def decoder_of(folder: Path, weights: dict[str, float]) -> Decoder:
    return WORLD.decoder(folder, {"Glue": -0.01, **weights})


def score(decoder: Decoder, metric: Metric, numbers: list[int]) -> float:
    chosen = [CORPUS[i] for i in numbers]
    texts = [decoder.translate(segment).viterbi() for segment in chosen]
    return metric.score(metric.corpus_stats(texts, [s.references for s in chosen]).sum(axis=0))


@pytest.mark.parametrize(
    ("weights", "chosen"),
    [
        (SPARSE, UNCHANGED),  # nothing is left to learn
        ({name: -weight for name, weight in SPARSE.items()}, "SummaryMira"),  # a factor of -1 is enough
        (SPARSE | UNLEARNED, "Mira"),  # no factor is
    ],
)
def test_the_first_choice_that_does_best_is_made(
    tmp_path: Path, weights: dict[str, float], chosen: str
) -> None:
    decoder = decoder_of(tmp_path, weights)
    before = decoder.weights.nonzero()
    tuner = CrossValidated(choices=(UNCHANGED, "SummaryMira", "Mira"), passes=3).fit(decoder, CORPUS)
    assert tuner.choice_.best == {"choice": chosen}
    assert decoder.weights.nonzero() == tuner.weights_
    if chosen == UNCHANGED:
        assert (tuner.weights_, tuner.passes_) == (before, [])
    else:
        assert score(decoder, Bleu(), [*range(len(CORPUS))]) == pytest.approx(100)
        assert len(tuner.passes_) == 3
        alone = make_tuner(chosen, passes=3, seed=0)
        alone.fit(decoder_of(tmp_path, weights), CORPUS)
        assert alone.weights_ == tuner.weights_


def test_a_share_is_on_the_way_to_the_learned_weights(tmp_path: Path) -> None:
    """As vectors of the same length, three quarters of the one and a quarter of the other are added."""
    start = SPARSE | UNLEARNED
    found = CrossValidated(choices=("0.25 Mira",), **SMALL).fit(decoder_of(tmp_path, start), CORPUS).weights_
    alone = make_tuner("Mira", passes=2, seed=0)
    learned = alone.fit(decoder_of(tmp_path, start), CORPUS).weights_
    begun = decoder_of(tmp_path, start).weights.nonzero()
    lengths = [np.linalg.norm([*weights.values()]) for weights in (learned, begun)]
    names = learned.keys() | begun.keys()
    assert found.keys() <= names
    for name in names:
        scaled = begun.get(name, 0.0) * lengths[0] / lengths[1]
        assert found.get(name, 0.0) == pytest.approx(0.75 * scaled + 0.25 * learned.get(name, 0.0))


def test_the_preferred_choice_is_made_unless_another_is_clearly_better(tmp_path: Path) -> None:
    start, found = SPARSE | UNLEARNED, []
    for within in (0.0, 1000.0):
        tuner = CrossValidated(choices=(UNCHANGED, "Mira"), within=within, **SMALL)
        found.append(tuner.fit(decoder_of(tmp_path, start), MIXED).choice_)
    assert found[0].scores == found[1].scores
    assert [choice.best["choice"] for choice in found] == ["Mira", UNCHANGED]
    unchanged, learned = found[0].scores
    assert found[0].behind == [pytest.approx(learned - unchanged), 0]
    assert found[0].errors[0] > 0 == found[0].errors[1]
    assert found[0].lines()[-1] == "chosen: Mira: the best score"
    assert found[1].lines()[-1] == f"chosen: {UNCHANGED}: comes before Mira, which is not better by enough"


@pytest.mark.parametrize("metric", [None, Ter()])
def test_each_part_is_translated_by_weights_that_have_not_seen_it(
    tmp_path: Path, metric: Metric | None
) -> None:
    """The same by hand, with a decoder and a tuner for each part."""
    start = SPARSE | UNLEARNED
    choices = [
        UNCHANGED,
        "Mira C=0.001 rate=0 warm_up=0 oracle=KBestLocal",
        "Mira passes=1 oracle=KBestLocal",
    ]
    tuner = CrossValidated(choices=choices, metric=metric, seed=5, **SMALL)
    tuner.fit(decoder_of(tmp_path, start), CORPUS)
    dealt = np.random.default_rng(5).permutation(len(CORPUS))
    parts = [sorted(dealt[part::2].tolist()) for part in range(2)]
    of = metric or Bleu()
    assert tuner.choice_.grid == [{"choice": text} for text in choices]
    unchanged = decoder_of(tmp_path, start)
    assert tuner.choice_.parts[0] == pytest.approx([score(unchanged, of, part) for part in parts])
    assert tuner.choice_.scores[0] == pytest.approx(score(unchanged, of, [*range(len(CORPUS))]))
    for line, scores in zip(choices[1:], tuner.choice_.parts[1:], strict=True):
        for part, found in zip(parts, scores, strict=True):
            decoder = decoder_of(tmp_path, start)
            seen = [segment for i, segment in enumerate(CORPUS) if i not in part]
            given = {"passes": 2, "seed": 5, "metric": metric}
            make_tuner(line, **given).fit(decoder, seen)
            assert found == pytest.approx(score(decoder, of, part))
    best = (min if metric else max)(tuner.choice_.scores)
    behind = [abs(best - each) for each in tuner.choice_.scores]
    assert tuner.choice_.behind == pytest.approx(behind)


@pytest.mark.slow
def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    """It is stopped after each save in turn, in trials and after the choice."""
    start = SPARSE | UNLEARNED
    settings = {"choices": ["SummaryMira save_every=1", "0.9 Mira save_every=1"], **SMALL}
    trials: list[str] = []
    whole = CrossValidated(**settings).fit(decoder_of(tmp_path, start), CORPUS, on_trial=trials.append)
    assert len(trials) == 4 and trials[1].startswith("trial 2 of 4: part 1: unchanged ")

    for last in (1, 2, 5, 9, 12):
        files: dict[str, Any] = {"checkpoint": tmp_path / f"checkpoint{last}"}
        with pytest.raises(Stop):
            CrossValidated(**settings).fit(
                decoder_of(tmp_path, start), CORPUS, on_save=stop_after(last + 1), **files
            )
        done: list[str] = []
        found = CrossValidated(**settings).fit(
            decoder_of(tmp_path, start), CORPUS, resume=True, on_trial=done.append, **files
        )
        assert done == trials[len(trials) - len(done) :]
        assert found.weights_ == whole.weights_
        assert found.choice_ == whole.choice_
        assert [one.score for one in found.passes_] == [one.score for one in whole.passes_]
    interrupted = CrossValidated(**settings)
    with pytest.raises(Stop):
        interrupted.fit(decoder_of(tmp_path, start), CORPUS, on_sentence=stop_after(4))
    write_checkpoint(files["checkpoint"], interrupted.get_state())
    again = CrossValidated(**settings)
    assert again.fit(decoder_of(tmp_path, start), CORPUS, resume=True, **files).weights_ == whole.weights_


def test_a_run_that_chose_to_leave_the_weights_stays_so(tmp_path: Path) -> None:
    files: dict[str, Any] = {"checkpoint": tmp_path / "checkpoint"}
    settings = {"choices": (UNCHANGED, "Mira"), **SMALL}
    whole = CrossValidated(**settings).fit(decoder_of(tmp_path, SPARSE), CORPUS, **files)
    saved = files["checkpoint"].read_bytes()
    again = CrossValidated(**settings).fit(decoder_of(tmp_path, SPARSE), CORPUS, resume=True, **files)
    assert whole.choice_.best == {"choice": UNCHANGED}
    assert (again.choice_, again.weights_) == (whole.choice_, whole.weights_)
    assert files["checkpoint"].read_bytes() == saved


def test_other_settings_and_other_states_are_refused(tmp_path: Path) -> None:
    decoder, files = decoder_of(tmp_path, SPARSE), {"checkpoint": tmp_path / "checkpoint"}
    CrossValidated(**SMALL).fit(decoder, CORPUS, **files)
    with pytest.raises(InputError, match="checkpoint: expected folds=2, as in the checkpoint, got 3"):
        CrossValidated(**{**SMALL, "folds": 3}).fit(decoder, CORPUS, resume=True, **files)
    with pytest.raises(InputError, match="checkpoint: expected the state of 4 trials with 4 segments"):
        CrossValidated(**SMALL).fit(decoder, CORPUS[:4], resume=True, **files)
    Mira.paper().fit(decoder, CORPUS, **files)
    with pytest.raises(InputError, match="checkpoint: expected the state of a cross-validation; missing"):
        CrossValidated(**SMALL).fit(decoder, CORPUS, resume=True, **files)


def test_a_tuner_that_cannot_begin_is_left_out(tmp_path: Path) -> None:
    decoder = world.CHOICES.decoder(tmp_path, {"Right": -0.1, "Wrong": 0.1})
    tuner = CrossValidated(**SMALL).fit(decoder, CORPUS)
    assert [choice["choice"] for choice in tuner.choice_.grid] == [UNCHANGED, "0.5 Mira", "Mira"]
    with pytest.raises(InputError, match="none of SummaryMira can begin with these weights"):
        CrossValidated(choices=(UNCHANGED, "SummaryMira")).fit(decoder, CORPUS)


def test_threads_find_the_same(tmp_path: Path) -> None:
    start, found = SPARSE | UNLEARNED, []
    for workers in (1, 3):
        tuner = CrossValidated(**SMALL)
        with in_threads(workers) as tuner.executor:
            tuner.fit(decoder_of(tmp_path, start), CORPUS)
        found.append((tuner.choice_, tuner.weights_))
    assert found[0] == found[1]


def test_the_contract_is_kept() -> None:
    check_tuner(lambda: CrossValidated(choices=("Mira C=0.5 rate=0",), folds=2, passes=10))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"choices": ()}, "choices must have a tuner, got none"),
        ({"choices": (UNCHANGED,)}, "choices must have a tuner, got unchanged"),
        ({"choices": ("CrossValidated",)}, "choices must have other tuners than CrossValidated"),
        ({"choices": ("0 Mira",)}, "choices must have shares above 0 and at most 1, got '0 Mira'"),
        ({"choices": ("Mira C=0",)}, "Mira: C must be above 0"),
        ({"folds": 1}, "folds must be at least 2, got 1"),
        ({"within": float("inf")}, "within must be at least 0 and finite, got inf"),
    ],
)
def test_bad_settings_are_named(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, InputError), match=message):
        CrossValidated(**settings).fit(decoder_of(tmp_path, SPARSE), CORPUS)


def test_a_part_needs_a_segment(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected at least 3 segments, one a part, got 2"):
        CrossValidated().fit(decoder_of(tmp_path, SPARSE), CORPUS[:2])

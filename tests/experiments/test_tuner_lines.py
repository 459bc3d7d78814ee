"""What settings a tuner gets from the command line."""

from __future__ import annotations

from hopefear.experiments.tuner_lines import make_tuner


def test_paper_settings_are_the_defaults() -> None:
    tuner = make_tuner("Mira")
    assert (tuner.C, tuner.batch_size, tuner.average, tuner.decay) == (0.01, 1, "last", 0.9)


def test_corpus_settings_give_way_to_what_is_asked_for() -> None:
    tuner = make_tuner("mira", ["C=0.02"], on_corpus=True, seed=7)
    assert (tuner.C, tuner.batch_size, tuner.average, tuner.seed) == (0.02, 10, "all", 7)

"""What settings a tuner gets from the command line."""

from __future__ import annotations

import pytest

from hopefear.base import InputError
from hopefear.tuners.catalogue import make_tuner


def test_a_preset_is_named_behind_the_tuner() -> None:
    tuner = make_tuner("Mira.paper")
    assert (tuner.C, tuner.batch_size, tuner.average, tuner.decay) == (0.01, 1, "last", 0.9)


def test_defaults_give_way_to_what_is_asked_for() -> None:
    tuner = make_tuner("mira", ["C=0.02"], seed=7)
    assert (tuner.C, tuner.batch_size, tuner.average, tuner.seed) == (0.02, 10, "all", 7)


def test_a_preset_that_a_command_begins_with_gives_way() -> None:
    tuner = make_tuner("mira", ["decay=0.5"], preset="text")
    assert (tuner.C, tuner.batch_size, tuner.average, tuner.decay) == (0.001, 10, "all", 0.5)
    assert make_tuner("mira C=0.2", preset="text").C == 0.2
    assert make_tuner("Mira.paper", preset="text").average == "last"
    assert make_tuner("Mert", preset="text").passes == make_tuner("Mert").passes


def test_names_have_commas_between_them() -> None:
    assert make_tuner("Mert features=LanguageModel,Glue").features == ("LanguageModel", "Glue")
    assert make_tuner("Hols", ["dense=LanguageModel"]).dense == ("LanguageModel",)


def test_numbers_that_have_no_default_are_numbers() -> None:
    tuner = make_tuner("Hols between_passes=5", ["last_seed=0"])
    assert (tuner.between_passes, tuner.last_seed) == (5, 0)


def test_a_class_by_its_path() -> None:
    assert type(make_tuner("hopefear.tuners:Pro k=20")).__name__ == "Pro"
    assert make_tuner("hopefear.tuners:Mira.text").C == 0.001


def test_values_with_spaces_are_quoted() -> None:
    tuner = make_tuner("Mira oracle='KBestLocal --k 20' C=0.1")
    assert (type(tuner.oracle).__name__, tuner.oracle.k, tuner.C) == ("KBestLocal", 20, 0.1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Mora", "^Mora: unknown tuner, near: Mira"),
        ("mert2", "^mert2: unknown tuner, near: Mert, ForestMert"),
        ("", "^: unknown tuner, known: AdaptiveMira, BatchMira, "),
        ("hopefear.metrics:Bleu", r"must have fit\(self, decoder, corpus\), has none"),
        ("Mira 'C=1", "No closing quotation"),
        ("Mira.papier", "^Mira: unknown preset papier, near: paper"),
        ("Pro.paper", "^Pro: unknown preset paper, known: none"),
        ("Mira C", "expected name=value"),
        ("Mira C=x", "Mira: C must be a finite number"),
        ("Mira D=1", "unknown setting D"),
        ("Mira ratte=1", "unknown setting ratte, near: rate, oracle, average$"),
        ("Hols between_passes=few", "Hols: between_passes must be a whole number, got 'few'"),
        ("Hols conditioning=x", "Hols: conditioning must be true or false, got 'x'"),
        ("ParallelMira make_decoder=Decoder", "ParallelMira: make_decoder is a function"),
    ],
)
def test_what_is_wrong_is_told(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_tuner(line)


def test_the_presets_of_adaptive_mira() -> None:
    found = [make_tuner(f"AdaptiveMira{preset}") for preset in ("", ".paper", ".text")]
    assert [(one.C, one.eta, one.cuts) for one in found] == [
        (1e6, 0.001, 5),
        (0.01, 0.01, 5),
        (0.01, 0.01, 0),
    ]
    assert make_tuner("ParallelMira.text").C == 0.001 and make_tuner("SummaryMira.paper").decay == 0.9

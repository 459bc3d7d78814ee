"""What settings a tuner gets from the command line."""

from __future__ import annotations

import pytest

from hopefear.base import InputError
from hopefear.tuners.catalogue import make_tuner


def test_paper_settings_are_the_defaults() -> None:
    tuner = make_tuner("Mira")
    assert (tuner.C, tuner.batch_size, tuner.average, tuner.decay) == (0.01, 1, "last", 0.9)


def test_corpus_settings_give_way_to_what_is_asked_for() -> None:
    tuner = make_tuner("mira", ["C=0.02"], on_corpus=True, seed=7)
    assert (tuner.C, tuner.batch_size, tuner.average, tuner.seed) == (0.02, 10, "all", 7)


def test_settings_for_a_text_come_after_those_for_a_corpus() -> None:
    tuner = make_tuner("mira", ["decay=0.5"], on_text=True)
    assert (tuner.C, tuner.batch_size, tuner.average, tuner.decay) == (0.001, 10, "all", 0.5)
    assert make_tuner("mira C=0.2", on_text=True).C == 0.2
    assert make_tuner("Mert", on_text=True).passes == make_tuner("Mert").passes


def test_names_have_commas_between_them() -> None:
    assert make_tuner("Mert features=LanguageModel,Glue").features == ["LanguageModel", "Glue"]
    assert make_tuner("Hols", ["dense=LanguageModel"]).dense == ["LanguageModel"]


def test_numbers_that_have_no_default_are_numbers() -> None:
    tuner = make_tuner("Hols between_passes=5", ["last_seed=0"])
    assert (tuner.between_passes, tuner.last_seed) == (5, 0)


def test_a_class_by_its_path() -> None:
    assert type(make_tuner("hopefear.tuners:Pro k=20")).__name__ == "Pro"


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
        ("Mira C", "expected name=value"),
        ("Mira C=x", "Mira: C must be a number"),
        ("Mira D=1", "unknown setting D"),
        ("Mira ratte=1", "unknown setting ratte, near: rate, oracle, average$"),
        ("Hols between_passes=few", "Hols: between_passes must be a whole number, got 'few'"),
        ("Hols conditioning=1", "Hols: conditioning must be true or false, got '1'"),
        ("ParallelMira exchange=Mailboxes", "ParallelMira: exchange is a function"),
    ],
)
def test_what_is_wrong_is_told(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_tuner(line)

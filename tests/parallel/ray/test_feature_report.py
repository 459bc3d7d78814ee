"""What plugins fire in workers is reported as if they had fired it here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("ray")

from support.hols_workers import SMOOTHED, DiesOnce
from support.world import SPARSE

from hopefear.cli.io.answers import Answering
from hopefear.cli.io.output import Output
from hopefear.decoder import Decoder, FamilyReport, FeatureSelection
from hopefear.feature_extractors import WordPairs
from hopefear.parallel import Executor, Serial
from hopefear.parallel.ray import Connection
from hopefear.parallel.ray.ray_executor import RayExecutor
from hopefear.tuners import Fold, Hols, Pro


@pytest.fixture(scope="module")
def executor(ray_here: Connection) -> Iterator[RayExecutor]:
    with ray_here.executor(threads=2) as executor:
        yield executor


def decoded(decoder: Decoder, executor: Executor) -> list[FamilyReport]:
    plain = [replace(segment, references=()) for segment in SPARSE.corpus]
    assert len(list(executor.map(Answering(decoder, Output()), plain))) == len(SPARSE.corpus)
    return decoder.feature_report()


@pytest.mark.parametrize(
    "selection",
    [{}, {"allow": ("R:*la*", "*WP*")}, {"deny": ("R:X:es:is",), "hash_bits": 30}, {"frozen": True}],
)
def test_of_decoding(tmp_path: Path, executor: RayExecutor, selection: dict[str, object]) -> None:
    def make() -> Decoder:
        weights = {"Good": 1.0, "R:X:es:are": 0.0}
        selected = FeatureSelection(**selection)  # type: ignore[arg-type]
        return SPARSE.decoder(tmp_path, weights, WordPairs(), selection=selected)

    alone = make()
    here = decoded(alone, Serial())
    assert here[0].names == len(SPARSE.rules.splitlines()) + 2  # and the glue rules
    decoder = make()
    assert decoded(decoder, executor) == here
    for each in (alone, decoder):
        each.translate("casa verde")  # what it does itself counts as well
    assert decoder.feature_report() == alone.feature_report() != here
    unheard = make()
    unheard.sends_deltas = False
    assert {row.names for row in decoded(unheard, executor)} == {0}


def test_of_tuning_with_a_worker_that_dies(tmp_path: Path, executor: RayExecutor) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()

    def tuned(executor: Executor | None) -> list[FamilyReport]:
        decoder = SPARSE.decoder(tmp_path, None, DiesOnce(marks))
        tuner = Pro(passes=3, k=20, metric=SMOOTHED)
        tuner.executor = executor
        tuner.fit(decoder, SPARSE.corpus, development=SPARSE.corpus[:3])
        return decoder.feature_report()

    here = tuned(None)
    assert here[0].family == "RuleIndicators" and here[0].features > 5
    before = executor.restarts
    assert tuned(executor) == here
    (marks / "3").touch()
    assert tuned(executor) == here
    assert not list(marks.iterdir()) and executor.restarts == before + 1


@pytest.mark.slow
def test_of_a_line_search_where_its_lists_are(tmp_path: Path, executor: RayExecutor) -> None:

    def learned(executor: Executor | None) -> list[list[FamilyReport]]:
        decoder = SPARSE.decoder(tmp_path)
        other = SPARSE.decoder(tmp_path, decoder.weights)
        tuner = Hols(line_search_passes=2, line_search_k=5, restarts=2, metric=SMOOTHED)
        tuner.executor = executor
        tuner.fit(decoder, SPARSE.corpus[5:], training=[Fold(other, SPARSE.corpus[:5])])
        return [decoder.feature_report(), other.feature_report()]

    here = learned(None)
    assert here[0][0].per_sentence != here[1][0].per_sentence > 5
    assert learned(executor) == here

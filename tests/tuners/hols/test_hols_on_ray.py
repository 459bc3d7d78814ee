"""HOLS on Ray, whose workers are killed in both stages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.hols_workers import SMOOTHED, DiesOnce
from support.world import SPARSE

from hopefear.parallel import Executor
from hopefear.parallel.ray import Connection
from hopefear.tuners import Fold, Hols


@pytest.mark.slow
def test_workers_that_are_killed_change_nothing(tmp_path: Path, ray_here: Connection) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    trained = [replace(segment, id=f"trained{i}") for i, segment in enumerate(SPARSE.corpus[:5] * 8)]
    searched = [replace(segment, id=f"searched{i}") for i, segment in enumerate(SPARSE.corpus[5:])]

    def learned(executor: Executor | None) -> tuple[dict[str, float], list[tuple[float, ...]]]:
        decoder = SPARSE.decoder(tmp_path, None, DiesOnce(marks))
        tuner = Hols(line_search_passes=3, line_search_k=20, restarts=3, metric=SMOOTHED)
        tuner.executor = executor
        tuner.fit(decoder, searched, training=[Fold(decoder, trained)], development=SPARSE.corpus)
        records = [(r.loss, r.score, r.search_score, r.development_score or 0.0) for r in tuner.passes_]
        return tuner.weights_, records

    alone = learned(None)
    assert any(name.startswith("R:") for name in alone[0])
    with ray_here.executor() as executor:
        unharmed = learned(executor)
        for number in (3, 30):  # in both tasks
            (marks / f"trained{number}").touch()
        (marks / "searched1").touch()
        harmed = learned(executor)
        assert not list(marks.iterdir())
    assert alone == unharmed == harmed

"""Recorded sessions of a real cdec: what `CdecProcess` sends to it, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.cdec_conversation import LISTED, WEIGHTS, talk
from support.k_best_lists import Named, assert_same
from support.recorded_cdec import FOLDER, player

from hopefear.base import InputError
from hopefear.cdec import CdecProcess
from hopefear.decoder import Segment

Start = Callable[[str], CdecProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[CdecProcess] = []

    def started(name: str) -> CdecProcess:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "cdec.ini").write_text("formalism=scfg\n")
        executable = player(folder, FOLDER / f"{name}.json")
        running.append(
            CdecProcess(folder / "cdec.ini", executable=executable, weights=WEIGHTS, k=LISTED[name])
        )
        return running[-1]

    yield started
    for process in running:
        process.close()


def answers(start: Start) -> dict[str, list[list[Named]]]:
    return {name: talk(start(name)) for name in LISTED}


def test_the_recorded_forests_have_what_cdec_lists(start: Start) -> None:
    """The best of each forest are cdec's list, and the scores by features and weights are cdec's."""
    found = answers(start)
    compared = sum(map(assert_same, found["lists"], found["forests"]))
    assert compared > 30
    for name, lists in found.items():
        recorded = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["sentences"]
        translated = [sentence["output"] for sentence in recorded if sentence["output"] != [""]]
        assert len(translated) == len(lists) < len(recorded)
        for output, listed in zip(translated, lists, strict=True):
            scores = [float(line.rsplit(" ||| ", 1)[1]) for line in output[1:] if line]
            ours = [one.score for one in listed[: len(scores)]]
            assert ours == pytest.approx(scores, rel=1e-5)  # written with six digits


def test_what_was_not_recorded_is_refused(start: Start) -> None:
    with pytest.raises(InputError, match=r"not as recorded: expected .*, got .*pan nuestro"):
        start("forests").translate("pan nuestro")
    lists = start("lists")
    lists.weights["Glue"] = 1.0
    with pytest.raises(InputError, match=r"not as recorded: expected .*, got .*delta"):
        lists.translate(Segment.from_input("danos hoy nuestro pan cotidiano .", index=0))

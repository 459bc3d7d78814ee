"""The board of runs that are under way."""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import asdict
from http.client import HTTPConnection
from pathlib import Path

import pytest

from hopefear.base import InputError
from hopefear.decoder import Weights
from hopefear.experiments import FailedRun
from hopefear.experiments.board import (
    ExperimentState,
    RunState,
    board_html,
    board_text,
    look,
    look_at_all,
    serve,
)
from hopefear.experiments.board.terminal import sparkline
from hopefear.experiments.board.words import duration
from hopefear.experiments.grid import GRID, Grid, GridCell
from hopefear.experiments.results import write_runs
from hopefear.tuners.contract import Now, NowSentence

ATTACK = "<script>alert(1)</script>"


def now_file(folder: Path, **values: object) -> None:
    sentence = NowSentence(7, f"la casa {ATTACK}", ["the house"], "a house", "the house", "house")
    given = {"time": time.time(), "seconds": 60.0, "passes": 1, "position": 50, "most": 4, "sentences": 100}
    found = Now(**given | {"weights": {"LanguageModel": 0.5}, "sentence": sentence} | values)  # type: ignore[arg-type]
    (folder / "now.json").write_text(json.dumps(asdict(found)))


def run_folder(folder: Path, status: str = "running", **session: object) -> Path:
    """Make the folder of a run in its second pass."""
    folder.mkdir(parents=True)
    tuner = {"name": "Mira", "settings": {}}
    (folder / "run.json").write_text(
        json.dumps({"sessions": [{"status": status, "tuner": tuner, **session}]})
    )
    events: list[dict[str, object]] = [
        {"event": "update", "update": n, "pass_number": 1 + n // 3, "pseudo_score": 10.0 * n}
        for n in (1, 2, 3)
    ]
    events.append({"event": "pass", "pass_number": 1, "metric": "BLEU", "score": 31.25})
    (folder / "log.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    Weights({"LanguageModel": 0.1}).write(folder / "weights.start")
    Weights({"LanguageModel": 0.3}).write(folder / "weights.pass1")
    now_file(folder)
    return folder


def only(folder: Path) -> RunState:
    (state,) = look(folder)
    assert isinstance(state, RunState)
    return state


def test_a_run_under_way(tmp_path: Path) -> None:
    run = only(run_folder(tmp_path / "run"))
    assert (run.status, run.tuner, run.is_over) == ("running", "Mira", False)
    assert run.points == ["start", "pass 1", "now"]
    assert run.paths["LanguageModel"].tolist() == [0.1, 0.3, 0.5]
    assert run.now is not None
    assert run.now.share == (100 + 50) / 400
    assert run.now.left == pytest.approx(60 / 150 * 250)
    behind = run.curves.behind
    assert behind is not None
    # The first pass made two updates; half of the second is done, and made the third.
    assert [point.x for point in behind.points] == [0.5, 1.0, 1.5]
    for shown in (board_text([run]), board_html([run])):
        for text in ("BLEU 31.25", "3 updates", "sentence 50 of 100", "about 1:40 left", "a house"):
            assert text in shown
    assert ATTACK not in board_html([run])


def test_no_text_of_a_run_is_markup(tmp_path: Path) -> None:
    sentence = NowSentence(7, ATTACK, [ATTACK], ATTACK, ATTACK, ATTACK)
    run = run_folder(tmp_path / "<i>", "failed", tuner={"name": ATTACK, "settings": {}}, error=ATTACK)
    (run / "log.jsonl").write_text(
        json.dumps({"event": "pass", "pass_number": 1, "metric": ATTACK, "score": 1})
    )
    name = ATTACK.replace(" ", "")
    Weights({name: 1.0}).write(run / "weights.pass1")
    now_file(run, sentence=sentence, weights={name: 0.5})
    page = board_html([only(run)])
    assert page.count("&lt;script&gt;") > 5 and "<script" not in page and "<i>" not in page


@pytest.mark.parametrize(
    "line", ['{"event": "pa', "Nov 28 host kernel: a line\n", "[" * 9999, "[7]\n", '{"event": 5}\n', "\0\0\n"]
)
def test_a_line_that_is_torn_doubled_or_foreign_changes_nothing(tmp_path: Path, line: str) -> None:
    run = run_folder(tmp_path / "run")
    shown = board_text([only(run)])
    with (run / "log.jsonl").open("r+") as log:
        last = log.readlines()[-1]
        log.write(last + line)
    assert board_text([only(run)]) == shown


def test_a_resumed_run_is_as_fast_as_its_last_command(tmp_path: Path) -> None:
    run_folder(tmp_path / "run")
    now_file(tmp_path / "run", begun=120)
    now = only(tmp_path / "run").now
    assert now is not None and now.left == pytest.approx(60 / 30 * 250)


def test_states_of_runs(tmp_path: Path) -> None:
    assert only(tmp_path / "none").status == "waiting"
    failed = only(run_folder(tmp_path / "failed", "failed", error="no memory"))
    assert failed.is_over and "no memory" in board_text([failed]) and "no memory" in board_html([failed])
    silent = run_folder(tmp_path / "silent")
    now_file(silent, time=0.0)
    assert only(silent).status == "running"  # its files are new
    for path in silent.iterdir():
        os.utime(path, (1, 1))
    assert only(silent).status == "silent"
    (silent / "run.json").write_text("{}")
    with pytest.raises(InputError, match="expected the sessions of a run"):
        only(silent)


def test_both_runs_of_train(tmp_path: Path) -> None:
    run_folder(tmp_path / "learned")
    run_folder(tmp_path / "learned" / "text", "finished")
    found = list(look(tmp_path / "learned"))
    assert [state.folder.name for state in found] == ["text", "learned"]


def test_what_is_under_way_comes_first(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("done", "stopped", "running", "waiting", "other")]
    for folder, status in zip(folders, ("finished", "stopped", "running", None, "running"), strict=True):
        if status is not None:
            run_folder(folder, status)
    shown = look_at_all(folders)
    names = [state.folder.name for state in shown]
    assert names == ["running", "other", "done", "stopped", "waiting"]
    page = board_html(shown)
    assert page.index("/running") < page.index("/other") < page.index("/done")


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    cells = [GridCell(f"{row}{seed}", row, f"seed {seed}") for row in ("MERT", "MIRA") for seed in (0, 1)]
    grid = Grid("The plan", time.time() - 100, [cell.name for cell in cells[1:]], cells)
    (tmp_path / GRID).write_text(json.dumps(asdict(grid)))
    for name in ("MERT0", "MERT1"):
        (tmp_path / "cells" / name).mkdir(parents=True)
        (tmp_path / "cells" / name / "cell.json").touch()
    (tmp_path / "cells" / "MIRA0").mkdir()
    now_file(tmp_path / "cells" / "MIRA0")
    return tmp_path


def test_the_grid_of_an_experiment(experiment: Path) -> None:
    (state,) = look(experiment)
    assert isinstance(state, ExperimentState)
    assert [one.status for one in state.cells] == ["finished", "finished", "running", "waiting"]
    assert state.done == 2 and not state.is_over
    assert state.left == pytest.approx(200, abs=20)  # one of three was done in 100 s
    assert state.is_running and 'title="MIRA, seed 0: 38 %"' in board_html([state])
    assert "2 of 4 runs" in board_text([state]) and "38 %" in board_html([state])
    write_runs(experiment, [], [FailedRun("MIRA1", f"full disk {ATTACK}")])
    (state,) = look(experiment)
    assert isinstance(state, ExperimentState)
    assert state.cells[-1].status == "failed" and "full disk" in board_text([state])
    assert ATTACK not in board_html([state])


def test_only_this_machine_is_answered() -> None:
    ready: list[int] = []
    begun = threading.Event()

    def on_ready(host: str, port: int) -> None:
        ready.append(port)
        begun.set()

    def board() -> str:
        raise InputError("damaged")

    serving = {"port": 0, "on_ready": on_ready}
    threading.Thread(target=serve, args=("the page", board), kwargs=serving, daemon=True).start()
    assert begun.wait(60)

    def asked(path: str, host: str = "localhost") -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", ready[0], timeout=60)
        connection.request("GET", path, headers={"Host": f"{host}:{ready[0]}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    assert asked("/") == (200, "the page")
    assert asked("/board") == (500, "damaged")
    assert asked("/other")[0] == 404
    assert asked("/", "evil.example")[0] == 403
    with pytest.raises(InputError, match="cannot listen"):
        serve("", board, port=ready[0], on_ready=on_ready)


def test_words() -> None:
    assert sparkline([1.0, 2.0, 8.0]) == "▁▂█"
    assert sparkline([3.0]) == "▁"
    assert len(sparkline([float(n) for n in range(1000)])) <= 40
    assert [duration(seconds) for seconds in (5, 65, 3600)] == ["0:05", "1:05", "1:00:00"]

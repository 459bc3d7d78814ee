"""A run of a tuner: signals, its picture, and the record of its sessions."""

from __future__ import annotations

import hashlib
import json
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from support.full_disk import small_files
from support.world import SPANS

from hopefear.base import InputError
from hopefear.cli.io.run import CommandRun
from hopefear.decoder.feature_account import Fired
from hopefear.runs import RunFolder
from hopefear.runs.fired import add_fired
from hopefear.tuners import Mira, read_checkpoint, write_checkpoint


def mira(
    before: Callable[[dict[str, Any]], object] = id, after: Callable[[], object] = int, **settings: Any
) -> Mira:
    """Return a tuner that does something to the options of `fit`, or when all is learned."""

    class Meddled(Mira):
        def fit(self, *given: Any, **options: Any) -> Meddled:
            before(options)
            super().fit(*given, **options)
            after()
            return self

    Meddled.__name__ = "Mira"  # a checkpoint names its tuner
    return Meddled.paper(**settings)


def test_a_signal_that_comes_at_the_very_end_counts(tmp_path: Path) -> None:
    """Else a command of several stages would go on."""
    decoder = SPANS.decoder(tmp_path)
    with RunFolder(tmp_path / "run") as run:
        interrupted = mira(after=lambda: signal.raise_signal(signal.SIGINT), passes=1)
        assert not run.fit(interrupted, decoder, SPANS.corpus)
    assert run.final.exists()
    with RunFolder(tmp_path / "other") as other:
        assert other.fit(Mira.paper(passes=1), SPANS.decoder(tmp_path), SPANS.corpus)
    assert (tmp_path / "other" / "weights.final").read_bytes() == run.final.read_bytes()


def test_a_picture_that_fails_costs_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All results are there; the exit status tells that the picture is not."""
    with pytest.raises(typer.Exit) as ended, CommandRun(tmp_path / "run") as run:
        (tmp_path / "run" / "learning.png").mkdir()
        assert run.fit(Mira.paper(passes=1), SPANS.decoder(tmp_path), SPANS.corpus)
    assert run.final.exists() and ended.value.exit_code == 1
    assert "run/learning.png: cannot be written: " in capsys.readouterr().err


def test_a_log_that_is_damaged_is_drawn_as_far_as_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunFolder(tmp_path / "run") as run:
        (tmp_path / "run" / "log.jsonl").write_text('{"event": "pas\n')
        assert run.fit(Mira.paper(passes=1), SPANS.decoder(tmp_path), SPANS.corpus)
    assert (tmp_path / "run" / "learning.png").exists()
    assert "run/log.jsonl:1: expected an event, got another line; " in capsys.readouterr().err


@pytest.mark.parametrize("torn", ["", '{"event": "upda', "40 bytes"])
def test_a_log_goes_on_after_its_last_whole_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], torn: str
) -> None:
    folder, decoder = tmp_path / "run", SPANS.decoder(tmp_path)
    with RunFolder(folder) as run:
        run.fit(Mira.paper(passes=2), decoder, SPANS.corpus)
    log = folder / "log.jsonl"
    before = log.read_bytes()
    if torn == "40 bytes":
        log.write_bytes(before[:-40])
        before = before[: before.rindex(b"\n", 0, -1) + 1]
    else:
        log.write_bytes(before + torn.encode())
    with RunFolder(folder, resume=True) as run:
        assert run.fit(Mira.paper(passes=3), decoder, SPANS.corpus)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert log.read_bytes().startswith(before)
    passes = [event["pass_number"] for event in events if event["event"] == "pass"]
    assert passes == ([1, 3, 2] if torn == "40 bytes" else [1, 2, 3])  # the checkpoint knew of pass 2
    error = capsys.readouterr().err
    assert ("log.jsonl: the last line was not complete and is removed" in error) == bool(torn)
    assert "expected an event" not in error and (folder / "learning.png").exists()


def test_a_full_disk_leaves_a_log_of_whole_lines(tmp_path: Path) -> None:
    folder, decoder = tmp_path / "run", SPANS.decoder(tmp_path)
    with RunFolder(folder) as run, small_files(500), pytest.raises(OSError, match="File too large") as failed:
        run.fit(Mira.paper(passes=3, batch_size=1), decoder, SPANS.corpus)
    assert failed.value.filename == str(folder / "log.jsonl")
    lines = (folder / "log.jsonl").read_text().splitlines()
    assert lines and all(json.loads(line)["event"] == "update" for line in lines)
    with RunFolder(folder, resume=True) as run:
        assert run.fit(Mira.paper(passes=3, batch_size=1), decoder, SPANS.corpus)


class Killed(KeyboardInterrupt):
    """A kill, which is no fault of a tuner."""


def test_a_resumed_run_counts_the_features_of_the_whole_run(tmp_path: Path) -> None:
    def stopping(options: dict[str, Any]) -> None:
        on_update, updates = options["on_update"], count(1)

        def update(record: Any) -> None:
            if next(updates) == 20:
                signal.raise_signal(signal.SIGTERM)
            on_update(record)

        options["on_update"] = update

    def killed(options: dict[str, Any]) -> None:
        """End as soon as a checkpoint is there, as a kill can."""

        def sentence() -> None:
            if options["checkpoint"].exists():
                raise Killed

        options["on_sentence"] = sentence

    settings: dict[str, Any] = {"passes": 1, "batch_size": 1, "save_every": 4}
    reports = []
    for folder in ("whole", "stopped", "killed"):
        decoder = SPANS.decoder(tmp_path)
        if folder == "stopped":
            with RunFolder(tmp_path / folder) as run:
                assert not run.fit(mira(stopping, **settings), decoder, SPANS.corpus)
        elif folder == "killed":
            with RunFolder(tmp_path / folder) as run, pytest.raises(Killed):
                run.fit(mira(killed, **settings), decoder, SPANS.corpus)
        decoder = SPANS.decoder(tmp_path)
        with RunFolder(tmp_path / folder, resume=folder != "whole") as run:
            assert run.fit(Mira.paper(**settings), decoder, SPANS.corpus)
        reports.append(decoder.feature_report())
    assert reports[0] == reports[1] == reports[2] and reports[0][0].features > 0
    checkpoint = tmp_path / "stopped" / "checkpoint"
    spam = Fired({"Spam": np.arange(2)}, {"Spam": np.arange(0)}, {"Spam": 1}, 1)
    for change, message in [
        (lambda state: add_fired(state, spam), "expected the features of .*, got some of 'Spam'"),
        (
            lambda state: state["facts"]["fired"].update(sentences=-1),
            "expected the features that the run has",
        ),
    ]:
        state = read_checkpoint(checkpoint)
        change(state)
        write_checkpoint(checkpoint, state)
        with (
            RunFolder(tmp_path / "stopped", resume=True) as run,
            pytest.raises(InputError, match=f"checkpoint: {message}"),
        ):
            run.fit(Mira.paper(**settings), decoder, SPANS.corpus)


def test_a_kill_behind_a_checkpoint_costs_no_weights_of_a_pass(tmp_path: Path) -> None:
    def on_pass(record: Any) -> None:
        raise Killed

    killed, written = mira(lambda options: options.update(on_pass=on_pass), passes=3), []
    for folder in ("whole", "killed"):
        if folder == "killed":
            with RunFolder(tmp_path / folder) as run, pytest.raises(Killed):
                run.fit(killed, SPANS.decoder(tmp_path), SPANS.corpus)
        with RunFolder(tmp_path / folder, resume=folder == "killed") as run:
            assert run.fit(Mira.paper(passes=3), SPANS.decoder(tmp_path), SPANS.corpus)
        written.append({path.name: path.read_bytes() for path in run.folder.glob("weights.*")})
    assert written[0] == written[1] and {f"weights.pass{n}" for n in (1, 2, 3)} < written[0].keys()


def test_one_run_at_a_time_uses_a_folder(tmp_path: Path) -> None:
    decoder = SPANS.decoder(tmp_path)
    with RunFolder(tmp_path / "run") as run:
        for options in ({}, {"resume": True}, {"force": True}):
            with pytest.raises(InputError, match=r"run: another run is using this folder$"):
                RunFolder(tmp_path / "run", **options)
        assert run.fit(Mira.paper(passes=1), decoder, SPANS.corpus)
    with pytest.raises(InputError, match="holds a run already"):
        RunFolder(tmp_path / "run")
    RunFolder(tmp_path / "run", resume=True).close()


def sessions(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "run.json").read_text("utf-8"))["sessions"]
    return found


def test_the_record_says_how_each_session_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/bin/hopefear", "tune", "-o", "rün"])
    folder, config = tmp_path / "run", tmp_path / "cdec.ini"
    decoder = SPANS.decoder(tmp_path)
    config.write_text("formalism=scfg\n")

    def dies() -> None:
        raise InputError("the disk is full")

    tuner, inputs = mira(after=dies, passes=1, C=0.25), {"config": config, "freeze": [config, tmp_path]}
    with RunFolder(folder) as run, pytest.raises(InputError), run.recorded(tuner, inputs):
        assert [session["status"] for session in sessions(folder)] == ["running"]
        run.fit(tuner, decoder, SPANS.corpus)
    (first,) = sessions(folder)
    assert (first["status"], first["error"], first["passes"]) == ("failed", "the disk is full", 1)
    assert first["command"] == ["hopefear", "tune", "-o", "rün"]
    assert first["folder"] == str(Path.cwd())
    assert first["configuration"] == "formalism=scfg\n"
    digest = hashlib.sha256(config.read_bytes()).hexdigest()
    facts = {"path": str(config), "bytes": 15, "sha256": digest}
    assert first["files"] == {"config": [facts], "freeze": [facts, {"path": str(tmp_path)}]}
    assert first["tuner"]["name"] == "Mira"
    with RunFolder(folder, resume=True) as settings, settings.recorded(Mira.paper(passes=2, C=0.25), {}):
        assert settings.fit(Mira.paper(passes=2, C=0.25), decoder, SPANS.corpus)
    kept, second = sessions(folder)
    assert kept == first
    assert (second["status"], second["passes"], second["configuration"]) == ("finished", 2, None)
    resolved = second["tuner"]["settings"]
    assert [resolved[name] for name in ("C", "passes", "fear_mu", "metric")] == [0.25, 2, "inf", None]
    assert set(second["versions"]) == {"hopefear", "python", "numpy", "platform"}
    assert first["started"] <= first["ended"] <= second["ended"] and second["wall_seconds"] > 0


@pytest.mark.parametrize(
    ("options", "source", "message"),
    [
        ({"--feature": ["A"]}, "b", "run.json: the run began with --feature A, B: expected the same, got A"),
        ({}, "a", "--feature A, B: expected the same, got not given"),
        ({"--feature": ["A", "B"], "--min-count": 4}, "a", "--min-count not given: expected the same, got 4"),
        ({"--feature": ["A", "B"]}, "b", "run.json: the files of --source have changed: expected"),
        ({"--feature": ["A", "B"], "--allow": None}, "a", None),
    ],
)
def test_a_run_goes_on_with_the_same_features_and_sentences(
    tmp_path: Path, options: dict[str, object], source: str, message: str | None
) -> None:
    folder, path = tmp_path / "run", tmp_path / "source"
    path.write_text("a")
    with RunFolder(folder) as run, run.recorded(Mira.paper(), {"source": path}, {"--feature": ["A", "B"]}):
        run.checkpoint.write_bytes(b"")
    path.write_text(source)
    with RunFolder(folder, resume=True) as run, ExitStack() as stack:
        if message is not None:
            stack.enter_context(pytest.raises(InputError, match=message))
        stack.enter_context(run.recorded(Mira.paper(), {"source": path}, options))
    assert len(sessions(folder)) == (2 if message is None else 1)


@pytest.mark.parametrize(
    "name", ["trees", "conllu", "tags", "classes", "dev-trees", "dev-conllu", "dev-tags"]
)
def test_a_run_goes_on_with_the_same_annotations(tmp_path: Path, name: str) -> None:
    folder, path = tmp_path / "run", tmp_path / "file"
    path.write_text("a")
    with RunFolder(folder) as run, run.recorded(Mira.paper(), {name: path}):
        run.checkpoint.write_bytes(b"")
    with RunFolder(folder, resume=True) as run, run.recorded(Mira.paper(), {name: path}):
        pass
    path.write_text("b")
    for files in ({name: path}, {}):
        message = f"run.json: the files of --{name} have changed: expected those that the run began with"
        with (
            RunFolder(folder, resume=True) as run,
            pytest.raises(InputError, match=message),
            run.recorded(Mira.paper(), files),
        ):
            pass


def test_a_session_that_was_killed_is_not_running_for_ever(tmp_path: Path) -> None:
    folder, decoder = tmp_path / "run", SPANS.decoder(tmp_path)
    run = RunFolder(folder)
    killed = run.recorded(Mira.paper(passes=1), {})
    killed.__enter__()
    run.fit(Mira.paper(passes=1), decoder, SPANS.corpus)
    run.close()
    with RunFolder(folder, resume=True) as again, again.recorded(Mira.paper(passes=1), {}):
        pass
    assert [session["status"] for session in sessions(folder)] == ["failed", "stopped"]
    (folder / "run.json").write_text("{")
    with pytest.raises(InputError, match=r"run.json: expected the sessions of the run to resume"):
        RunFolder(folder, resume=True)
    RunFolder(folder, force=True).close()
    assert not (folder / "run.json").exists()

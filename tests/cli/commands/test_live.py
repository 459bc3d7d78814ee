from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys

import pytest
from support.full_disk import small_files
from support.run_files import weights
from support.waiting import PATIENCE, wait_until
from support.world import configure

from hopefear.base import InputError
from hopefear.decoder import Weights
from hopefear.tuners import Mira, TuningError
from hopefear.tuners.catalogue import known_learners

LIVE = ("decode", "-c", "cdec.ini", "-w", "weights", "--learn", "mira", "--set", "C=1")
PAIR = "la casa ||| the home\n"


@pytest.fixture(autouse=True)
def close_call(toy):
    """Let the first example bring a change: what is better by the model is so by a hair."""
    (toy / "weights").write_text("p -0.1\n")


def test_references_change_the_next_translation(toy, run):
    done = run(*LIVE, "--save-weights", "learned", text="la casa\n" + 8 * PAIR + "la casa\n")
    lines = done.stdout.splitlines()
    assert len(lines) == 10
    assert lines[:2] == ["the house", "the house"]
    assert lines[-1] == "the home"
    learned = weights(toy / "learned")
    assert learned["b"] > 0 > learned["a"]


def test_the_ini_line_learns_too(toy, run):
    configure(toy, "online_tuner=Mira C=1")
    done = run("decode", "-c", "cdec.ini", "-w", "weights", text=8 * PAIR + "la casa\n")
    assert done.stdout.splitlines()[-1] == "the home"


def test_several_references(toy, run):
    done = run(*LIVE, text=8 * "la casa ||| the home ||| one home\n" + "la casa\n")
    assert done.stdout.splitlines()[-1] == "the home"


def test_plain_lines_teach_nothing(toy, run):
    run(*LIVE, "--save-weights", "learned", text=5 * "la casa\n")
    assert weights(toy / "learned") == {"p": -0.1}


def test_a_sentence_without_translation_teaches_nothing(toy, run):
    done = run(*LIVE, text="el perro ||| the dog\nla\n", status=1)
    assert done.stdout == "\nthe\n"
    assert "standard input:1" in done.stderr


def test_bad_input_saves_what_was_learned(toy, run):
    done = run(*LIVE, "--save-weights", "learned", text=PAIR + "<seg>\n", status=2)
    assert "standard input:2" in done.stderr
    assert weights(toy / "learned")["b"] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["mira", "--set", "k=0"], "--learn: Mira: k must be at least 1, got 0"),
        (["mira", "--set", "C=-1"], "--learn: Mira: C must be above 0 and finite, got -1"),
        (["mira oracle='KBestLocal --k 0'"], "--learn: oracle KBestLocal: k must be at least 1, got 0"),
        (["mira", "--set", "metric=ter"], "--learn: Mira: a forest can be searched by BLEU of order 4 only"),
        (["pro"], "--learn: Pro learns from a whole corpus"),
        (
            ["Mert"],
            "after each sentence: AdaptiveMira, Mira, OnlineLargeMargin, ParallelAdaptiveMira, ParallelMira",
        ),
        (["hols"], "--learn: Hols learns"),
        ([], "two.ini:4: Pro learns"),
    ],
)
def test_what_cannot_learn_is_refused_before_any_input_is_read(toy, run, options, message):
    (toy / "two.ini").write_text((toy / "cdec.ini").read_text() + "online_tuner=Pro\n")
    (toy / "in").write_text("<seg>\n")  # malformed
    learn = ["--learn", *options] if options else []
    done = run("decode", "-c", "two.ini", "-w", "weights", "-i", "in", *learn, status=2)
    assert done.stdout == "" and message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("learner", known_learners())
def test_every_learner_learns(toy, run, learner):
    (toy / "in").write_text(PAIR)
    done = run("decode", "-c", "cdec.ini", "-w", "weights", "-i", "in", "--learn", learner)
    assert done.stdout == "the house\n"
    ready, lost = done.stderr.splitlines()
    assert f"{learner} learns from lines 'source ||| reference'; the learned weights will be lost" in ready
    assert lost == "hopefear: 1 update; the learned weights are lost; --save-weights FILE keeps them"


def test_what_is_saved_is_said(toy, run):
    (toy / "in").write_text("la casa\n" + 3 * PAIR)
    done = run(*LIVE, "-i", "in", "--save-weights", "learned", "--save-every", "2")
    ready, *saved = done.stderr.splitlines()
    assert ready.endswith("weights are saved to learned every 2 updates and at the end")
    assert saved == [f"hopefear: saved learned after {n} updates" for n in (2, 3)]


def at_terminal(toy, *command):
    """Start a command whose standard input is a terminal; give it and what types there."""
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "hopefear", *command],
        stdin=its,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=toy,
        text=True,
    )
    os.close(its)
    return process, lambda text: os.write(ours, text.encode())


def test_a_terminal_is_told_what_happens(toy):
    process, type_in = at_terminal(toy, *LIVE, "--save-weights", "learned", "--save-every", "1")
    with process:
        assert process.stderr.readline().startswith("hopefear: ready: Mira learns from lines")
        type_in(PAIR)
        assert process.stdout.readline() == "the house\n"
        assert re.fullmatch(r"hopefear: update 1: the weights changed by \S+\n", process.stderr.readline())
        assert process.stderr.readline() == "hopefear: saved learned after 1 update\n"
        type_in("\x04")
        assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == 0
    process, type_in = at_terminal(toy, "decode", "-c", "cdec.ini", "-w", "weights")
    with process:
        assert process.stderr.readline() == (
            "hopefear: ready: type one sentence per line, and Ctrl-D to end\n"
        )
        type_in("la casa\n\x04")
        assert process.communicate(timeout=PATIENCE) == ("the house\n", "")


@pytest.fixture
def no_nohup():
    """Let processes hear that the terminal is closed, also in tests that nohup runs."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_saves_the_weights(toy, start, number, no_nohup):
    process = start(*LIVE, "--save-weights", "learned", "--save-every", 1000)
    for line in (PAIR, "la\n"):  # the second answer says that the first line was learned from
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.readline().startswith("the")
    assert weights(toy / "learned") == {"p": -0.1}
    process.send_signal(number)
    assert process.wait(PATIENCE) == 128 + number
    assert weights(toy / "learned")["b"] > 0
    assert "Traceback" not in process.stderr.read()


def test_a_signal_lets_the_line_under_way_finish(sample, corpus, start, tmp_path):
    references = (corpus / "en.0").read_text("utf-8").splitlines()
    lines = [
        f"{source} ||| {reference}\n"
        for source, reference in zip((corpus / "es").read_text("utf-8").splitlines(), references, strict=True)
    ]
    process = start(
        *("decode", "-c", sample / "cdec.ini", "-w", sample / "weights.init"),
        *("--learn", "mira", "--save-weights", tmp_path / "learned", "--save-every", 1000),
    )
    process.stdin.write("".join(lines))
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 143
    assert weights(tmp_path / "learned") != weights(sample / "weights.init")
    assert not list(tmp_path.rglob("*.part"))
    assert len(process.stdout.read().splitlines()) < len(lines) - 1
    assert "Traceback" not in process.stderr.read()


def test_weights_are_saved_on_the_way(toy, start):
    process = start(*LIVE, "--save-weights", "learned", "--save-every", 1)
    process.stdin.write(PAIR)
    process.stdin.flush()
    process.stdout.readline()
    wait_until(lambda: weights(toy / "learned").get("b", 0) > 0, "weights are saved")


@pytest.mark.slow
def test_one_learner_at_a_time_saves_to_a_file(toy, start):
    first = start(*LIVE, "--save-weights", "learned", "--save-every", 1)
    first.stdin.write(PAIR)
    first.stdin.flush()
    first.stdout.readline()
    wait_until(lambda: weights(toy / "learned").get("b", 0) > 0, "weights are saved")
    second = start(*LIVE, "--save-weights", "learned")
    _, error = second.communicate(PAIR, timeout=PATIENCE)
    assert second.returncode == 2
    assert error == "hopefear: learned: another process is writing this\n"
    _, error = first.communicate(19 * PAIR, timeout=PATIENCE)
    assert first.returncode == 0 and error.endswith("saved learned after 20 updates\n")
    third = start(*LIVE, "--save-weights", "learned")
    assert third.communicate("", timeout=PATIENCE) and third.returncode == 0
    assert not list(toy.rglob("*.part")) and not list(toy.rglob(".*lock"))


def test_weights_that_cannot_be_saved_are_noticed_at_once(toy, run):
    done = run(*LIVE, "--save-weights", "nowhere/learned", text=PAIR, status=2)
    assert done.stdout == ""
    assert "nowhere/learned" in done.stderr


def test_a_full_disk_does_not_end_the_session(toy, monkeypatch, run):
    """The save after update 4 fails; the one after update 6 succeeds, and so does the last."""
    write, saves = Weights.write, []

    def on_a_full_disk(self, path):
        saves.append(path)
        with small_files(0 if len(saves) == 3 else 1 << 30):
            write(self, path)

    monkeypatch.setattr(Weights, "write", on_a_full_disk)
    (toy / "in").write_text(7 * PAIR)
    done = run(*LIVE, "-i", "in", "--save-weights", "learned", "--save-every", "2")
    assert len(done.stdout.splitlines()) == 7
    assert done.stderr.splitlines()[1:] == [
        "hopefear: saved learned after 2 updates",
        "hopefear: learned: cannot be written: File too large; the file has the weights after 2 updates",
        "hopefear: saved learned after 6 updates",
        "hopefear: saved learned after 7 updates",
    ]
    saves.clear()
    error = run(*LIVE, "-i", "in", "--save-weights", "learned", "--save-every", "5", status=2).stderr
    assert "saved learned after 5 updates" in error
    assert error.endswith("File too large; the file has the weights after 5 updates\n")
    assert weights(toy / "learned")["b"] > 0 and not list(toy.rglob("*.part"))


def test_a_failed_update_does_not_end_the_session(toy, monkeypatch, run):
    learn, calls = Mira.partial_fit, []

    def failing(self, decoder, forest, segment):
        calls.append(segment)
        if len(calls) < 3:
            raise (TuningError, InputError)[len(calls) - 1]("too large")
        return learn(self, decoder, forest, segment)

    monkeypatch.setattr(Mira, "partial_fit", failing)
    for more in ((), ("--on-error", "skip")):
        calls.clear()
        done = run(*LIVE, "--save-weights", "learned", *more, text=4 * PAIR, status=0 if more else 1)
        assert len(done.stdout.splitlines()) == 4
        told = (toy / "hopefear-errors.tsv").read_text() if more else done.stderr
        assert "standard input:1: nothing is learned: Mira: too large" in told
        assert done.stderr.endswith("saved learned after 2 updates\n" if not more else "line of each\n")
        assert weights(toy / "learned")["b"] > 0

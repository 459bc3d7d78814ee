from __future__ import annotations

import signal
from pathlib import Path

import pytest
from support.waiting import wait_until

from hopefear.decoder import Weights

LIVE = ("decode", "-c", "cdec.ini", "-w", "weights", "--learn", "mira", "--set", "C=1")
LESSON = "la casa ||| the home\n"


@pytest.fixture(autouse=True)
def close_call(toy):
    """Let the first lesson bring a change: what is better by the model is so by a hair."""
    (toy / "weights").write_text("p -0.1\n")


def read(path: Path) -> dict[str, float]:
    weights = Weights()
    weights.read(path)
    return weights.nonzero()


def test_references_change_the_next_translation(toy, run):
    done = run(*LIVE, "--save-weights", "learned", text="la casa\n" + 8 * LESSON + "la casa\n")
    lines = done.stdout.splitlines()
    assert len(lines) == 10
    assert lines[:2] == ["the house", "the house"]
    assert lines[-1] == "the home"
    learned = read(toy / "learned")
    assert learned["b"] > 0 > learned["a"]


def test_the_ini_line_learns_too(toy, run):
    with (toy / "cdec.ini").open("a") as ini:
        ini.write("online_tuner=Mira C=1\n")
    done = run("decode", "-c", "cdec.ini", "-w", "weights", text=8 * LESSON + "la casa\n")
    assert done.stdout.splitlines()[-1] == "the home"


def test_several_references(toy, run):
    done = run(*LIVE, text=8 * "la casa ||| the home ||| one home\n" + "la casa\n")
    assert done.stdout.splitlines()[-1] == "the home"


def test_plain_lines_teach_nothing(toy, run):
    run(*LIVE, "--save-weights", "learned", text=5 * "la casa\n")
    assert read(toy / "learned") == {"p": -0.1}


def test_a_sentence_without_translation_teaches_nothing(toy, run):
    done = run(*LIVE, text="el perro ||| the dog\nla\n", status=1)
    assert done.stdout == "\nthe\n"
    assert "standard input:1" in done.stderr


def test_bad_input_saves_what_was_learned(toy, run):
    done = run(*LIVE, "--save-weights", "learned", text=LESSON + "<seg>\n", status=2)
    assert "standard input:2" in done.stderr
    assert read(toy / "learned")["b"] > 0


def test_a_bad_setting_is_refused(toy, run):
    done = run(*LIVE, "--set", "k=0", text=LESSON, status=2)
    assert "k must be at least 1, got 0" in done.stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_saves_the_weights(toy, start, number, status):
    process = start(*LIVE, "--save-weights", "learned", "--save-every", 1000)
    for line in (LESSON, "la\n"):  # the second answer says that the first line was learned from
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.readline().startswith("the")
    assert read(toy / "learned") == {"p": -0.1}
    process.send_signal(number)
    assert process.wait(20) == status
    assert read(toy / "learned")["b"] > 0
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
    assert process.wait(60) == 143
    assert read(tmp_path / "learned") != read(sample / "weights.init")
    assert not list(tmp_path.glob("*.part"))
    assert len(process.stdout.read().splitlines()) < len(lines) - 1
    assert "Traceback" not in process.stderr.read()


def test_weights_are_saved_on_the_way(toy, start):
    process = start(*LIVE, "--save-weights", "learned", "--save-every", 1)
    process.stdin.write(LESSON)
    process.stdin.flush()
    process.stdout.readline()
    wait_until(lambda: read(toy / "learned").get("b", 0) > 0, "weights are saved")


def test_weights_that_cannot_be_saved_are_noticed_at_once(toy, run):
    done = run(*LIVE, "--save-weights", "nowhere/learned", text=LESSON, status=2)
    assert done.stdout == ""
    assert "nowhere/learned" in done.stderr

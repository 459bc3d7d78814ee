"""``hopefear tune`` with batch tuners, and without a decoder."""

from __future__ import annotations

import pytest
from support.run_files import events, sessions, weights

KBEST = """\
0 ||| the house ||| lm= -3 tm= -1 -2 ||| -3
0 ||| the home ||| lm= -2 tm= -1 -1 ||| -2
1 ||| a ||| lm= -1 tm= -2 -4 ||| -1
1 ||| the ||| lm= -1 tm= -2 -2 ||| -1
"""


@pytest.fixture
def lists(tmp_path):
    (tmp_path / "nbest").write_text(KBEST)
    (tmp_path / "ref").write_text("the house\na\n")
    (tmp_path / "init").write_text("lm 1\n")
    return ("tune", "--kbest", "nbest", "-r", "ref")


@pytest.mark.parametrize("tuner", [["--set", "C=0.1"], ["--tuner", "Pro", "--set", "interpolation=1"]])
def test_kbest_lists_are_learned_from(lists, run, tmp_path, tuner):
    done = run(*lists, "-w", "init", "-o", "run", *tuner, "--metric", "ter", draw=True)
    assert "4 candidates for 2 of 2 sentences" in done.stderr
    learned = weights(tmp_path / "run" / "weights.final")
    assert learned["tm_1"] < 0 and set(learned) <= {"lm", "tm_0", "tm_1"}
    # The reference of each sentence scores higher than the other candidate.
    assert -learned.get("lm", 0) - learned["tm_1"] > 0
    log = events(tmp_path / "run")
    assert all(event["event"] == "pass" and event["metric"] == "TER" for event in log)
    assert log[-1]["pool_score"] == 0
    assert all(event["score_interval"] and event["chosen"] for event in log)
    (session,) = sessions(tmp_path / "run")
    assert (session["status"], list(session["files"])) == ("finished", ["kbest", "reference", "weights"])
    assert (tmp_path / "run" / "learning.png").read_bytes().startswith(b"\x89PNG")
    done = run(*lists, "-o", "run", status=2)
    assert "holds a run already" in done.stderr


def test_texts_as_written_are_split_as_score_does(run, tmp_path):
    (tmp_path / "nbest").write_text(
        "0 ||| Hola, mundo. ||| lm= -3 ||| -3\n0 ||| Hola mundo. ||| lm= -2 ||| -2\n"
    )
    (tmp_path / "ref").write_text("Hola, mundo.\n")
    options = ("tune", "--kbest", "nbest", "-r", "ref", "--metric", "ter", "--tuner", "Mert")
    done = run(*options, "-o", "run", "--language", "es")
    assert "TER counts the tokens of 13a" in done.stderr
    assert sessions(tmp_path / "run")[0]["options"] == {"--language": "es"}
    assert "--language needs --kbest" in run("tune", "-o", "other", "--language", "es", status=2).stderr


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--tuner", "mira"], "--kbest needs a batch tuner, such as Pro: Mira needs a decoder"),
        (["-c", "nowhere"], "--kbest excludes --config"),
        (["--resume"], "--kbest excludes --resume"),
        (["--max-words", "9"], "--kbest excludes --max-words"),
        (["--report-sentences", "9"], "--kbest excludes --report-sentences"),
        (["--tokens"], "--kbest excludes --tokens"),
        (["-r", "init"], "init: expected 2 lines as in ref, got 1"),
        (["--kbest", "init"], "init:1: expected number ||| translation ||| features"),
        (["--tuner", "Pro", "--set", "l2=0"], "Pro: l2 must be above 0"),
        (["--tuner", "Pro", "--set", "threshold=2", "--metric", "bleu"], "lower the threshold"),
    ],
)
def test_what_does_not_fit_is_refused(lists, run, tmp_path, more, message):
    done = run(*lists, "-o", "run", *more, status=2)
    assert message in done.stderr


def test_what_is_too_long_for_the_metric_is_named(lists, run, tmp_path):
    command = (*lists, "-o", "run", "--metric", "ter --max-words 2")
    with (tmp_path / "nbest").open("a") as file:
        file.write("1 ||| the red house ||| lm= -1 tm= -1 -1 ||| -1\n")
    done = run(*command, status=2)
    assert "hopefear: nbest: sentence 1: expected a hypothesis of at most 2 words" in done.stderr
    (tmp_path / "more").write_text("a house\nthe red house\n")
    done = run(*command, "-r", "more", status=2)
    assert "hopefear: more:2: expected a reference of at most 2 words" in done.stderr


def test_without_anything_to_learn_from(run, tmp_path):
    (tmp_path / "nbest").write_text(KBEST)
    assert "--kbest needs --reference" in run("tune", "--kbest", "nbest", "-o", "run", status=2).stderr
    assert "--config and --source, or --kbest" in run("tune", "-o", "run", status=2).stderr
    assert not (tmp_path / "run").exists()


def test_a_batch_tuner_decodes(toy, run, tmp_path):
    (toy / "in").write_text("la casa ||| the home\nla ||| the\n")
    (toy / "weights").write_text("p -0.1\n")
    common = ("tune", "-c", "cdec.ini", "-w", "weights", "-s", "in", "--tuner", "batchmira")
    common = (*common, "--metric", "ter", "--set", "C=1")
    done = run(*common, "-o", "whole", "--passes", 3)
    assert "pass 1: TER 33.33 before, 0.00 on 4 candidates (4 new)" in done.stderr
    tuned = run("decode", "-c", "cdec.ini", "-w", "whole/weights.final", text="la casa\n").stdout
    assert tuned == "the home\n"
    run(*common, "-o", "run", "--passes", 1)
    run(*common, "-o", "run", "--passes", 3, "--resume")
    for name in ("weights.pass1", "weights.final"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()

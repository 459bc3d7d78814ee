"""``--consensus``: three translations that share a word outvote the best one.

Scores count in units of their standard deviation, so one translation is much worse than all others.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.world import World, configure

from hopefear.decoder import Hypergraph, Weights

GRAMMAR = """\
[X] ||| a ||| u v ||| p=1
[X] ||| a ||| w x ||| p=0.95
[X] ||| a ||| w y ||| p=0.9
[X] ||| a ||| w z ||| p=0.9
[X] ||| a ||| r s ||| p=-1
"""
SETTINGS = ("-c", "cdec.ini", "-w", "weights")


@pytest.fixture(name="voting")
def voting_folder(tmp_path: Path) -> Path:
    return World(GRAMMAR, weights={"p": 1}).write(tmp_path).parent


@pytest.mark.parametrize(
    "options",
    [
        ("--consensus",),
        ("--consensus-by", "linear --scale 0.5"),
        ("--consensus-by", "fast"),
        ("--consensus-by", "Ter"),
        ("--consensus-by", "risk --metric Bleu --k 5"),
        ("--consensus", "--threads", "2"),
    ],
)
def test_what_agrees_best_is_written(voting, run, options):
    assert run("decode", *SETTINGS, text="a\n").stdout == "u v\n"
    assert run("decode", *SETTINGS, *options, text="a\n").stdout == "w x\n"


def test_a_line_of_the_configuration_asks_for_it(voting, run):
    configure(voting, "# hopefear: consensus = fast")
    assert run("decode", *SETTINGS, text="a\n").stdout == "w x\n"
    (voting / "in.txt").write_text("a\n")
    run("translate", "in.txt", *SETTINGS, "-o", "out.txt")
    assert (voting / "out.txt").read_text() == "w x\n"


def test_it_is_shown_while_weights_and_rules_learn(voting, run):
    configure(voting, "# hopefear: consensus = linear", "forest_output = forests")
    for options in ((), ("--adapt", "rules,lm")):
        done = run("decode", *SETTINGS, "--learn", "mira", *options, "--set", "C=1e-9", text="a\na ||| r s\n")
        assert done.stdout == "w x\nw x\n"
        forest = Hypergraph.read(voting / "forests" / "0.json.gz", Weights())  # it has the model's scores
        assert [*forest.kbest(1)] == ["u v"]


def test_scores_of_lists_are_gains_and_features_stay(voting, run):
    found = run("decode", *SETTINGS, "--consensus-by", "linear --scale 1", "-k", 5, text="a\n").stdout
    lines = [line.split(" ||| ") for line in found.splitlines()]
    assert [line[1] for line in lines] == ["w x", "w y", "w z", "u v", "r s"]
    assert [line[2] for line in lines] == ["p=0.95", "p=0.9", "p=0.9", "p=1", "p=-1"]
    gains = [float(line[3]) for line in lines]
    assert gains == sorted(gains, reverse=True)


def test_rules_and_forests_are_written_as_before(voting, run):
    configure(voting, "forest_output = forests", "extract_rules = rules")
    assert run("decode", *SETTINGS, "--consensus", text="a\n").stdout == "w x\n"
    assert (voting / "rules/0").read_text().endswith("[X] ||| a ||| w x ||| p=0.95\n")
    assert (voting / "forests/0.json.gz").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("lineer", "cdec.ini:3: lineer: unknown way"),
        ("linear --scale x", "cdec.ini:3: linear: "),
        ("nist", "cdec.ini:3: consensus: expected a metric that compares single sentences, got NIST"),
        ("risk --metric nist", "cdec.ini:3: consensus: expected a metric that compares single sentences"),
    ],
)
def test_wrong_lines_are_named(voting, run, line, message):
    configure(voting, f"# hopefear: consensus={line}")
    assert message in run("decode", *SETTINGS, text="a\n", status=2).stderr

"""``tune`` and ``decode`` with cdec as the decoder, played by a script."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from support.fake_cdec import install

from ..conftest import Run

HYPOTHESES = {
    "es ist ein haus": {
        "this is a little house": {"p": -1.0, "LM": -2.0},
        "it is a small house": {"p": -0.5, "LM": -3.5},
        "a small house it is": {"p": -2.0, "LM": -1.0},
    },
    "das haus": {"the house": {"p": -1.0, "LM": -1.0}, "that house": {"p": -2.0}},
}
REFERENCE = "it is a small house"


@pytest.fixture
def cdec(tmp_path: Path) -> Path:
    (tmp_path / "cdec.ini").write_text("formalism=scfg\nweights=start\nan_option_of_cdec_only=true\n")
    (tmp_path / "start").write_text("p 1\nLM 0.5\n")
    (tmp_path / "hypotheses.json").write_text(json.dumps(HYPOTHESES), "utf-8")
    (tmp_path / "in").write_text("es ist ein haus\ndas haus\n")
    (tmp_path / "ref").write_text(f"{REFERENCE}\nthe house\n")
    return install(tmp_path)


@pytest.mark.parametrize("tuner", ["Mira", "ParallelMira", "ForestMert"])
def test_tune_with_cdec(run: Run, cdec: Path, tmp_path: Path, tuner: str) -> None:
    arguments = ["-c", "cdec.ini", "--decoder", cdec]
    learn = ["--tuner", tuner, "--passes", "4"]
    run("tune", *arguments, "-s", "in", "-r", "ref", "-o", "run", *learn, draw=tuner == "Mira")
    found = run("decode", *arguments, "-w", "run/weights.final", "-i", "in")
    assert found.stdout == f"{REFERENCE}\nthe house\n"
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert Path(record["sessions"][0]["files"]["weights"][0]["path"]).name == "start"
    if tuner == "Mira":
        with gzip.open(tmp_path / "run" / "sentences.jsonl.gz", "rt") as lines:
            assert [json.loads(line)["after"] for line in lines] == [REFERENCE, "the house"]


def test_decode_learns_from_cdec(run: Run, cdec: Path, tmp_path: Path) -> None:
    lines = f"es ist ein haus ||| {REFERENCE}\n" * 3 + "das haus\n"
    arguments = ["-c", "cdec.ini", "--decoder", cdec, "--learn", "mira", "--set", "C=0.1"]
    found = run("decode", *arguments, "--save-weights", "new", text=lines)
    first, *_, third, other = found.stdout.splitlines()
    assert (first, third, other) == ("this is a little house", REFERENCE, "the house")
    assert (tmp_path / "new").read_text() != (tmp_path / "start").read_text()


def test_lists_and_forced_decoding_with_cdec(run: Run, cdec: Path) -> None:
    arguments = ["-c", "cdec.ini", "--decoder", cdec]
    found = run("decode", *arguments, "-k", "2", text="das haus\n")
    assert found.stdout == "0 ||| the house ||| LM=-1 p=-1 ||| -1.5\n0 ||| that house ||| p=-2 ||| -2\n"
    text = "das haus ||| that house\ndas haus ||| that horse\n"
    found = run("decode", *arguments, text=text, status=1)
    assert found.stdout == "that house\n\n"
    assert "no derivation of sentence 2 yields the reference" in found.stderr


@pytest.mark.parametrize(
    ("command", "more", "message"),
    [
        ("decode", ["--feature", "RuleShape"], "--feature is for hopefear's own decoder"),
        ("tune", ["--min-count", "2"], "--min-count is for hopefear's own decoder"),
        ("decode", ["--learn", "mira", "--adapt", "rules"], "--adapt is for hopefear's own decoder"),
    ],
)
def test_options_of_the_own_decoder(
    run: Run, cdec: Path, command: str, more: list[str], message: str
) -> None:
    files = ["-s", "in", "-r", "ref", "-o", "run"] if command == "tune" else ["-i", "in"]
    assert message in run(command, "-c", "cdec.ini", "--decoder", cdec, *files, *more, status=2).stderr


def test_a_cdec_that_is_missing(run: Run, cdec: Path) -> None:
    arguments = ["-c", "cdec.ini", "--decoder", "no/cdec"]
    message = "no/cdec: expected cdec's executable"
    assert message in run("decode", *arguments, "-i", "in", status=2).stderr
    assert message in run("tune", *arguments, "-s", "in", "-r", "ref", "-o", "run", status=2).stderr


def test_a_cdec_that_ends(run: Run, cdec: Path) -> None:
    found = run("decode", "-c", "cdec.ini", "--decoder", cdec, text="crash\n", status=2)
    assert "cdec ended at sentence 1 with status 1; its last output:" in found.stderr
    assert "out of memory" in found.stderr

from __future__ import annotations

import gzip
import resource
import shutil
import signal
import subprocess
import sys

import pytest
from support.world import contents, write_parallel_text

TEXTS = ("-s", "train.f", "-t", "train.e", "-i", "test.f", "-o", "system", "--discount-fallback")
ALIGNED = (*TEXTS, "-a", "train.align")


@pytest.fixture(autouse=True)
def text(tmp_path):
    write_parallel_text(tmp_path)
    return tmp_path


def test_built_and_decoded(text, run):
    done = run("build", *ALIGNED)
    assert done.stdout == ""
    stages = [line.rpartition(": ")[0] for line in done.stderr.splitlines()]
    grammar = ["grammar", "compiled grammar"]
    assert stages == ["n-gram counts", "n-gram model lm.arpa.gz", *grammar, "configuration"]
    decoded = run("decode", "-c", "system/cdec.ini", "-i", "test.f")
    assert decoded.stdout == (text / "test.e").read_text("utf-8")


def test_again_nothing_is_done(text, run):
    run("build", *ALIGNED, "--folds", 2)
    before = contents(text / "system")
    done = run("build", *ALIGNED, "--folds", 2)
    assert all(line.endswith(": nothing changed") for line in done.stderr.splitlines())
    assert contents(text / "system") == before


def test_settings_of_the_extraction(text, run):
    run("build", *ALIGNED, "--top", 1, "--max-span", 6, "--feature", "LogProbEgivenF", "--feature", "CountEF")
    rules = gzip.decompress((text / "system" / "grammar.gz").read_bytes()).decode().splitlines()
    assert len({rule.split(" ||| ")[1] for rule in rules}) == len(rules)
    features = rules[0].split(" ||| ")[3].split()
    assert [feature.split("=")[0] for feature in features] == ["LogProbEgivenF", "CountEF"]
    weights = (text / "system" / "weights.init").read_text().splitlines()
    assert "LogProbEgivenF 0.1" in weights and "CountEF 0.1" in weights and len(weights) == 7


def test_from_text_alone(text, run):
    pytest.importorskip("eflomal", reason="eflomal is not installed")
    run("build", *TEXTS, "--symmetrisation", "intersection")
    assert len(run("decode", "-c", "system/cdec.ini", "-i", "test.f").stdout.splitlines()) == 5


def test_killed_it_goes_on(text, run, start):
    run("build", *ALIGNED, "--folds", 3)
    whole = contents(text / "system")
    (text / "system").rename(text / "whole")
    process = start("build", *ALIGNED, "--folds", 3)
    for line in process.stderr:  # it is at work on what comes next
        if line.startswith("n-gram model fold-2"):
            process.send_signal(signal.SIGKILL)
            break
    process.wait()
    done = run("build", *ALIGNED, "--folds", 3)
    skipped = [line.split(":")[0] for line in done.stderr.splitlines() if line.endswith("nothing changed")]
    assert skipped[:3] == ["n-gram counts", "n-gram model lm.arpa.gz", "n-gram model fold-1/lm.arpa.gz"]
    assert contents(text / "system") == whole


def test_a_full_disk(text, run):
    """What does not fit is named, and is not there; with more room the build goes on."""
    run("build", *ALIGNED)
    whole = contents(text / "system")
    largest = max(len(content) for content in whole.values())
    shutil.rmtree(text / "system")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest - 1, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    command = [sys.executable, "-m", "hopefear", "build", *ALIGNED]
    done = subprocess.run(command, cwd=text, capture_output=True, text=True, preexec_fn=limit)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("hopefear: system/") and last.endswith(": File too large")
    name = last.removeprefix("hopefear: system/").removesuffix(": File too large")
    there = contents(text / "system")
    assert name not in there and not any(path.endswith(".part") for path in there)
    run("build", *ALIGNED)
    assert contents(text / "system") == whole


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-a", "none"), "none: cannot be read: No such file or directory"),
        (("-a", "train.f"), "train.f:1: expected links such as 0-0 1-2"),
        (("-a", "train.align", "--folds", 1), "expected 0 folds, or 2 to 60"),
        (("-a", "train.align", "--prune", "2 1"), "expected pruning thresholds"),
        (("-a", "train.align", "--prune", "x"), "--prune: expected numbers, got 'x'"),
        (("-a", "train.align", "--feature", "Spam"), "Spam"),
        (("-a", "train.align", "-i", "none"), "none: cannot be read"),
        (("--reverse",), "--reverse needs --alignment"),
        (("-a", "train.align", "--symmetrisation", "union"), "--symmetrisation is for eflomal's alignment"),
        (("-a", "train.align", "--unique"), "--unique needs --languages"),
        (("-a", "train.align", "--profile", "rst"), "--profile needs --languages"),
    ],
)
def test_bad_input_is_named(text, run, arguments, message):
    done = run("build", *TEXTS, *arguments, status=2)
    assert message in done.stderr.splitlines()[-1]
    assert not (text / "system" / "cdec.ini").exists()


def test_small_texts_want_fixed_discounts(text, run):
    (text / "train.e").write_text("a b\n" * 60)
    (text / "train.align").write_text("0-0\n" * 60)
    done = run("build", *TEXTS[:-1], "-a", "train.align", status=2)
    assert "discount" in done.stderr

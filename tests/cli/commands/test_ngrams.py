from __future__ import annotations

import gzip

import pytest
from support import brute_force as bf


@pytest.fixture
def text(tmp_path):
    (tmp_path / "text").write_text("the house\nthe red house\na house\n")


@pytest.mark.usefixtures("text")
def test_a_model(tmp_path, run):
    (tmp_path / "more.gz").write_bytes(gzip.compress(b"my house\n"))
    arguments = ["-s", "text", "-s", "more.gz", "--order", "3", "-o", "lm.arpa.gz", "--use", "ours"]
    done = run("ngrams", *arguments, "--prune", "0 0 1", "--discount-fallback", "0.5 1 1.5")
    assert done.stdout == ""
    with gzip.open(tmp_path / "lm.arpa.gz", "rt") as lines:
        model = bf.Ngrams.from_arpa(lines)
    assert done.stderr == f"lm.arpa.gz: {len(model.table)} n-grams up to order 3\n"
    assert model.order == 3
    assert {ngram for ngram in model.table if len(ngram) == 3} == set()
    assert ("my", "house") in model.table
    # There are 9 bigrams; house ends 4 of them, each of 5 words 1. The vocabulary is 7 words.
    rest = (5 * 0.5 + 1.5) / 9
    assert 10 ** model.table[("my",)][0] == pytest.approx((1 - 0.5) / 9 + rest / 7, rel=1e-5)


@pytest.mark.usefixtures("text")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-s", "text"], "cannot estimate the discounts of 1-grams"),
        (["-s", "text", "--prune", "0 x"], "--prune: expected numbers, got '0 x'"),
        (["-s", "text", "--discount-fallback", ""], "expected one to three fallback discounts, got 0"),
        (["-s", "none"], "none: cannot be read: No such file or directory"),
    ],
)
def test_bad_input_writes_nothing(tmp_path, run, arguments, message):
    done = run("ngrams", *arguments, "-o", "lm", "--use", "ours", status=2)
    assert message in done.stderr
    assert not list(tmp_path.glob("lm*"))


@pytest.mark.usefixtures("text")
def test_lmplz_is_named(tmp_path, run, monkeypatch):
    program = tmp_path / "lmplz"
    program.write_text("#!/bin/sh\ncat\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    done = run("ngrams", "-s", "text", "-o", "lm")
    assert done.stderr.splitlines()[0] == f"hopefear: estimated by {program}"
    assert (tmp_path / "lm").read_text() == (tmp_path / "text").read_text()


@pytest.mark.usefixtures("text")
def test_long_lines_are_left_out(tmp_path, run):
    (tmp_path / "long").write_text("the house\n" + "a " * 20_001 + "\nthe red house\na house\n")
    options = ("--order", 2, "--discount-fallback", "0.5 1 1.5", "--use", "ours")
    run("ngrams", "-s", "text", "-o", "x", *options)
    done = run("ngrams", "-s", "long", "-o", "y", *options)
    message = "hopefear: left out 1 sentence that has more than 20000 words (the limit of --max-words)\n"
    assert done.stderr.startswith(message)
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()
    (tmp_path / "bad").write_text("a b c\n<s>\n")
    done = run("ngrams", "-s", "bad", "-o", "z", "--max-words", 2, *options, status=2)
    assert "bad:2: expected a word, got <s>" in done.stderr

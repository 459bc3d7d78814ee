from __future__ import annotations

import re

import pytest
import sacrebleu


@pytest.fixture
def translations(corpus):
    """A system, the second reference, and a worse one, the same with words left out; scored on the first."""
    lines = (corpus / "en.1").read_text("utf-8").splitlines()
    (corpus / "worse").write_text("".join(" ".join(line.split()[::2]) + "\n" for line in lines), "utf-8")
    return lines


def test_bleu_is_sacrebleus(corpus, run, translations):
    references = (corpus / "en.0").read_text("utf-8").splitlines()
    expected = sacrebleu.corpus_bleu(
        translations, [references], tokenize="none", force=True, smooth_method="none"
    )
    done = run("score", "--reference", "en.0", text=(corpus / "en.1").read_bytes())
    assert done.stdout.splitlines()[0] == f"BLEU {expected.score:.2f}"
    assert "refs:1" in done.stdout.splitlines()[1]


def test_ter_is_sacrebleus(corpus, run, translations):
    references = (corpus / "en.0").read_text("utf-8").splitlines()
    expected = sacrebleu.corpus_ter(translations, [references], case_sensitive=True)
    done = run("score", "-r", "en.0", "--metric", "ter", "--input", "en.1")
    assert done.stdout.splitlines()[0] == f"TER {expected.score:.2f}"


def test_several_references_and_confidence(corpus, run):
    done = run("score", "-r", "en.0", "-r", "en.1", "--confidence", text=(corpus / "en.1").read_bytes())
    assert done.stdout.splitlines()[0] == "BLEU 100.00 [100.00, 100.00]"
    assert "refs:2" in done.stdout


def test_a_worse_baseline(corpus, run, translations):
    done = run("score", "-r", "en.0", "--against", "worse", "-i", "en.1")
    match = re.search(r"difference (\S+) \[(\S+), (\S+)\], p = (\S+)", done.stdout)
    difference, lower, upper, p = map(float, match.groups())
    assert 0 < lower < difference < upper
    assert p < 0.05


def test_a_system_against_itself(corpus, run):
    done = run("score", "-r", "en.0", "--against", "en.1", "-i", "en.1")
    assert "difference 0.00 [0.00, 0.00], p = 1.0000" in done.stdout


@pytest.mark.parametrize(
    ("options", "text", "message"),
    [
        (["-r", "en.0"], "one line\n", "expected 12 lines"),
        (["-r", "nowhere"], "", "nowhere: cannot be read"),
        (["-r", "en.0", "-m", "meteor"], "", "meteor: unknown metric, near: Ter"),
        (["-r", "empty"], "", "expected translations, got none"),
    ],
)
def test_what_does_not_fit_is_refused(corpus, run, options, text, message):
    (corpus / "empty").write_text("")
    assert message in run("score", *options, text=text, status=2).stderr

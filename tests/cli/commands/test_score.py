from __future__ import annotations

import json
import re
import sys

import pytest
import sacrebleu


@pytest.fixture
def translations(corpus):
    """A system, the second reference, and a worse one, the same with words left out; scored on the first."""
    lines = (corpus / "en.1").read_text("utf-8").splitlines()
    (corpus / "worse").write_text("".join(" ".join(line.split()[::2]) + "\n" for line in lines), "utf-8")
    return lines


SACREBLEU = {
    "bleu": ("BLEU", sacrebleu.corpus_bleu, {"tokenize": "none", "force": True, "smooth_method": "none"}),
    "ter": ("TER", sacrebleu.corpus_ter, {"case_sensitive": True}),
    "chrf --word-order 2": ("chrF2++", sacrebleu.corpus_chrf, {"word_order": 2}),
}
"""What a metric is called, and the function of sacrebleu, with its settings."""


@pytest.mark.parametrize("metric", SACREBLEU)
def test_scores_are_sacrebleus(corpus, run, translations, metric):
    name, score, settings = SACREBLEU[metric]
    references = (corpus / "en.0").read_text("utf-8").splitlines()
    expected = f"{name} {score(translations, [references], **settings).score:.2f}"
    done = run("score", "-r", "en.0", "--metric", metric, "--input", "en.1")
    assert done.stdout.splitlines()[0] == expected
    assert "refs:1" in done.stdout.splitlines()[1]
    named = [] if metric == "bleu" else ["-m", metric]
    done = run("score", "--reference", "en.0", *named, text=(corpus / "en.1").read_bytes())
    assert done.stdout.splitlines()[0] == expected


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
    assert done.stderr == "hopefear: en.1 has the same lines as en.1\n"
    done = run("score", "-r", "en.0", text=(corpus / "en.0").read_bytes())
    assert done.stderr == "hopefear: standard input has the same lines as en.0\n"


def test_several_metrics_and_what_they_say_in_json(corpus, run, translations):
    metrics = ["-m", "bleu", "-m", "chrf --word-order 2"]
    options = ["-r", "en.0", "-i", "en.1", "--against", "worse", *metrics]
    score = r"(\S+ \[\S+, \S+\])"
    lines = run("score", *options).stdout.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["BLEU", "chrF2++"]
    assert [line.split("|")[:2] for line in lines[2:]] == [["BLEU", "refs:1"], ["chrF2++", "refs:1"]]
    found = json.loads(run("score", *options, "--json").stdout)
    assert found["sentences"] == 12
    for line, signature, facts in zip(lines[:2], lines[2:], found["metrics"], strict=True):
        match = re.fullmatch(rf"\S+ {score}, baseline {score}, difference {score}, p = (\S+)", line)
        told = [facts, facts["baseline"], facts["difference"]]
        assert [f"{x['score']:.2f} [{x['interval'][0]:.2f}, {x['interval'][1]:.2f}]" for x in told] == [
            *match.groups()[:3]
        ]
        assert f"{facts['difference']['p_value']:.4f}" == match[4]
        assert (facts["metric"], facts["signature"]) == (line.split()[0], signature)


def test_runs_in_json(corpus, run, translations):
    runs = ["-i", "en.1", "-i", "worse", "-a", "worse", "-a", "worse", "--significance", "randomisation"]
    (facts,) = json.loads(run("score", "-r", "en.0", *runs, "--json").stdout)["metrics"]
    assert facts["score"] == pytest.approx(sum(facts["runs"]) / 2)
    assert facts["s_opt"] > 0 and facts["s_sel"] > 0
    assert facts["difference"]["score"] == pytest.approx(facts["score"] - facts["baseline"]["score"])
    assert facts["baseline"]["s_opt"] == 0 and 0 < facts["difference"]["p_value"] < 1


def test_nist_weighs_by_all_references(corpus, run, translations):
    done = run("score", "-r", "en.0", "-r", "en.1", "--metric", "NIST", "--input", "en.1")
    assert re.match(r"NIST \d+\.\d\d\nNIST\|refs:2\|order:5\|", done.stdout)


def test_several_runs(corpus, run, translations):
    done = run("score", "-r", "en.0", "-i", "en.1", "-i", "worse")
    mean, selection, optimizer = map(
        float, re.match(r"BLEU (\S+) \(2 runs, s_sel (\S+), s_opt (\S+)\)", done.stdout).groups()
    )
    scores = [float(run("score", "-r", "en.0", "-i", name).stdout.split()[1]) for name in ("en.1", "worse")]
    assert mean == pytest.approx(sum(scores) / 2, abs=0.011)
    assert optimizer == pytest.approx(abs(scores[0] - scores[1]) / 2**0.5, abs=0.011)
    assert selection > 0
    assert "|runs:2|bootstrap:1000|seed:12345" in done.stdout


def test_randomisation(corpus, run, translations):
    runs = ["-i", "en.1", "-i", "en.1", "--against", "worse", "--against", "worse"]
    done = run("score", "-r", "en.0", *runs, "--significance", "randomisation")
    difference, p = map(float, re.search(r"difference (\S+), p = ([^;\s]+)", done.stdout).groups())
    assert difference > 0
    assert p < 0.01
    assert "baseline " in done.stdout
    assert "|runs:2|shuffles:1000|bootstrap:1000|seed:12345" in done.stdout


@pytest.mark.parametrize("runs", [1, 2])
def test_a_run_that_is_listed_again_changes_no_p_value(corpus, run, translations, runs):
    several = [*["-i", "en.1"] * runs, *["--against", "worse"] * 3, "--significance", "randomisation"]
    done = run("score", "-r", "en.0", *several)
    alone = run("score", "-r", "en.0", "-i", "en.1", "-a", "worse", "--significance", "randomisation")
    p_value = r"difference \S+, p = (\S+?)[;\n]"
    assert re.search(p_value, done.stdout)[1] == re.search(p_value, alone.stdout)[1]
    assert "(3 runs, " in done.stdout


def test_several_runs_are_compared_over_runs_and_sentences(corpus, run, translations):
    runs = ["-i", "en.1", "-i", "worse", "-a", "worse", "-a", "worse", "--significance", "randomisation"]
    done = run("score", "-r", "en.0", *runs)
    found = re.search(r"over other runs and sentences (\S+) \[(\S+), (\S+)\], p = (\S+)\n", done.stdout)
    difference, lower, upper, p_value = map(float, found.groups())
    assert lower < difference < upper
    assert 0 < p_value < 1
    (facts,) = json.loads(run("score", "-r", "en.0", *runs, "--json").stdout)["metrics"]
    assert f"{facts['over_runs']['p_value']:.4f}" == found[4]
    assert facts["over_runs"]["score"] == pytest.approx(facts["difference"]["score"])


@pytest.mark.parametrize(
    ("options", "text", "message"),
    [
        (["-r", "en.0"], "one line\n", "expected 12 lines"),
        (["-r", "nowhere"], "", "nowhere: cannot be read"),
        (["-r", "en.0", "-m", "terp"], "", "terp: unknown metric, near: Ter"),
        (["-r", "empty"], "", "expected translations, got an empty file"),
        (["-r", "en.0", "--significance", "randomisation"], "", "needs --against"),
        (["-r", "en.0", "-i", "en.0", "-i", "en.1", "-a", "en.0"], "", "need --significance randomisation"),
        (["-r", "en.0", "-i", "en.0", "-i", "en.1", "--confidence"], "", "without --confidence"),
        (["-r", "en.0", "-i", "en.0", "--samples", "9"], "", "--samples needs --confidence, --against or"),
        (["-r", "en.0", "-i", "en.0", "--seed", "9"], "", "--seed needs --confidence, --against or"),
    ],
)
def test_what_does_not_fit_is_refused(corpus, run, options, text, message):
    (corpus / "empty").write_text("")
    assert message in run("score", *options, text=text, status=2).stderr


def test_sentences_that_are_too_long_for_a_metric(tmp_path, run):
    (tmp_path / "short").write_text("a b\nc d\n")
    (tmp_path / "long").write_text("a b\n" + "c " * 2001 + "\n")
    message = "expected a {} of at most 2000 words (the limit of Ter's --max-words), got 2001 words"
    more = ("--max-words", 3000)
    done = run("score", "-r", "short", "-r", "long", "-m", "ter", "-i", "short", *more, status=2)
    assert done.stderr == f"hopefear: long:2: {message.format('reference')}\n"
    long = (tmp_path / "long").read_text()
    done = run("score", "-r", "short", "-m", "ter", *more, text=long, status=2)
    assert done.stderr == f"hopefear: standard input:2: {message.format('hypothesis')}\n"
    done = run("score", "-r", "short", "-m", "ter --max-words 2", "-i", "short")
    assert done.stdout.startswith("TER 0.00\n")
    metrics = ("-m", "bleu", "-m", "chrf", "-m", "nist", "-m", "wer")
    done = run("score", "-r", "long", "-i", "short", *metrics, *more)
    assert len(done.stdout.splitlines()) == 8 and not done.stderr


def test_long_lines_are_left_out_of_all_scores(tmp_path, run):
    (tmp_path / "ref").write_text("a b c d\n" + "c " * 20_000 + "\nc d e f\ng\n")
    (tmp_path / "ours").write_text("a b c d\nc\nc d e f\ng h\n")
    (tmp_path / "theirs").write_text("a b c d\nc\nc d e f\n" + "g " * 2001 + "\n")
    metrics = ("-m", "bleu", "-m", "ssk", "-m", "cer", "-m", "ter")
    done = run("score", "-r", "ref", "-i", "ours", *metrics, "--json")
    message = "hopefear: left out 1 sentence that has more than 2000 words (the limit of --max-words)\n"
    assert done.stderr == message
    facts = json.loads(done.stdout)
    assert facts["sentences"] == 3
    assert facts["metrics"][3]["score"] == pytest.approx(100 / 9)  # one word of nine is inserted
    done = run("score", "-r", "ref", "-i", "ours", "-a", "theirs")
    assert "left out 2 sentences that have more than 2000 words" in done.stderr
    assert done.stdout.startswith("BLEU 100.00")
    (tmp_path / "ref").write_text("a\n" + "c " * 20_000 + "\nc d e f\ng\n")
    (tmp_path / "ours").write_text("a\nc\nc d e\ng h\n")
    given = ("score", "-r", "ref", "-i", "ours", "-m", "ter --max-words 3", "--max-words", 4)
    assert "hopefear: ref:3: expected a reference of at most 3 words" in run(*given, status=2).stderr
    (tmp_path / "ref").write_text("a b\n")
    done = run("score", "-r", "ref", "-i", "ref", "--max-words", 1, status=2)
    assert "expected a sentence of at most 1 words (the limit of --max-words), got none" in done.stderr


def test_alignments(tmp_path, run):
    (tmp_path / "right").write_text("0-0 1?1\n0-0\n")
    assert run("score", "-r", "right", "-m", "aer", text="0-0 1-1\n0-1\n").stdout.startswith("AER 40.00")
    done = run("score", "-r", "right", "-m", "aer", text="0-0\n0:1\n", status=2)
    assert done.stderr == "hopefear: standard input:2: expected links such as 0-0 1?2, got '0:1'\n"


WRITTEN = ["The house, which is green, is big.", "He said: \u201cHello, world!\u201d", "See ``a b`` (p. 3)."]
OTHERS = ["The green house is big.", "He said, \u201cHello, world\u201d.", "See ``a b`` on p. 3."]
JAPANESE = ["日本語の文です。", "これは本です。"]


def write_texts(folder, hypotheses, references):
    for name, lines in (("out", hypotheses), ("ref", references)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def test_texts_as_written_score_as_sacrebleu_scores_them(run, tmp_path):
    write_texts(tmp_path, OTHERS, WRITTEN)
    done = run(
        "score", "-r", "ref", "-i", "out", "-m", "bleu", "-m", "chrf", "-m", "wer", "--language", "es-MX"
    )
    bleu, chrf, _, *signatures = done.stdout.splitlines()
    expected = sacrebleu.corpus_bleu(OTHERS, [WRITTEN], smooth_method="none")
    assert bleu == f"BLEU {expected.score:.2f}" and expected.score > 0
    assert chrf == f"chrF2 {sacrebleu.corpus_chrf(OTHERS, [WRITTEN]).score:.2f}"
    assert ["|tok:13a" in line for line in signatures] == [True, False, True]
    assert "tok:none" not in done.stdout


def test_japanese_is_split_by_mecab(run, tmp_path):
    pytest.importorskip("MeCab")
    references = [JAPANESE[0], "これは私の本です。"]
    write_texts(tmp_path, JAPANESE, references)
    expected = sacrebleu.corpus_bleu(JAPANESE, [references], tokenize="ja-mecab", smooth_method="none")
    done = run("score", "-r", "ref", "-i", "out", "--language", "ja", "--json")
    (found,) = json.loads(done.stdout)["metrics"]
    assert found["score"] == pytest.approx(expected.score)
    assert "|tok:ja-mecab" in found["signature"]


def test_a_tokeniser_that_is_not_installed_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mecab_ko", None)
    write_texts(tmp_path, OTHERS, WRITTEN)
    done = run("score", "-r", "ref", "-i", "out", "--language", "ko", status=2)
    message = '--language ko: its tokeniser is not installed: pip install "sacrebleu[ko]"'
    assert done.stderr == f"hopefear: {message}\n"
    done = run("score", "-r", "ref", "-i", "out", "--language", "korean", status=2)
    assert "expected the code of a language" in done.stderr

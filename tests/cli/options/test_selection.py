from __future__ import annotations

import pytest
from support.run_files import weights

TUNE = ("tune", "-c", "cdec.ini", "-w", "weights", "-s", "in", "-o", "run", "--passes", 2, "--set", "C=1")
TUNE += ("--feature", "RuleIndicators")
DECODE = ("decode", "-c", "cdec.ini", "--feature", "RuleIndicators", "-k", 100)


@pytest.fixture(autouse=True)
def examples(toy):
    (toy / "weights").write_text("p -0.1\n")
    (toy / "in").write_text("la casa ||| the home\ncasa ||| home\nroja ||| red\n")


def indicators(nbest):
    """Names of rule indicators in k-best lists."""
    features = (pair for line in nbest.splitlines() for pair in line.split(" ||| ")[2].split())
    return {pair.split("=")[0] for pair in features if pair.startswith(("R:", "H"))}


def test_a_frequency_cut_off(toy, run):
    done = run(*TUNE, "--min-count", 2)
    names = {name for name in weights(toy / "run" / "weights.final") if name.startswith("R:")}
    assert names
    # in two sentences of the three: the rules of "casa" alone, and the glue rule of one phrase
    in_two = {"R:X:casa:house", "R:X:casa:home", "R:S:NX:N1"}
    assert names <= in_two
    assert "features before the cut-off at 2 sentences: RuleIndicators: 7 names, 7 features" in done.stderr
    assert "features while tuning: RuleIndicators: 7 names, 3 features" in done.stderr
    nbest = run(*DECODE, "-w", "run/weights.final", text="la casa\n").stdout
    assert indicators(nbest) <= names


def test_a_hashed_model_decodes_by_itself(toy, run):
    run(*TUNE, "--hash-bits", 12, "--deny", "R:S:*")
    assert "hash_bits" in (toy / "run" / "weights.pass1").read_text()
    assert any(name.startswith("H12#") for name in weights(toy / "run" / "weights.final"))
    by_itself = run(*DECODE, "-w", "run/weights.final", text="la casa\n").stdout
    told = run(*DECODE, "-w", "run/weights.final", "--hash-bits", 12, "--deny", "R:S:*", text="la casa\n")
    assert by_itself == told.stdout
    assert by_itself.split(" ||| ")[1] == "the home"
    refused = run(*DECODE, "-w", "run/weights.final", "--hash-bits", 11, text="la casa\n", status=2)
    assert "run/weights.final: expected features with hash_bits=11, got hash_bits=12" in refused.stderr


def test_a_hashed_model_is_frozen_as_it_is(toy, run):
    run(*TUNE, "--hash-bits", 12)
    before = indicators(run(*DECODE, "-w", "run/weights.final", text="roja\n").stdout)
    (toy / "none").write_text("")
    frozen = (*DECODE, "-w", "run/weights.final", "--freeze", "none")
    after = indicators(run(*frozen, text="roja\n").stdout)
    assert after == before & set(weights(toy / "run" / "weights.final"))


def test_the_cut_off_skips_sentences_on_which_a_plugin_fails(toy, run):
    (toy / "choosy.py").write_text(CHOOSY)
    choosy = (*TUNE, "--feature", "choosy:Choosy", "--min-count", 2)
    assert "no roja" in run(*choosy, status=2).stderr
    done = run(*choosy, "--on-error", "skip", "--force")
    assert "skipped 1 sentence;" in done.stderr
    assert "features while tuning: Choosy: 2 names, 1 features, 1.0 per sentence" in done.stderr


CHOOSY = """
from hopefear.plugins import EdgeFeatures, FeatureTable

class Choosy(EdgeFeatures):
    def fire(self, edges, segment):
        if "roja" in segment.tokens:
            raise ValueError("no roja")
        pairs = [(e, f"L:{j - i}") for e, (i, j) in enumerate(edges.span.tolist())]
        return FeatureTable.from_pairs(len(edges), pairs)
"""


def test_frozen_to_a_file(toy, run):
    (toy / "known").write_text("R:X:casa:home 1\n")
    run(*TUNE, "--freeze", "known")
    names = set(weights(toy / "run" / "weights.final"))
    assert {name for name in names if name.startswith("R:")} == {"R:X:casa:home"}
    assert indicators(run(*DECODE, "-w", "weights", "--freeze", "known", text="la casa\n").stdout) == {
        "R:X:casa:home"
    }


def test_live_learning_keeps_the_selection(toy, run):
    live = (*DECODE, "-w", "weights", "--learn", "mira", "--save-weights", "learned")
    run(*live, "--allow", "R:X:*", text="la casa ||| the home\n")
    assert '"allow": ["R:X:*"]' in (toy / "learned").read_text()


def test_a_run_is_not_resumed_with_another_selection(toy, run):
    run(*TUNE)
    done = run(*TUNE, "--resume", "--passes", 3, "--deny", "R:S:*", status=2)
    assert "selection" in done.stderr


@pytest.mark.parametrize(
    ("more", "message"), [(["--freeze", "nowhere"], "nowhere"), (["--allow", ""], "allow must be patterns")]
)
def test_what_does_not_fit_is_refused(toy, run, more, message):
    assert message in run(*TUNE, *more, status=2).stderr


def test_a_built_in_feature_function_is_a_line_of_the_configuration(run):
    done = run(*DECODE, "-w", "weights", "--feature", "KLanguageModel lm.arpa", text="la casa\n", status=2)
    message = "KLanguageModel is built in; add feature_function=KLanguageModel lm.arpa to the cdec.ini"
    assert f"--feature KLanguageModel lm.arpa: {message}" in done.stderr
    nothing = run(*DECODE, "-w", "weights", "--feature", " ", text="la casa\n", status=2)
    assert nothing.stderr.startswith("hopefear: ")
    assert "Traceback" not in nothing.stderr

"""Weights that are missing, or that match nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.world import configure

from hopefear.cli import app
from hopefear.decoder import Decoder

Call = Callable[..., tuple[int, str, str]]
UNMATCHED = "these weights match no feature of this configuration: "


@pytest.fixture
def call(toy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command in this process; give its exit status, standard output and standard error."""
    monkeypatch.chdir(toy)
    (toy / "in").write_text("la casa\n")

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            app([*map(str, arguments)])
        return ended.value.code, *capsys.readouterr()

    return run


def decode(call: Call, *options: object) -> tuple[int, str, str]:
    return call("decode", "-c", "cdec.ini", "-i", "in", *options)


def test_no_weights_are_refused_unless_meant(toy: Path, call: Call) -> None:
    status, out, err = decode(call)
    assert (status, out) == (2, "")
    for hint in ("cdec.ini: expected weights", "--weights FILE", "weights=FILE", "--weights none"):
        assert hint in err
    assert decode(call, "--weights", "none") == (0, "the house\n", "")
    (toy / "none").write_text("p 1\n")
    assert decode(call, "--weights", "./none") == (0, "the building\n", "")
    assert decode(call, "--weights", "none", "-k", 1)[1].endswith("||| 0\n")
    for option in ("weights=none", "feature_function2=SourceWordPenalty\nweights2=none"):
        ini = (toy / "cdec.ini").read_text()
        (toy / "two.ini").write_text(f"{ini}{option}\n")
        assert call("decode", "-c", "two.ini", "-i", "in") == (0, "the building\n", ""), option
    assert call("decode", "-c", "two.ini", "-i", "in", "-w", "none", "-k", 1)[0] == 0


def test_a_later_pass_without_weights_has_those_of_the_pass_before(toy: Path) -> None:
    (toy / "weights").write_text("p 1\n")
    configure(
        toy, "feature_function2=SourceWordPenalty", "weights2=weights", "feature_function3=ArityPenalty"
    )
    assert Decoder(toy / "cdec.ini").translate("la casa").viterbi() == "the building"


def test_weights_that_match_nothing_are_named(toy: Path, call: Call) -> None:
    (toy / "typo").write_text("p -1\nWordPenlty 1\nFoo 0\n")
    done = decode(call, "-w", "typo")
    assert done == (0, "the house\n", f"hopefear: typo: {UNMATCHED}WordPenlty (near: WordPenalty)\n")
    (toy / "typo").write_text("p -1\n" + "".join(f"Other_{i} 1\n" for i in range(1234)))
    assert (
        f"{UNMATCHED}Other_0, Other_1, Other_2, Other_3, Other_4 and 1,229 more\n"
        in decode(call, "-w", "typo")[2]
    )
    (toy / "typo").write_text("WordPenlty 1\n")
    status, out, err = decode(call, "-w", "typo")
    assert (status, out) == (2, "")
    assert "typo: no weight matches a feature of this configuration: WordPenlty (near: WordPenalty)" in err
    assert "--weights none" in err


def test_tuning_names_them_too(toy: Path, call: Call) -> None:
    (toy / "typo").write_text("WordPenlty 1\n")
    (toy / "ref").write_text("the home\n")
    for weights, message in (("typo", UNMATCHED), ("none", "")):
        options = ("-s", "in", "-r", "ref", "-o", weights + ".run", "--passes", 1)
        status, _, err = call("tune", "-c", "cdec.ini", "-w", weights, *options)
        assert status == 0
        assert (UNMATCHED in err) == bool(message)


def test_grammars_of_sentences_are_looked_at(toy: Path, call: Call) -> None:
    (toy / "cdec.ini").write_text("formalism=scfg\nfeature_function=WordPenalty\n")
    (toy / "in").write_text('\n<seg grammar="grammar">la casa</seg>\n')
    (toy / "weights").write_text("p -1\na 1\n")
    assert decode(call, "-w", "weights") == (0, "\nthe house\n", "")
    (toy / "weights").write_text("p -1\nb2 1\n")
    status, out, err = decode(call, "-w", "weights")
    assert (status, out) == (0, "\nthe house\n")
    assert f"{UNMATCHED}b2" in err
    (toy / "weights").write_text("q -1\n")
    status, out, err = decode(call, "-w", "weights")
    assert (status, out) == (2, "\n")
    assert "no weight matches" in err
    (toy / "other").write_text("[X] ||| perro ||| dog ||| dogs=1\n")
    (toy / "cdec.ini").write_text("formalism=scfg\ngrammar=grammar\n")
    (toy / "in").write_text('<seg grammar="other">perro</seg>\n')
    (toy / "weights").write_text("p -1\ndogs 1\n")
    assert decode(call, "-w", "weights") == (0, "dog\n", "")
    (toy / "cdec.ini").write_text("formalism=scfg\nfeature_function=WordPenalty\n")
    (toy / "in").write_text('<seg grammar="nowhere">la</seg>\n<seg grammar="grammar">la</seg>\n')
    (toy / "weights").write_text("p -1\n")
    assert decode(call, "-w", "weights", "--on-error", "skip")[:2] == (0, "\nthe\n")


def test_features_of_plugins_match(toy: Path, call: Call) -> None:
    (toy / "weights").write_text("p -1\nR:X:la:the 1\nR#1f 1\nBlow 1\n")
    err = decode(call, "-w", "weights")[2]
    assert f"{UNMATCHED}R:X:la:the, R#1f, Blow" in err
    err = decode(call, "-w", "weights", "--feature", "RuleIndicators")[2]
    assert err == f"hopefear: weights: {UNMATCHED}Blow\n"
    (toy / "anything.py").write_text(
        "from hopefear.plugins import FeatureTable, RuleFeatures\n"
        "class Anything(RuleFeatures):\n"
        "    def fire(self, rules):\n"
        "        return FeatureTable.from_pairs(len(rules), [(0, 'Blow')])\n"
    )
    configure(toy, "feature_function=anything:Anything")
    assert decode(call, "-w", "weights")[2] == ""  # a plugin that does not say what it fires


def test_weights_that_were_learned_match(toy: Path, call: Call) -> None:
    (toy / "weights").write_text("p -0.1\n")
    (toy / "in").write_text(2 * "la casa\n")
    (toy / "ref").write_text(2 * "the home\n")
    data = ("-s", "in", "-r", "ref", "--passes", 2, "--set", "C=1", "--feature", "RuleIndicators")
    for name, *options in (("plain",), ("hashed", "--hash-bits", 8), ("frequent", "--min-count", 2)):
        run = ("tune", "-c", "cdec.ini", "-w", "weights", *data, "-o", name, *options)
        assert call(*run)[0] == 0
        learned = f"{name}/weights.final"
        assert len((toy / learned).read_text().splitlines()) > 2
        status, _, err = decode(call, "-w", learned, "--feature", "RuleIndicators")
        assert (status, err) == (0, ""), name
        frozen = ("-w", learned, "--feature", "RuleIndicators", "--freeze", learned)
        assert decode(call, *frozen)[2] == ""


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["bible-de-en", "bible-es-en", "tanaka/en-ja", "tanaka/ja-en"])
def test_all_weights_of_the_corpora_match(shared: Path, folder: str) -> None:
    place = shared / "data" / folder
    decoder = Decoder(place / "cdec.ini", weights=place / "weights.init")
    decoder.read_weights(place / "weights.tuned")
    assert len(decoder.weights.nonzero()) >= 12
    assert decoder.unmatched_weights() == []


def test_all_weights_of_the_sample_match(sample: Path) -> None:
    assert Decoder(sample / "cdec.ini", weights=sample / "weights.init").unmatched_weights() == []

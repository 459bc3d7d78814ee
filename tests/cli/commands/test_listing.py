"""``hopefear list``, and what is said of names that are unknown."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from hopefear.cli import app
from hopefear.metrics import create_metric
from hopefear.tuners import OnlineTuner
from hopefear.tuners.catalogue import make_tuner
from hopefear.tuners.oracles import create_oracle


def listed(*words: str) -> list[str]:
    done = CliRunner().invoke(app, ["list", *words])
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


def names(kind: str) -> list[str]:
    lines = [re.fullmatch(r"(\S+) +(\S.*)", line) for line in listed(kind)]
    assert all(lines), kind  # each says what it is
    return [line[1] for line in lines]


def test_names_are_those_that_can_be_used():
    assert {"Mira", "Mert", "Hols"} <= set(names("tuners"))
    for name in names("tuners"):
        make_tuner(name)
    assert "Mira" in names("learners") and "Pro" not in names("learners")
    for name in names("learners"):
        assert isinstance(make_tuner(name), OnlineTuner)
    for name in names("metrics"):
        create_metric(name)
    for name in names("oracles"):
        create_oracle(name)
    assert {"SoftSyntax", "KLanguageModel", "RuleIdentityFeatures"} <= set(names("plugins"))
    assert "chiang2008" in names("plans")


def test_everything_by_kind():
    text = "\n".join(listed())
    heads = re.findall(r"^(\w+): ", text, re.MULTILINE)
    assert heads == ["plugins", "tuners", "learners", "metrics", "oracles", "plans"]
    assert re.search(r"^  Mira +MIRA with hope and fear", text, re.MULTILINE)
    assert "`" not in text


def test_a_name_is_described_with_its_settings():
    text = "\n".join(listed("tuners", "Mira"))
    assert text.startswith("Mira: MIRA with hope and fear")
    assert re.search(r"^  trust_region +default: 0.5; above 0$", text, re.MULTILINE) or "trust_region" in text
    assert "By how much an update may change the differences of scores" in text
    assert "  C " in text and "`" not in text
    assert listed("metrics", "Bleu") == plugins("Bleu")


def plugins(*words: str) -> list[str]:
    return CliRunner().invoke(app, ["plugins", *words]).stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("list", "tuners", "Mirra"), "Mirra: unknown tuner, near: Mira"),
        (("list", "plans", "chiang2008"), "expected a kind other than plans to describe chiang2008"),
        (("tune", "-o", "out", "--tuner", "mert2"), "mert2: unknown tuner, near: Mert, "),
        (("tune", "-o", "out", "--oracle", "KBest"), "KBest: unknown oracle, near: KBestLocal"),
        (("tune", "-o", "out", "--metric", "blue"), "blue: unknown metric, near: Bleu"),
        (("score", "-r", "ref", "-m", "blue"), "blue: unknown metric, near: Bleu"),
        (("experiment", "chiang", "-o", "out"), "chiang: unknown plan, near: chiang2008"),
        (("plugins", "SoftSyntx"), "SoftSyntx: unknown name, near: SoftSyntax"),
    ],
)
def test_names_that_are_unknown(words, message):
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 2
    assert done.stderr.startswith(f"hopefear: {message}")

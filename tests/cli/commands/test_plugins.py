"""``hopefear plugins`` and ``hopefear plugins NAME``."""

from __future__ import annotations

import re
from urllib.request import urlopen

import pytest

from hopefear.cli.names import ENGINE
from hopefear.decoder.rescoring import ENGINE_FUNCTIONS


def test_everything_is_listed_with_level_names_and_arguments(run):
    text = run("plugins").stdout
    for level, name in {
        "rule": "RuleIndicators",
        "edge": "SoftSyntax",
        "state": "KLanguageModel",
        "oracle": "ForestHopeFear",
        "metric": "Bleu",
    }.items():
        assert re.search(rf"^{level} +{name} +[A-Z]\S*", text, re.MULTILINE)
    assert re.search(
        r"^edge +StructuralDistortion .*\n +fires Distortion_\* .*; takes --no-glue", text, re.MULTILINE
    )
    assert re.search(r"^rule +RuleIdentityFeatures +The name in cdec of RuleIndicators", text, re.MULTILINE)


def test_every_feature_says_what_it_fires(run):
    lines = run("plugins").stdout.splitlines()
    for line, notes in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith(("rule ", "edge ", "n-gram ", "state ")):
            assert notes.lstrip().startswith("fires "), line


def test_the_engine_s_own_functions_are_known():
    assert {entry.name for entry in ENGINE} == set(ENGINE_FUNCTIONS)


def test_one_is_described(run):
    text = run("plugins", "StructuralDistortion").stdout
    assert text.startswith(
        "StructuralDistortion: edge, hopefear.feature_extractors.structural_distortion:Struct"
    )
    for line in (
        "Fires: Distortion_* DistortionLogProb",
        "  --no-glue                  default: true",
        "  --granularity fine|coarse  default: fine",
        "  --table PATH               default: none",
    ):
        assert line in text.splitlines()
    assert "Line: feature_function=StructuralDistortion [--no-glue] [--goal TEXT]" in text
    assert "required" in run("plugins", "KLanguageModel").stdout
    assert "Line: MaxBleu [--k NUMBER]" in run("plugins", "MaxBleu").stdout


def test_a_class_beside_is_described(run, tmp_path):
    (tmp_path / "described.py").write_text(
        "from hopefear.plugins import RuleFeatures\n\n\n"
        "class Mine(RuleFeatures):\n    '''Says mine.'''\n\n"
        "    def __init__(self, *, sizes: list[int], names: tuple[str, ...] = ('a', 'b')):\n        pass\n\n"
        "    def fire(self, rules):\n        pass\n"
    )
    text = run("plugins", "described:Mine").stdout
    assert "Says mine." in text
    assert "Line: feature_function=described:Mine --sizes NUMBER,... [--names TEXT,...]" in text
    assert "default: a,b" in text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("SoftSyntx", "SoftSyntx: unknown name, near: SoftSyntax"),
        ("WordPenalti", "near: WordPenalty"),
        ("MaxBlue", "near: MaxBleu"),
        ("nowhere:Class", "nowhere:Class: cannot import nowhere"),
    ],
)
def test_unknown_names_list_near_ones(run, name, message):
    assert message in run("plugins", name, status=2).stderr


def test_a_page_of_features_that_are_written(start, toy):
    (toy / "nothing.py").write_text("x = 1\n")
    (toy / "in").write_text("la casa\n")
    process = start("plugins", "watch", "nothing.py", "-c", "cdec.ini", "-w", "weights", "-i", "in")
    address = process.stderr.readline().removeprefix("ready: ").strip()
    with urlopen(address, timeout=60) as answer:
        assert b"prefers-color-scheme: dark" in answer.read()
    with urlopen(f"{address}board", timeout=60) as answer:
        assert b"nothing.py" in answer.read()


def test_a_file_that_is_not_there(run, toy):
    given = ("-c", "cdec.ini", "-w", "weights", "-i", "in")
    done = run("plugins", "watch", "none.py", *given, status=2)
    assert "none.py: expected a file of Python, got none" in done.stderr

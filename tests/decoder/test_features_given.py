"""`Decoder(features=...)`: lines as in a cdec.ini, plugins and their classes; all else is refused at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.other_process import Lengths, elsewhere, translated
from support.world import ARPA, World

from hopefear import Decoder, InputError, RuleFeatures
from hopefear.feature_extractors import RuleIndicators, SoftSyntax
from hopefear.plugins import EdgeFeatures, PluginError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {"trees": "(S (NP (N la)) (VP (V casa)))\n", "lm.arpa": ARPA}
    return World(files=files).write(tmp_path).parent


def features_of(folder: Path, *features: Any, ini: str = "") -> list[Any]:
    (folder / "own.ini").write_text("formalism=scfg\ngrammar=grammar\n" + ini)
    decoder = Decoder(folder / "own.ini", features=features)
    return translated(decoder, {"p": 1.0}, "la casa") + [each.family for each in decoder.feature_report()]


OWN = """\
from hopefear import FeatureTable, RuleFeatures

class Own(RuleFeatures):
    def __init__(self, *, name: str) -> None:
        self.name = name

    def fire(self, rules):
        return FeatureTable.from_pairs(len(rules), [(0, self.name)])
"""


@pytest.mark.parametrize(
    "line",
    [
        "SoftSyntax trees",
        "SoftSyntax trees=trees --granularity coarse",
        "RuleIdentityFeatures",
        "WordPenalty",
        "KLanguageModel -n Small lm.arpa",
        "own_features_given:Own --name Third",
    ],
)
def test_a_line_is_as_in_a_cdec_ini(folder: Path, line: str) -> None:
    (folder / "own_features_given.py").write_text(OWN)
    given = features_of(folder, f"  {line} ")
    assert given == features_of(folder, ini=f"feature_function={line}\n")
    assert given != features_of(folder)


def test_lines_plugins_and_classes_mixed_here_and_elsewhere(folder: Path) -> None:
    features = ["SoftSyntax trees", RuleIndicators, Lengths("L"), "WordPenalty"]
    decoder = Decoder(folder / "cdec.ini", features=features)
    weights = {"LLength": 0.5, "NP=": 1.0}
    here = translated(decoder, weights, "la casa")
    assert {"NP=", "LLength", "WordPenalty", "R:X:casa:house"} <= here[0][1].keys()
    assert [each.family for each in decoder.feature_report()] == ["SoftSyntax", "RuleIndicators", "Lengths"]
    assert elsewhere(translated, decoder, weights, "la casa") == here


class NeedsOne(RuleFeatures):
    def __init__(self, path: str) -> None:
        self.path = path

    def fire(self, rules: Any) -> Any: ...


class Fails(RuleFeatures):
    def __init__(self) -> None:
        raise KeyError("no luck")

    def fire(self, rules: Any) -> Any: ...


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ("SoftSintax", r"^features: SoftSintax: unknown feature function, near: SoftSyntax"),
        ("", "features: : unknown feature function"),
        ("Word\udcff", "features: Word.*: unknown feature function, near: WordSet"),
        ("SoftSyntax --granularity rough", "features: SoftSyntax: .*fine, coarse"),
        ("WordPenalty 3", "features: WordPenalty takes no arguments"),
        ("KLanguageModel none.arpa", "none.arpa: no such file"),
        ("SoftSyntax trees=none", "none: cannot be read"),
        (3, "features: expected a line such as 'SoftSyntax --granularity coarse', a plugin or .*, got 3"),
        (b"SoftSyntax", "expected a line"),
        (None, "expected a line .* got None"),
        (dict, "expected a line .* got <class 'dict'>"),
        (NeedsOne, r"the class NeedsOne needs arguments: give a plugin, NeedsOne\(path=...\)"),
        (EdgeFeatures, "EdgeFeatures: cannot be made: .*abstract"),
        (Fails, "Fails: cannot be made: KeyError: 'no luck'"),
    ],
)
def test_what_is_no_feature_function_is_refused_at_once(folder: Path, feature: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Decoder(folder / "cdec.ini", features=[feature])


@pytest.mark.parametrize("features", ["SoftSyntax trees", SoftSyntax, SoftSyntax(), 3])
def test_features_are_a_sequence(folder: Path, features: Any) -> None:
    with pytest.raises((InputError, TypeError), match=r"features (must be a seq|to be of type Seq)"):
        Decoder(folder / "cdec.ini", features=features)


def test_a_plugin_refuses_its_own_arguments_by_itself(folder: Path) -> None:
    with pytest.raises(PluginError, match="granularity"):
        Decoder(folder / "cdec.ini", features=[SoftSyntax(granularity="rough")])  # type: ignore[arg-type]

"""`import hopefear`: what is at hand, what it costs, and how objects show themselves."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.world import World

import hopefear
import hopefear.metrics
import hopefear.tuners
from hopefear import Decoder, FeatureTable, Lattice, RuleStrings, Segment, Weights, feature_extractors
from hopefear.feature_extractors import RuleShape
from hopefear.plugins import EdgeFeatures, RuleFeatures, StateFeatures

HEAVY = ("scipy", "sacrebleu", "matplotlib", "tqdm", "ray", "hopefear.tuners", "hopefear.metrics")

LATE = ("scipy.sparse", "scipy.optimize", "scipy.special", "hopefear.text.documents")
"""What few tuners need."""


def classes_with(package: Any, method: str) -> list[type]:
    found = [getattr(package, name) for name in package.__all__]
    return [c for c in found if inspect.isclass(c) and not inspect.isabstract(c) and hasattr(c, method)]


TUNERS = [c for c in classes_with(hopefear.tuners, "fit") if c.__module__.startswith("hopefear.tuners")]
METRICS = classes_with(hopefear.metrics, "corpus_stats")


def test_a_decoder_comes_without_what_only_tuners_need(tmp_path: Path) -> None:
    code = f"""
import sys, hopefear
assert "Mira" in dir(hopefear) and "__version__" in dir(hopefear)
print([name for name in {HEAVY} if name in sys.modules], hopefear.__version__)
from hopefear import Mira, Bleu, check_tuner, read_corpus
print([name for name in {LATE} if name in sys.modules])
assert Mira is hopefear.Mira is hopefear.tuners.Mira and Bleu is hopefear.metrics.Bleu
try:
    hopefear.Mera
except AttributeError as error:
    print(error)
"""
    command = [sys.executable, "-c", code]  # not in the checkout, whose folders are named as the packages
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout == f"[] {version('hopefear')}\n[]\nmodule 'hopefear' has no attribute 'Mera'\n"


def test_what_a_user_expects_is_at_hand() -> None:
    names = {c.__name__ for c in [*TUNERS, *METRICS]} | {"check_tuner", "check_plugin", "read_corpus"}
    assert names <= set(hopefear.__all__)
    for name in hopefear.__all__:
        assert getattr(hopefear, name) is not None


def test_every_built_in_class_has_a_name() -> None:
    families = {name: name for name in feature_extractors.__all__} | feature_extractors.CDEC_NAMES
    oracles = [c for c in classes_with(hopefear.tuners, "find") if issubclass(c, hopefear.tuners.Oracle)]
    built_in = {
        "features": {name: f"hopefear.feature_extractors:{kind}" for name, kind in families.items()},
        "metrics": {c.__name__: f"hopefear.metrics:{c.__name__}" for c in METRICS},
        "oracles": {c.__name__: f"hopefear.tuners:{c.__name__}" for c in oracles},
        "tuners": {c.__name__: f"hopefear.tuners:{c.__name__}" for c in TUNERS},
    }
    for group, classes in built_in.items():
        assert classes == {
            entry.name: entry.value
            for entry in entry_points(group=f"hopefear.{group}")
            if entry.dist is not None and entry.dist.name == "hopefear"
        }


CHANGED = {"passes": 3, "updates": 2, "C": 0.25, "seed": 7}


@pytest.mark.parametrize("tuner", TUNERS, ids=lambda tuner: tuner.__name__)
def test_a_tuner_shows_the_settings_that_are_not_as_by_default(tuner: type) -> None:
    assert len(TUNERS) >= 14
    assert repr(tuner()) == f"{tuner.__name__}()"
    known = inspect.signature(tuner).parameters
    changed = {name: value for name, value in CHANGED.items() if name in known}
    found = repr(tuner(**changed))
    assert eval(found, {tuner.__name__: tuner}).__dict__.keys() == tuner().__dict__.keys()
    for name, value in changed.items():
        assert f"{name}={value!r}" in found
    assert found.count("=") == len(changed) >= 2


def test_settings_that_are_long_are_shortened() -> None:
    oracle = hopefear.tuners.KBestLocal(k=5)
    found = repr(hopefear.Mira(oracle=oracle, C=0.05))
    assert found.startswith("Mira(C=0.05, oracle=KBestLocal(k=5")
    assert len(repr(hopefear.Mert(features=["feature"] * 1000))) < 100


WORLD = World(
    lines=["feature_function=WordPenalty", "feature_function=SpanSize"],
    weights={"p": -1.5, "b": -2.0, "WordPenalty": 0.25, "Zero": 0.0, "Small": 0.125},
    plugins=[RuleShape],
)


def test_a_decoder_says_what_it_is_made_of(decoder: Decoder, tmp_path: Path) -> None:
    found = repr(decoder)
    assert found.startswith(f"<Decoder of {tmp_path / 'cdec.ini'}: ")
    assert " rules of grammar; WordPenalty, SpanSize, RuleShape; <Weights: " in found
    assert found.endswith("b=-2, p=-1.5, WordPenalty=0.25, …>>")
    empty = repr(Decoder(formalism="scfg"))
    assert "no grammar; no feature functions; <Weights: " in empty


def test_a_forest_says_its_size_and_its_best_translation(decoder: Decoder) -> None:
    forest = decoder.translate("la casa")
    nodes, edges = len(forest.nodes), len(forest.edges)
    score = f"{forest.viterbi_score():.6g}"
    assert repr(forest) == f"<Hypergraph: {nodes} nodes, {edges} edges, 3 paths, best 'the house' ({score})>"
    assert len(repr(decoder.translate("la " * 50))) < 180


def test_weights_show_the_greatest() -> None:
    assert repr(Weights()) == "<Weights: 0 features>"
    assert repr(Weights({"a": 0.0})) == "<Weights: 1 features>"
    assert repr(Weights({"a": 1.0, "b": -2.0})) == "<Weights: 2 features, b=-2, a=1>"
    many = Weights({f"f{i}": float(i) for i in range(100)})
    assert repr(many) == "<Weights: 100 features, f99=99, f98=98, f97=97, …>"
    many["f3"] = float("nan")
    assert "f99=99" in repr(many)


def test_inputs_and_answers_show_themselves() -> None:
    assert repr(Segment("a b")) == "Segment('a b')"
    long = Segment("word " * 50, references=["x"], id=3, tree="(S " * 50)
    assert repr(long).startswith("Segment('word word") and len(repr(long)) < 250
    assert "id=3, references=('x',), tree=" in repr(long)
    lattice = Lattice.from_tokens("a b")
    assert repr(lattice) == f"<Lattice: 2 columns, 2 arcs, {lattice.plf()}>"
    assert repr(Segment(None, lattice)).startswith("Segment(None, lattice=<Lattice: 2 columns")
    table = FeatureTable.from_pairs(3, [(0, "A"), (0, "B"), (2, "A"), (2, "C"), (2, "D")])
    assert repr(table) == "<FeatureTable: 3 items, 3 rows, 5 entries, names: A, B, C, …>"
    assert repr(FeatureTable.empty(4)) == "<FeatureTable: 4 items, 0 rows, 0 entries, names: none>"
    wrong = np.zeros(0)
    assert repr(FeatureTable(("A",), wrong, wrong, wrong)).startswith("<FeatureTable")
    assert repr(RuleStrings(("w",), np.zeros(3, np.int32), np.zeros(0, np.int32))) == (
        "<RuleStrings: 2 rules, 0 symbols, 1 units>"
    )
    assert repr(RuleStrings(("w",), wrong, wrong)).startswith("<RuleStrings")


SHOWN: list[str] = []


class Rule(RuleFeatures):
    def fire(self, rules: Any) -> FeatureTable:
        SHOWN.append(repr(rules))
        return FeatureTable.empty(len(rules))


class Edge(EdgeFeatures):
    def fire(self, edges: Any, segment: Any) -> FeatureTable:
        SHOWN.extend([repr(edges), repr(edges.groups)])
        return FeatureTable.empty(len(edges))


class State(StateFeatures):
    def fire(self, edges: Any, sentence: Any) -> Any:
        SHOWN.append(repr(edges))
        return FeatureTable.empty(len(edges)), np.zeros((len(edges), 1), np.int64)


def test_batches_show_themselves(decoder: Decoder) -> None:
    SHOWN.clear()
    Decoder(decoder.config, features=[Rule, Edge, State]).translate("la casa")
    rules, edges, groups, *states = SHOWN
    assert rules.startswith("<RuleBatch: ") and rules.endswith(" rules>")
    assert edges.startswith("<EdgeBatch: ") and edges.endswith(" edges, 2 words>")
    assert groups.startswith("<EdgeGroups: ")
    assert states[0].startswith("<StateBatch: ")

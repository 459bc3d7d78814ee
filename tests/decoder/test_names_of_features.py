"""A feature has one source: names of the model, of other plugins, and undeclared names are refused."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from support.command import call

from hopefear import (
    Decoder,
    EdgeFeatures,
    FeatureSelection,
    FeatureTable,
    NgramFeatures,
    RuleFeatures,
    Weights,
)
from hopefear.decoder import FeatureError
from hopefear.grammars.sample import sample_path
from hopefear.plugins import (
    EdgeBatch,
    RuleBatch,
    RuleStrings,
    Segment,
    SentenceGrammar,
    StateBatch,
    StateFeatures,
)

GRAMMAR = "[X] ||| a ||| b ||| p=1\n"


def one(names: tuple[str, ...], items: int) -> FeatureTable:
    return FeatureTable.from_dense(names, np.ones((items, len(names))))


class Rule(RuleFeatures):
    fires: ClassVar[tuple[str, ...]] = ("Span_*", "Other")

    def __init__(self, *names: str) -> None:
        self.names = names

    def fire(self, rules: RuleBatch) -> FeatureTable:
        return one(self.names, len(rules))


class Edge(EdgeFeatures):
    fires: ClassVar[tuple[str, ...]] = ("Span_*", "Other")

    def __init__(self, *names: str) -> None:
        self.names = names

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        return one(self.names, len(edges))


class State(StateFeatures):
    fires: ClassVar[tuple[str, ...]] = ("Span_*", "Other")

    def __init__(self, *names: str) -> None:
        self.names = names

    def fire(self, edges: StateBatch, sentence: Any) -> tuple[FeatureTable, np.ndarray]:
        return one(self.names, len(edges)), np.zeros((len(edges), 1), np.int64)


class Ngram(NgramFeatures):
    fires: ClassVar[tuple[str, ...]] = ("Span_*", "Other")
    order = 1
    boundaries = False

    def __init__(self, *names: str) -> None:
        self.names = names

    def strings(self, rules: RuleBatch) -> RuleStrings:
        symbols = np.where(rules.target > 0, 0, rules.target - 1).astype(np.int32)
        return RuleStrings(self.names, rules.target_indptr.copy(), symbols)


class RuleOfModel(Rule):
    fires: ClassVar[tuple[str, ...]] = ("*",)


class NgramOfModel(Ngram):
    fires: ClassVar[tuple[str, ...]] = ()


LEVELS = [Rule, Edge, State, Ngram]
SELECTIONS = [
    FeatureSelection(),
    FeatureSelection(deny=("Nothing",)),
    FeatureSelection(hash_bits=10),
]


@pytest.fixture
def grammar(tmp_path: Path) -> str:
    (tmp_path / "grammar").write_text(GRAMMAR)
    return str(tmp_path / "grammar")


def decoder(grammar: str, *plugins: Any, **more: Any) -> Decoder:
    lines = ["WordPenalty"]
    return Decoder(formalism="scfg", grammar=grammar, feature_function=lines, features=plugins, **more)


@pytest.mark.parametrize("selection", SELECTIONS, ids=["all", "deny", "hash"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_name_that_a_plugin_does_not_declare_is_refused_whenever_it_fires(
    grammar: str, level: Any, selection: FeatureSelection
) -> None:
    wrong = decoder(grammar, level("Spam_1"), selection=selection)
    message = rf"plugin {level.__name__} fires Spam_1, which it does not declare; near: Span_\*, Other"
    for _ in range(2):
        with pytest.raises(FeatureError, match=rf"^dev:3: sentence 8: {message}$"):
            wrong.translate(Segment("a", id=7, where="dev:3"))
    right = decoder(grammar, level("Span_1"), selection=selection)
    assert len(right.translate("a").viterbi_features()) == 3  # with p and WordPenalty


@pytest.mark.parametrize(
    ("plugin", "name", "source"),
    [
        (RuleOfModel("WordPenalty"), "WordPenalty", "the function WordPenalty"),
        (RuleOfModel("p"), "p", "the grammars"),
        (NgramOfModel("WordPenalty"), "WordPenalty", "the function WordPenalty"),
    ],
    ids=["function", "grammar", "n-gram"],
)
def test_a_name_of_the_model_is_refused_with_both_sources(
    grammar: str, plugin: Any, name: str, source: str
) -> None:
    message = (
        f"plugin {type(plugin).__name__} fires {name}, a feature of {source}: expected a name of its own"
    )
    for _ in range(2):
        with pytest.raises(FeatureError, match=re.escape(message)):
            decoder(grammar, plugin).translate("a")
    # Weights that had the names before the decoder was made; a decoder of another process.
    known = Weights({"p": 1.0, "WordPenalty": 2.0, "Glue": 3.0})
    clash = f"plugin {type(plugin).__name__} fires {name}, a feature of the "
    for other in (
        decoder(grammar, plugin, weights=known),
        pickle.loads(pickle.dumps(decoder(grammar, plugin))),
    ):
        with pytest.raises(FeatureError, match=re.escape(clash)):
            other.translate("a")


def test_a_name_of_a_grammar_of_the_sentence_is_refused(grammar: str) -> None:
    with pytest.raises(FeatureError, match="plugin RuleOfModel fires q, a feature of the model"):
        rules = SentenceGrammar.of(["q"], [(["a"], ["c"], [1.0], [(0, 0)])])
        decoder(grammar, RuleOfModel("q")).translate(Segment("a", rules=rules))


def test_a_name_that_only_weights_list_is_free(grammar: str, tmp_path: Path) -> None:
    Weights({"Span_1": -1.0}).write(tmp_path / "weights")
    for weights in (tmp_path / "weights", Weights({"Span_1": -1.0}), {"Span_1": -1.0}):
        fires = decoder(grammar, Rule("Span_1"), weights=weights)
        assert fires.translate("a").viterbi_features()["Span_1"] > 0
        assert "Span_1" not in fires.model_features()


def test_two_plugins_of_one_feature_are_refused(grammar: str) -> None:
    with pytest.raises(FeatureError, match="plugin Rule 2 fires Other, a feature of plugin Rule: expected"):
        decoder(grammar, Rule("Other"), Rule("Other")).translate("a")
    with pytest.raises(FeatureError, match="plugin Ngram fires Other, a feature of plugin Edge: expected"):
        decoder(grammar, Edge("Other"), Ngram("Other")).translate("a")
    both = decoder(grammar, Rule("Other"), Rule("Span_1"))
    assert both.translate("a").viterbi_features()["Span_1"] > 0
    assert [row.family for row in both.feature_report()] == ["Rule", "Rule 2"]


def test_declared_names_are_near_those_of_weights_that_match_nothing(tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("Distorsion_1 1\nWordPenalty -1\n")
    command = ["decode", "-c", str(sample_path() / "cdec.ini"), "-w", str(tmp_path / "weights")]
    done = call([*command, "--feature", "StructuralDistortion"], b"y dijo dios .\n", tmp_path)
    assert b"Distorsion_1 (near: Distortion_*)" in done.stderr

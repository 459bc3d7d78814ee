"""A string is a text everywhere: split into words where words are wanted, else refused; never characters."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from support import world
from support.world import World

from hopefear.base import InputError
from hopefear.cdec import CdecProcess
from hopefear.decoder import BleuOracle, Decoder, FeatureSelection, Lattice, Segment
from hopefear.decoder.checking import check_plugin
from hopefear.feature_extractors import RuleOwners, SoftSyntax
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import GrammarExtractor
from hopefear.grammars.ngram_counts import count_ngrams
from hopefear.metrics import Bleu, Nist
from hopefear.plugins import (
    FeatureTable,
    NameTable,
    NgramFeatures,
    PluginError,
    RuleBatch,
    RuleFeatures,
    RuleStrings,
    WordTable,
)
from hopefear.plugins.corpus import read_corpus
from hopefear.tuners import Candidates, Hols, Mert, Mira, Pro, read_candidates

WORLD = World(world.grammar(*world.RIGHT), weights={"Right": 1.0})


def test_a_segment_of_a_text_has_its_words(decoder: Decoder) -> None:
    segment = Segment("la casa es verde", tags="DT NN VB JJ", classes=["1", "2", "3", "4"])
    assert segment.tokens == ("la", "casa", "es", "verde")
    assert segment.tags == ("DT", "NN", "VB", "JJ")
    assert segment.classes == ("1", "2", "3", "4")
    assert segment == pickle.loads(pickle.dumps(segment))
    assert Segment(" a\u00a0b \t c\n") == Segment(("a\u00a0b", "c"))
    assert decoder.translate(segment).viterbi() == decoder.translate("la casa es verde").viterbi()
    assert decoder.translate(segment).viterbi() == "the house is green"
    assert Segment("a", references=["x y", "z"]).references == ("x y", "z")


def test_a_lattice_and_a_word_table_of_a_text_have_its_words() -> None:
    assert Lattice.from_tokens("la casa") == Lattice.from_tokens(["la", "casa"])
    table = WordTable(["surface"])
    assert table.numbers("la casa la").tolist() == [0, 1, 0]


class OneName(RuleFeatures):
    fires = "One"  # type: ignore[assignment]

    def fire(self, rules: RuleBatch) -> FeatureTable:
        return FeatureTable.empty(len(rules))


class Letters(NgramFeatures):
    order = 1

    def strings(self, rules: RuleBatch) -> RuleStrings:
        symbols = np.where(rules.target > 0, 0, rules.target - 1).astype(np.int32)
        return RuleStrings("One", rules.target_indptr, symbols)


def of_engine(plugin: Any) -> None:
    Decoder(formalism="scfg", features=[plugin]).translate("a", "[X] ||| a ||| b |||\n")


REFUSED: dict[str, Callable[[], Any]] = {
    "references of a segment": lambda: Segment("a", references="the house"),
    "grammars of a segment": lambda: Segment("a", grammars="grammar.gz"),
    "dependencies of a segment": lambda: Segment("a", dependencies="0"),  # type: ignore[arg-type]
    "with_references": lambda: Segment("a").with_references("the house"),  # type: ignore[arg-type]
    "features of a decoder": lambda: Decoder(formalism="scfg", features="WordPenalty"),
    "translate_all": lambda: Decoder(formalism="scfg").translate_all("la casa"),
    "frequent_features": lambda: Decoder(formalism="scfg").frequent_features("la casa", 1),
    "allow": lambda: FeatureSelection(allow="R:*"),  # type: ignore[arg-type]
    "deny": lambda: FeatureSelection(deny="R:*"),  # type: ignore[arg-type]
    "references of read_corpus": lambda: read_corpus("source", "reference"),
    "references of BleuOracle": lambda: BleuOracle("the house", np.ones(10), 1.0),
    "options of cdec": lambda: CdecProcess("cdec.ini", options="--quiet"),
    "references of prepare": lambda: Bleu().prepare("the house"),
    "references of stats": lambda: Bleu().stats("the house", "the house"),
    "references of one sentence": lambda: Nist().for_corpus(["the house"]),
    "hypotheses of batch": lambda: Bleu().prepare(["a b"]).batch("a b"),
    "hypotheses of corpus_stats": lambda: Bleu().corpus_stats("a", [["a"]]),
    "references of corpus_stats": lambda: Bleu().corpus_stats(["a"], "a"),
    "names of from_dense": lambda: FeatureTable.from_dense("x", np.ones((1, 1))),
    "names of a table": partial(
        FeatureTable("x", *np.zeros((2, 1), np.int32), np.zeros(1)).check, 0, "a plugin"
    ),
    "names_of": lambda: NameTable(lambda key: "One").columns(np.zeros(1, np.int64)),
    "units": lambda: of_engine(Letters()),
    "types": lambda: WordTable("surface"),
    "labels": lambda: SoftSyntax(labels="NP").prepare(),
    "owners": lambda: RuleOwners(owners="number").prepare(),
    "fires": lambda: check_plugin(OneName()),
    "segments of check_plugin": lambda: check_plugin("Arity", segments="la casa"),  # type: ignore[arg-type]
    "corpus": lambda: Mira.paper().fit(Decoder(formalism="scfg"), "la casa"),  # type: ignore[arg-type]
    "segments of a corpus": lambda: Pro().fit(Decoder(formalism="scfg"), ["la casa"]),  # type: ignore[list-item]
    "features of Mert": lambda: Mert(features="Glue").fit_candidates(Candidates(Bleu(), [["the house"]])),
    "dense": lambda: Hols(dense="Glue").fit(Decoder(formalism="scfg"), []),
    "references of candidates": lambda: Candidates(Bleu(), "the house"),
    "paths of read_candidates": lambda: read_candidates("run.kbest", [["the house"]], Bleu()),
    "words of a bitext": lambda: Bitext.from_pairs([("la", ["the"], [(0, 0)])]),
    "words of an extractor": lambda: GrammarExtractor(Bitext.from_pairs([])).add(["la"], "the", []),
    "features of an extractor": lambda: GrammarExtractor(Bitext.from_pairs([]), features="CountEF"),
    "lines of count_ngrams": lambda: count_ngrams("la casa", 2),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED.keys())
def test_one_string_is_refused_where_several_are_wanted(call: Callable[[], Any]) -> None:
    with pytest.raises(
        (ValueError, TypeError), match=r"string|str\b|text|must be (patterns|a sequence of (labels|names))"
    ):
        call()


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match=r"expected tokens to be of type .*, got int"):
        Segment(5)  # type: ignore[arg-type]
    with pytest.raises((InputError, TypeError), match="got list"):
        Decoder(formalism="scfg").translate(["la", "casa"])  # type: ignore[arg-type]
    with pytest.raises(PluginError, match=r"fires must be a tuple of names, such as \('One',\)"):
        check_plugin(OneName())

"""The names of pycdec: each call takes str and UTF-8 bytes, and gives the same."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hopefear.pycdec as cdec
import hopefear.pycdec.score as score
from hopefear.pycdec.configobj import ConfigObj
from hopefear.pycdec.sa import DataArray, decode_words, encode_words, isvar, make_lattice

GRAMMAR = "[X] ||| la ||| the ||| F=1\n[X] ||| casa ||| house ||| F=2\n"


def forest() -> cdec.Hypergraph:
    return cdec.Decoder(formalism="scfg").translate("la casa", grammar=GRAMMAR)


def weighted(values: Any) -> list[tuple[str, float]]:
    decoder = cdec.Decoder(formalism="scfg")
    decoder.weights = values
    return sorted(decoder.weights)


def changed(vector: Any, name: Any) -> tuple[float, bool]:
    vector[name] = 2.0
    return vector[name], name in vector


def with_arc(word: Any) -> str:
    lattice = cdec.Lattice("a b")
    lattice[0] = ((word, 0, 1),)
    return str(lattice)


CALLS: dict[str, Callable[[Callable[[str], Any]], Any]] = {
    "NT": lambda t: (str(cdec.NT(t("X"), 1)), cdec.NT(t("X")) == cdec.NT("X")),
    "TRule": lambda t: str(
        cdec.TRule(t("X"), [t("la"), cdec.NT(t("X"))], [cdec.NTRef(1), t("a")], {t("F"): 1})
    ),
    "TRule of texts": lambda t: str(cdec.TRule(t("X"), t("la [X]"), t("[1] the"), {t("F"): 1})),
    "TRule text": lambda t: str(cdec.TRule(None, None, None, None, text=t("[X] ||| a ||| b ||| F=1;G=2"))),
    "MRule": lambda t: str(cdec.MRule(t("X"), [t("a"), cdec.NT(t("X"))], {t("F"): 1})),
    "SparseVector": lambda t: changed(cdec.SparseVector({t("F"): 1.0}), t("F")),
    "DenseVector": lambda t: changed(cdec.Decoder(formalism="scfg").weights, t("Glue")),
    "tosparse": lambda t: t("F") in cdec.SparseVector({"F": 1.0}).todense().tosparse(),
    "weights": lambda t: weighted({t("F"): 1}),
    "Decoder": lambda t: cdec.Decoder(t("formalism=scfg")).formalism,
    "Decoder options": lambda t: (
        cdec.Decoder(formalism=t("scfg"), feature_function={t("WordPenalty"): t("")}).formalism
    ),
    "translate": lambda t: (
        cdec.Decoder(formalism="scfg").translate(t("la casa"), grammar=t(GRAMMAR)).viterbi()
    ),
    "Lattice": lambda t: str(cdec.Lattice((((t("a"), 0, 1), (t("b"), {t("F"): 1.0}, 1)),))),
    "Lattice of a text": lambda t: str(cdec.Lattice(t("a b"))),
    "Lattice arc": lambda t: with_arc(t("c")),
    "intersect": lambda t: forest().intersect(t("the house")),
    "reweight": lambda t: forest().reweight(cdec.SparseVector({t("F"): 1.0})),
    "Scorer": lambda t: str(score.Scorer(t("IBM_BLEU"))),
    "Scorer of references": lambda t: (
        score.BLEU([t("the house"), t("a house")]).evaluate(t("the house")).score
    ),
    "Scorer of a reference": lambda t: score.TER(t("the house")).evaluate(t("the home")).score,
    "isvar": lambda t: (isvar(t("[X,1]")), isvar(t("X"))),
    "make_lattice": lambda t: make_lattice([t("a"), t("b")]),
    "encode_words": lambda t: decode_words(encode_words([t("a"), t("b")])),
    "DataArray": lambda t: DataArray().get_id(t("a")),
}


@pytest.mark.parametrize("name", CALLS)
def test_bytes_give_what_str_gives(name: str) -> None:
    assert CALLS[name](str.encode) == CALLS[name](str)


@pytest.mark.parametrize("name", ["_cdec", "configobj", "sa._sa", "sa", "score"])
def test_modules_of_pycdec(name: str) -> None:
    module = importlib.import_module(f"hopefear.pycdec.{name}")
    assert all(hasattr(module, each) for each in getattr(module, "__all__", ["ConfigObj"]))


def test_a_vector_without_a_decoder() -> None:
    """Scripts of pycdec's users have no other way to one."""
    module = importlib.import_module("hopefear.pycdec._cdec")
    assert module is getattr(cdec, "_cdec")  # noqa: B009
    vector = module.SparseVector()
    vector["F"] = 2
    assert dict(vector + vector) == {"F": 4.0}
    assert module.Decoder is cdec.Decoder


def test_a_text_is_a_rule_of_words() -> None:
    rule = cdec.TRule("X", "la casa", "the house", {})
    assert (rule.f, rule.e) == (["la", "casa"], ["the", "house"])


@pytest.mark.parametrize("sentence", ["a [", "a [REPORT]", "a [1]", "a [X,1]"])
def test_each_edge_of_a_passed_through_word_has_its_rule(sentence: str) -> None:
    decoder = cdec.Decoder(formalism="scfg", add_pass_through_rules=True)
    found = decoder.translate(sentence, grammar="[X] ||| a ||| b ||| F=1\n")
    word = sentence.split(" ")[1]
    rules = [edge.trule for edge in found.edges]
    assert found.viterbi() == f"b {word}"
    assert word in [symbol for rule in rules for symbol in rule.f]


def test_a_rule_of_a_passed_through_word_makes_no_grammar() -> None:
    decoder = cdec.Decoder(formalism="scfg", add_pass_through_rules=True)
    rules = [edge.trule for edge in decoder.translate("[REPORT]").edges]
    with pytest.raises(ValueError, match="not a nonterminal"):
        cdec.TextGrammar([rule for rule in rules if "[REPORT]" in rule.f]).text()


def test_configurations_are_written_and_read(tmp_path: Path) -> None:
    config = ConfigObj(unrepr=True)
    config.filename = str(tmp_path / "extract.ini")
    config["max_len"], config["a_file"] = 5, "a.bin"
    config.write()
    assert ConfigObj(str(tmp_path / "extract.ini"), unrepr=True) == {"max_len": 5, "a_file": "a.bin"}
    with pytest.raises(ValueError, match="filename"):
        ConfigObj().write()

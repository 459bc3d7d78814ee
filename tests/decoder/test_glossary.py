"""Glossaries: agreed terms win over the rules of the grammar."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import pytest
from support.sessions import LIVE, write_written_system

from hopefear.base import InputError
from hopefear.decoder import Decoder, SentenceGrammar, read_config
from hopefear.decoder.glossary import GLOSSARY, Glossary

TERMS = "verde\temerald\ncasa\tmansion\ncasa verde\tgreenhouse\tone word\nla casa es grande\tit is big\n"

WEIGHTS = {"PassThrough": -2.0, "WordPenalty": -0.1, "Wrong": -0.1, "Unknown": 0.5}


@pytest.fixture
def ini(tmp_path: Path) -> Path:
    path = LIVE.write(tmp_path)
    (tmp_path / "terms.tsv").write_text(TERMS)
    with path.open("a") as file:
        file.write("# hopefear: glossary=terms.tsv\n")
    return path


def decoder_of(ini: Path) -> Decoder:
    return Decoder(ini, weights=WEIGHTS)


def test_terms_win_over_rules_and_long_ones_over_short_ones(ini: Path) -> None:
    decoder = decoder_of(ini)
    assert decoder.translate("la casa es verde").viterbi() == "the mansion is emerald"
    forest = decoder.translate("casa verde")
    assert forest.viterbi() == "greenhouse"
    features = next(forest.kbest_features(1))
    assert features[GLOSSARY] == 2
    assert decoder.translate("la casa es muy verde verde").viterbi() == "the mansion is very emerald emerald"
    assert decoder.translate("es es").viterbi() == "is is"


def test_the_terms_of_a_sentence_are_listed_with_all_translations(ini: Path) -> None:
    glossary = Glossary()
    glossary.read(ini.with_name("terms.tsv"))
    glossary.add("verde", "green one")
    found = glossary.translations(("casa", "verde", "es", "verde"))
    assert found == [((0, 2), ["greenhouse"]), ((3, 4), ["emerald", "green one"])]
    assert glossary.translations(("es", "casa")) == [((1, 2), ["mansion"])]  # no longer term goes on there


def test_inflections_of_terms_are_listed_where_no_term_stands() -> None:
    glossary = Glossary()
    for term in ("byte\tocteto", "Wert\tvalue", "red byte\tocteto rojo", "bytes free\tlibre", "el\tthe"):
        glossary.add(*term.split("\t"))
    assert glossary.inflected(("two", "bytes")) == [((1, 2), ["octeto"])]
    assert glossary.inflected(("des", "Wertes")) == [((1, 2), ["value"])]
    assert glossary.inflected(("reds", "bytes", "bytes")) == [((0, 2), ["octeto rojo"]), ((2, 3), ["octeto"])]
    for words in (("byte",), ("bytes", "free"), ("bytecode",), ("by",), ("els",), ("byte-s",)):
        assert glossary.inflected(words) == []


def test_a_rule_keeps_to_the_terms_of_its_source() -> None:
    glossary = Glossary()
    for term in ("byte\tocteto", "byte\tbaite", "red byte\tocteto rojo"):
        glossary.add(*term.split("\t"))
    assert glossary.keeps(("a", "byte", 1), ("un", "baite", 1))
    assert not glossary.keeps(("a", "byte", 1), ("un", 1, "byte"))
    assert not glossary.keeps(("red", "byte"), ("octeto", "verde"))
    assert glossary.keeps(("red", 1, "bytes"), ("x",))


def test_a_short_term_is_used_where_it_stands_outside_a_long_one(ini: Path) -> None:
    assert decoder_of(ini).translate("casa verde es casa").viterbi() == "greenhouse is mansion"


def test_a_term_may_be_longer_than_the_rules_of_the_decoder(ini: Path) -> None:
    config = read_config(ini)
    config.max_span = 2
    decoder = Decoder(config, weights=WEIGHTS)
    assert decoder.translate("la casa es grande").viterbi() == "it is big"


def test_the_prior_is_above_the_model_and_a_weight_that_is_given_stays(ini: Path) -> None:
    decoder = decoder_of(ini)
    greatest = max(abs(decoder.weights[name]) for name in ("PassThrough", "WordPenalty", "Wrong"))
    assert math.isclose(decoder.weights[GLOSSARY], Glossary.PRIOR * greatest)
    assert GLOSSARY in decoder.model_features()
    given = {**WEIGHTS, GLOSSARY: -1.0}
    assert Decoder(ini, weights=given).translate("la casa").viterbi() == "the house"
    assert decoder.unmatched_weights() == ["Unknown"]


def test_a_replica_has_the_glossary(ini: Path) -> None:
    replica = pickle.loads(pickle.dumps(decoder_of(ini)))
    assert replica.translate("casa verde").viterbi() == "greenhouse"


def test_a_lattice_is_translated_without_terms(ini: Path) -> None:
    assert decoder_of(ini).translate("((('la',0,1),),(('casa',0,1),),)").viterbi() == "the house"


def test_terms_as_written_have_the_tokens_of_the_system(tmp_path: Path) -> None:
    path = write_written_system(tmp_path)
    terms = tmp_path / "terms.tsv"
    terms.write_text("Casa verde\tGreenhouse\nfichero :file:`x`\tfile :file:`x`\n")
    with path.open("a") as file:
        file.write("# hopefear: glossary=terms.tsv\n")
    decoder = decoder_of(path)
    assert decoder.translate("La casa verde.").restored().text.lower() == "the greenhouse."
    shown = decoder.translate("El fichero :file:`a.txt` es verde.").restored()
    assert "file :file:`a.txt`" in shown.text and not shown.complaints


def test_terms_are_found_unless_they_stand_in_longer_ones_only() -> None:
    glossary = Glossary()
    assert not glossary.found(("la", "casa"))
    for source, target in (("casa", "house"), ("casa", "home"), ("la casa", "the house")):
        glossary.add(source, target)
    assert len(glossary) == 2
    assert glossary.found(("la", "casa")) == [("la", "casa")]
    assert glossary.found(("la", "casa", "casa")) == [("la", "casa"), ("casa",)]


@pytest.mark.parametrize(
    ("content", "message"),
    [("casa\n", r"terms\.tsv:1: expected source<TAB>target"), ("x " * 41 + "\ty\n", r"terms\.tsv:1: .*41")],
)
def test_a_wrong_glossary_is_named(ini: Path, content: str, message: str) -> None:
    ini.with_name("terms.tsv").write_text(content)
    with pytest.raises(InputError, match=message):
        decoder_of(ini)
    ini.with_name("terms.tsv").unlink()
    with pytest.raises(InputError, match=r"terms\.tsv: cannot be read"):
        decoder_of(ini)


@pytest.mark.parametrize(
    "rule",
    [
        ([], ["a"], [1.0], []),
        (["a"], [], [1.0], []),
        (["a"], ["b"], [], []),
        (["a"], ["b"], [1.0], [(0, 1)]),
        (["a", 2], ["b", 2], [1.0], []),
        ([1], [1], [1.0], []),
        (["a", 1], ["b"], [1.0], []),
        (["a b"], ["b"], [1.0], []),
        (["a"] * 256, ["b"], [1.0], []),
    ],
)
def test_what_is_no_rule_is_refused(
    rule: tuple[list[str | int], list[str | int], list[float], list[tuple[int, int]]],
) -> None:
    with pytest.raises(ValueError, match="expected"):
        SentenceGrammar.of(["F"], [rule])


def test_a_grammar_is_made_of_rules() -> None:
    rules = [(["la", 1, "es", 2], [2, "is", "the", 1], [0.5, -1.0], [(0, 2), (2, 1)])]
    grammar = SentenceGrammar.of(["F", "G"], rules)
    assert grammar.text() == "[X] ||| la [X,1] es [X,2] ||| [X,2] is the [X,1] ||| F=0.5 G=-1 ||| 0-2 2-1\n"
    (rule,) = grammar
    assert rule.features == {"F": 0.5, "G": -1.0} and rule.alignment == ((0, 2), (2, 1))

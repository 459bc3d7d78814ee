"""Hypergraphs, lattices and rules of pycdec on small cases worked out by hand."""

from __future__ import annotations

import math
import re

import pytest

import hopefear.pycdec as cdec
from hopefear.base import InputError
from hopefear.pycdec import NT, MRule, NTRef, TRule

RULES = [
    TRule("X", ["le", NT("X"), "noir"], ["the", "black", NTRef(1)], {"p": -1.0}, a=[(0, 0), (2, 1)]),
    TRule("X", ["chat"], ["cat"], {"p": -0.5, "q": 2.0}),
    TRule("X", ["chat"], ["tomcat"], {"p": -0.25}),
]


def decode(source: str = "le chat noir", **config: object) -> cdec.Hypergraph:
    decoder = cdec.Decoder(formalism="scfg", **config)
    decoder.weights = {"p": 1.0, "q": 0.125}
    return decoder.translate(source, grammar=RULES)


def test_rules_made_in_python() -> None:
    forest = decode()
    assert forest.npaths == 2
    scores = {h: f.dot(cdec.SparseVector({"p": 1, "q": 0.125})) for h, f in kbest_with_features(forest)}
    assert scores == {"the black cat": -1.25, "the black tomcat": -1.25}


def kbest_with_features(forest: cdec.Hypergraph) -> list[tuple[str, cdec.SparseVector]]:
    return list(zip(forest.kbest(9), forest.kbest_features(9), strict=True))


def test_edges_and_nodes() -> None:
    forest = decode()
    edges = {str(edge.trule.f[0]): edge for edge in forest.edges if len(edge.trule.f) == 3}
    edge = edges["le"]
    assert (len(edge), edge.span, edge.src_span) == (1, (0, 3), (0, 3))
    assert edge.prob == pytest.approx(math.exp(-1.0))
    assert edge.feature_values == cdec.SparseVector({"p": -1.0})
    assert str(edge.trule) == "[X] ||| le [X,1] noir ||| the black [1] ||| p=-1.0"
    assert list(edge.trule.a) == [(0, 0), (2, 1)]
    assert edge.trule.arity == 1


def test_nodes_know_their_edges() -> None:
    forest = decode()
    (edge,) = (edge for edge in forest.edges if len(edge.trule.f) == 3 and edge.trule.f[0] == "le")
    (tail,) = edge.tail_nodes
    assert (tail.cat, tail.span, len(list(tail.in_edges))) == ("X", (1, 2), 2)
    assert list(tail.out_edges) == [edge]
    assert edge.head_node != tail
    assert tail == next(edge.tail_nodes)
    assert len({edge, *tail.out_edges}) == 1
    assert forest.goal.cat == "Goal"
    assert [node.id for node in forest.nodes] == list(range(len(list(forest.nodes))))
    assert forest.goal == list(forest.nodes)[-1]


def test_expectations_are_logarithms() -> None:
    expected = dict(decode().inside_outside())  # the two derivations are as good as each other
    assert expected == pytest.approx({"p": math.log(1.375), "q": math.log(1.0)})


def test_sampled_hypotheses_come_with_exp_of_their_score() -> None:
    for hypothesis, probability, features in decode().sample_hypotheses(20):
        assert hypothesis in ("the black cat", "the black tomcat")
        assert probability == pytest.approx(math.exp(-1.25))
        assert features["p"] in (-1.5, -1.25)


def test_config_by_name_takes_lists_and_dicts() -> None:
    forest = decode(feature_function={"WordPenalty": "", "ArityPenalty": ""}, add_pass_through_rules=True)
    features = dict(forest.viterbi_features())
    assert features["WordPenalty"] == pytest.approx(-3 / math.log(10))
    assert features["Arity_1"] == 1
    assert dict(decode(feature_function=["SourceWordPenalty"]).viterbi_features())["SourceWordPenalty"] < 0


def test_config_as_text() -> None:
    decoder = cdec.Decoder("formalism = scfg\nadd_pass_through_rules = true\n")
    assert decoder.formalism == "scfg"
    assert decoder.translate("a b").viterbi() == "a b"
    assert decoder.translate(b"a b").viterbi() == "a b"


@pytest.mark.parametrize("config", [{}, {"formalism": "tagger9"}, {"formalism": "scfg", "no_option": 1}])
def test_wrong_config(config: dict[str, object]) -> None:
    with pytest.raises(cdec.InvalidConfig):
        cdec.Decoder(**config)


def test_what_cannot_be_translated() -> None:
    decoder = cdec.Decoder(formalism="scfg")
    with pytest.raises(cdec.ParseFailed):
        decoder.translate("unknown words")
    with pytest.raises(TypeError, match="int"):
        decoder.translate(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="TRule"):
        decoder.translate("a", grammar=["[X] ||| a ||| a"])  # type: ignore[list-item]


def test_a_grammar_is_for_one_sentence() -> None:
    decoder = cdec.Decoder(formalism="scfg")
    assert decoder.translate("a", grammar="[X] ||| a ||| b ||| p=1\n").viterbi() == "b"
    with pytest.raises(cdec.ParseFailed):
        decoder.translate("a")


def test_a_rule_has_the_vector_that_it_is_made_with() -> None:
    scores = cdec.SparseVector()
    rule = cdec.TRule("X", ["a"], ["b"], scores)
    scores["F"] = 2
    assert rule.scores is scores and rule.scores["F"] == 2


def test_monolingual_rules_and_text() -> None:
    rule = MRule("X", ["a", NT("X"), "b", NT("Y")], {"f": 2})
    assert str(rule) == "[X] ||| a [X,1] b [Y,2] ||| a [1] b [2] ||| f=2.0"
    again = TRule(None, None, None, None, text=str(rule) + " ||| 0-0 2-2")
    assert str(again) == str(rule)
    assert list(again.a) == [(0, 0), (2, 2)]
    assert again.lhs == NT("X")
    assert dict(TRule("", [], [], {}, text="[X] ||| a ||| b ||| 1 x=2 3").scores) == {
        "PhraseModel_0": 1,
        "x": 2,
        "PhraseModel_2": 3,
    }


@pytest.mark.parametrize(
    "make",
    [
        lambda: TRule("X", ["a b"], ["c"], {}),
        lambda: TRule("X", ["[X,1]"], ["c"], {}),
        lambda: TRule("X", ["a"], ["|||"], {}),
        lambda: TRule("X", [NT("X")], ["c"], {}).line(),
        lambda: TRule("X", ["a"], [NTRef(1)], {}).line(),
        lambda: TRule(None, None, None, None, text="[X] ||| a"),
        lambda: TRule(None, None, None, None, text="X ||| a ||| b ||| c=1"),
        lambda: TRule(None, None, None, None, text="[X] ||| a ||| b ||| c=one"),
    ],
)
def test_what_is_no_rule(make: object) -> None:
    with pytest.raises(ValueError, match="expected"):
        make()  # type: ignore[operator]


PLF = "((('haupt',-2.06655,1),('hauptgrund',-5.71033,2),),(('grund',-1.78709,1),),(('für\\'',0.1,1),),)"


def test_lattice() -> None:
    lattice = cdec.Lattice(PLF)
    assert lattice[0] == (("haupt", -2.06655, 1), ("hauptgrund", -5.71033, 2))
    assert cdec.Lattice(tuple(lattice)) == lattice
    assert cdec.Lattice(str(lattice)) == lattice
    assert tuple(cdec.Lattice("a b")) == ((("a", 0, 1),), (("b", 0, 1),))
    lattice[1] = (("gründe", 0.5, 1), ("x", 0.5, 2))
    assert lattice[1] == (("gründe", 0.5, 1), ("x", 0.5, 2))
    with pytest.raises(InputError, match="an arc that ends within 3 columns"):
        lattice[2] = (("y", 0.5, 2),)
    with pytest.raises(IndexError):
        lattice[3]
    with pytest.raises(TypeError):
        cdec.Lattice(3)  # type: ignore[arg-type]


def test_lattice_as_dot() -> None:
    lines = cdec.Lattice((((('a"b'), 0, 2), ("c", 0, 1)), (("d", 0, 1),))).todot().splitlines()
    assert lines[0] == "digraph lattice {"
    arcs = [line for line in lines if "->" in line]
    assert arcs == ['0 -> 2 [label="a\\"b"];', '0 -> 1 [label="c"];', '1 -> 2 [label="d"];']
    assert lines[-2:] == ["2 [shape=doublecircle]", "}"]


def test_lattice_to_hypergraph_and_back() -> None:
    forest = cdec.Lattice(PLF).as_hypergraph()
    assert forest.npaths == 2
    forest.reweight(cdec.SparseVector({"LatticeCost_0": 1.0}))
    assert forest.plf() == PLF
    assert forest.lattice() == cdec.Lattice(PLF)
    assert forest.viterbi() == "haupt grund für'"


def test_lattice_of_rules_with_several_words() -> None:
    rules = "[S] ||| a ||| x y ||| p=1\n[S] ||| a ||| z ||| p=2\n[S] ||| [S,1] b ||| [1] u v ||| p=3\n"
    decoder = cdec.Decoder(formalism="scfg", scfg_no_hiero_glue_grammar=True)
    decoder.weights = {"p": 1.0}
    lattice = decoder.translate("a b", grammar=rules).lattice()
    assert sorted(paths(lattice, 0)) == [("x y u v", 4.0), ("z u v", 5.0)]


def paths(lattice: cdec.Lattice, position: int) -> list[tuple[str, float]]:
    if position == len(lattice):
        return [("", 0.0)]
    return [
        (f"{word} {rest}".strip(), cost + more)
        for word, cost, distance in lattice[position]
        for rest, more in paths(lattice, position + distance)
    ]


def test_forest_that_is_no_lattice() -> None:
    with pytest.raises(
        InputError, match=re.escape("a forest that is a lattice: rules that add words after one tail")
    ):
        decode().plf()


def test_lattice_input_and_seg_input() -> None:
    decoder = cdec.Decoder(formalism="scfg", add_pass_through_rules=True)
    decoder.weights = {"LatticeCost_0": 1.0}
    assert decoder.translate(cdec.Lattice((((("a"), 1.0, 1), ("b", 2.0, 1)),))).viterbi() == "b"
    assert decoder.translate('<seg id="7">a</seg>').viterbi() == "a"


def test_set_silent() -> None:
    cdec.set_silent(True)

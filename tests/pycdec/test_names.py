"""The names of pycdec: each call takes str and UTF-8 bytes, and gives the same."""

from __future__ import annotations

import gzip
import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hopefear.pycdec as cdec
import hopefear.pycdec.score as score
from hopefear.pycdec import sa
from hopefear.pycdec.configobj import ConfigObj
from hopefear.pycdec.sa import (
    Alignment,
    BiLex,
    DataArray,
    FeatureVector,
    GrammarExtractor,
    Phrase,
    SuffixArray,
    decode_words,
    encode_words,
    isvar,
    make_lattice,
)
from hopefear.pycdec.sa.online import Bilex, get_score_multilex

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
    "Phrase": lambda t: Phrase([t("a"), t("[X,1]")]).strhandle(),
    "FeatureVector": lambda t: str(valued(FeatureVector(), t("F"))),
    "lhs": lambda t: str(changed_rule("lhs", t("S"))),
    "scores": lambda t: str(changed_rule("scores", {t("F"): 2.0})),
    "Grammar name": lambda t: named(cdec.TextGrammar([]), t("g")).name,
    "Bilex": lambda t: linked(t).get_score(t("la"), t("the"), 0),
    "Bilex by sides": lambda t: (linked(t).p_fe(t("casa"), t("house")), linked(t).p_ef(t("house"), t("la"))),
    "get_score_multilex": lambda t: get_score_multilex(t("la"), t("the"), 1, [linked(t)]),
}


def valued(vector: FeatureVector, name: Any) -> FeatureVector:
    vector.set(name, 1.0)
    return vector


def changed_rule(name: str, value: Any) -> cdec.TRule:
    rule = cdec.TRule("X", "la", "the", {})
    setattr(rule, name, value)
    return rule


def named(grammar: cdec.Grammar, name: Any) -> cdec.Grammar:
    grammar.name = name
    return grammar


def linked(text: Callable[[str], Any]) -> Bilex:
    counts = Bilex()
    counts.update([text("la"), text("casa")], [text("the"), text("house")], [(0, 0), (1, 1), (0, 1)])
    return counts


@pytest.mark.parametrize("name", CALLS)
def test_bytes_give_what_str_gives(name: str) -> None:
    assert CALLS[name](str.encode) == CALLS[name](str)


def extracted(folder: Path, text: Callable[[str], Any]) -> list[Any]:
    """What names of files, words and contexts give."""

    def path(name: str) -> Any:
        return text(str(folder / name))

    source = SuffixArray(from_text=path("b"), side=text("source"))
    target = DataArray(from_text=path("b"), side=text("target"))
    links = Alignment(from_text=path("a"))
    for made, name in ((source, "f.bin"), (target, "e.bin"), (links, "a.bin")):
        made.write_binary(path(name))
    lexicon = BiLex(from_data=True, earray=target, fsarray=source, alignment=links)
    lexicon.write_text(path("lex"))
    read = BiLex(from_text=path("lex"))
    counts = Bilex()
    counts.add_bitext(path("a"), path("b"))
    counts.write(path("counts"))
    config = {"f_sa_file": path("f.bin"), "e_file": path("e.bin"), "a_file": path("a.bin")}
    sizes = {"max_len": 5, "max_nt": 2, "max_size": 10, "min_gap": 1}
    extractor = GrammarExtractor({**config, **sizes}, online=True)
    extractor.add_instance(text("es"), text("is"), text("0-0"), text("someone"))
    learned = sorted(map(str, extractor.grammar(text("la es"), text("someone"))))
    extractor.drop_ctx(text("someone"))
    return [
        read.contains_f_word(text("la")),
        read.contains_e_word(text("la")),
        read.get_score(text("la"), text("the"), 0),
        Bilex(path("counts")).fe == counts.fe,
        learned,
        sorted(map(str, extractor.grammar(text("la es"), text("someone")))),
    ]


def test_the_extractor_takes_bytes(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("la casa ||| the house\nla mesa ||| the table\n")
    (tmp_path / "a").write_text("0-0 1-1\n0-0 1-1\n")
    found = extracted(tmp_path, str)
    assert extracted(tmp_path, str.encode) == found
    assert found[:4] == [True, False, 1.0, True]
    assert len(found[4]) > len(found[5]) > 0


def test_rules_of_the_extractor_are_rules_of_a_grammar() -> None:
    rule = sa.Rule("[X]", Phrase(["la"]), Phrase(["the"]), FeatureVector({"F": 1.0}), ((0, 0),))
    assert cdec.TextGrammar([rule]).text() == "[X] ||| la ||| the ||| F=1.0 ||| 0-0\n"
    assert cdec.Decoder(formalism="scfg").translate("la", grammar=[rule]).viterbi() == "the"


PARAMETERS = """
set_silent(yn) Decoder(config_str) Decoder.read_weights(weights,scaling) Decoder.translate(sentence,grammar)
DenseVector() DenseVector.dot(other) DenseVector.tosparse() SparseVector() SparseVector.copy()
SparseVector.dot(other) NT(cat,ref) NTRef(ref) TRule(lhs,f,e,scores,a,text) MRule(lhs,rhs,scores)
TextGrammar(rules) Hypergraph.viterbi() Hypergraph.viterbi_trees() Hypergraph.viterbi_features()
Hypergraph.viterbi_forest() Hypergraph.viterbi_joshua() Hypergraph.kbest(size) Hypergraph.kbest_trees(size)
Hypergraph.kbest_features(size) Hypergraph.unique_kbest(size) Hypergraph.unique_kbest_trees(size)
Hypergraph.unique_kbest_features(size) Hypergraph.sample(n) Hypergraph.sample_hypotheses(n)
Hypergraph.sample_trees(n) Hypergraph.intersect(inp) Hypergraph.prune(beam_alpha,density) Hypergraph.lattice()
Hypergraph.plf() Hypergraph.reweight(weights) Hypergraph.inside_outside() Lattice(inp) Lattice.todot()
Lattice.as_hypergraph() score.CandidateSet(evaluator) score.CandidateSet.add_kbest(hypergraph,k)
score.SegmentEvaluator.evaluate(sentence) score.SegmentEvaluator.candidate_set() score.Scorer(name)
score.Scorer.__call__(refs) score.Metric() score.Metric.__call__(refs) score.Metric.score(stats)
score.Metric.evaluate(hyp,refs) sa.DataArray(from_binary,from_text,side,use_sent_id)
sa.DataArray.get_sentence_id(i) sa.DataArray.get_sentence(i) sa.DataArray.get_id(word)
sa.DataArray.get_sentence_bounds(loc) sa.DataArray.write_text(filename) sa.DataArray.write_binary(filename)
sa.SuffixArray(from_binary,from_text,side) sa.SuffixArray.write_text(filename)
sa.SuffixArray.write_binary(filename) sa.Alignment(from_binary,from_text) sa.Alignment.get_sent_links(sent_id)
sa.Alignment.alignment(i) sa.Alignment.write_text(filename) sa.Alignment.write_binary(filename)
sa.BiLex(from_text,from_data,from_binary,earray,fsarray,alignment) sa.BiLex.contains_e_word(eword)
sa.BiLex.contains_f_word(fword) sa.BiLex.get_score(fword,eword,col) sa.BiLex.write_text(filename)
sa.BiLex.write_binary(filename) sa.Phrase(words) sa.Phrase.handle() sa.Phrase.strhandle() sa.Phrase.arity()
sa.Phrase.getvarpos(i) sa.Phrase.getvar(i) sa.Phrase.clen(k) sa.Phrase.getchunk(ci)
sa.Phrase.iterspans(nt_flag,to_str) sa.Rule(lhs,f,e,scores,word_alignments) sa.Rule.arity()
sa.Rule.alignments() sa.FeatureVector() sa.FeatureVector.set(name,value) sa.isvar(sym) sa.make_lattice(words)
sa.decode_lattice(lattice) sa.decode_sentence(lattice) sa.encode_words(words) sa.decode_words(syms)
sa.GrammarExtractor(config,online,features) sa.GrammarExtractor.grammar(sentence,ctx_name)
sa.GrammarExtractor.add_instance(sentence,reference,alignment,ctx_name)
sa.GrammarExtractor.drop_ctx(ctx_name) sa.feature(fn) sa.annotator(fn) sa.annotate(sentence) sa.configure(fn)
sa.features.EgivenF(ctx) sa.features.CountEF(ctx) sa.features.SampleCountF(ctx)
sa.features.EgivenFCoherent(ctx) sa.features.CoherenceProb(ctx) sa.features.MaxLexEgivenF(ttable)
sa.features.MaxLexFgivenE(ttable) sa.features.IsSingletonF(ctx) sa.features.IsSingletonFE(ctx)
sa.features.IsNotSingletonF(ctx) sa.features.IsNotSingletonFE(ctx) sa.features.IsFEGreaterThanZero(ctx)
sa.online.Bilex(in_f) sa.online.Bilex.get_score(f,e,dir) sa.online.Bilex.p_fe(f,e) sa.online.Bilex.p_ef(e,f)
sa.online.Bilex.update(f_words,e_words,links) sa.online.Bilex.add_bitext(alignment_f,text_f,target_text_f)
sa.online.Bilex.write(out_f) sa.online.Bilex.read(in_f) sa.online.get_score_multilex(f,e,dir,bilex_list)
sa._sa.monitor_cpu() sa._sa.gzip_or_text(filename)
""".split()  # noqa: SIM905
"""The calls of pycdec with their parameters, read off its sources."""


@pytest.mark.parametrize("call", PARAMETERS)
def test_calls_take_the_parameters_of_pycdec(call: str) -> None:
    path, _, names = call.removesuffix(")").partition("(")
    called: Any = cdec
    for name in path.split("."):
        called = getattr(called, name)
    owner = path.split(".")[-2:-1]
    is_method = bool(owner) and owner[0][0].isupper()
    parameters = [*inspect.signature(called).parameters.values()][is_method:]
    wanted = names.split(",") if names else []
    assert [each.name for each in parameters][: len(wanted)] == wanted
    assert all(
        each.default is not each.empty or each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
        for each in parameters[len(wanted) :]
    )


def test_the_clock_and_the_reader_of_the_extractor(tmp_path: Path) -> None:
    """Scripts like cdec's own use both."""
    extension = importlib.import_module("hopefear.pycdec.sa._sa")
    assert extension.monitor_cpu() > 0
    for name, content in (("a.gz", gzip.compress("é\n".encode())), ("a", "é\n".encode())):
        (tmp_path / name).write_bytes(content)
        for path in (str(tmp_path / name), str(tmp_path / name).encode()):
            with extension.gzip_or_text(path) as file:
                assert [*file] == ["é\n"]


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

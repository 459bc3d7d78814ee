"""Views: derivations as trees, comparisons, tables and drawings."""

from __future__ import annotations

import re
from functools import partial
from html import unescape
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from support import world
from support.small_sample import small_sample
from support.world import World

from hopefear import Decoder, Hypergraph, Segment, pycdec
from hopefear.decoder.views import (
    ShownTranslation,
    TreeNode,
    alternatives,
    compare,
    derivation_tree,
    explain,
    forest_dot,
    forest_html,
)
from hopefear.tuners import Mira

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def decoder() -> Decoder:
    sample = small_sample()
    return Decoder(sample / "cdec.ini", weights=sample / "weights.init")


@pytest.fixture(scope="module")
def corpus() -> list[Segment]:
    sources, references = (
        (small_sample() / f"dev.{side}").read_text("utf-8").splitlines()[:20] for side in ("es", "en.0")
    )
    pairs = zip(sources, references, strict=True)
    return [Segment(source, id=i, references=(reference,)) for i, (source, reference) in enumerate(pairs)]


def nodes(tree: TreeNode) -> list[TreeNode]:
    return [node for _, node in tree.walk()]


def toy_decoder(folder: Path, grammar: str = world.COSTS, **options: object) -> Decoder:
    return World(grammar).decoder(folder, {"p": -1.0}, **options)


def test_explanations_agree_with_pycdec(decoder: Decoder, corpus: list[Segment]) -> None:
    sample = small_sample()
    old = pycdec.Decoder(
        (sample / "cdec.ini")
        .read_text()
        .replace("grammar=", f"grammar={sample}/")
        .replace("KLanguageModel ", f"KLanguageModel {sample}/")
    )
    old.read_weights(str(sample / "weights.init"))
    for segment in corpus:
        assert segment.tokens is not None
        forest = old.translate(" ".join(segment.tokens))
        found = explain(decoder, segment)
        assert found.text == forest.viterbi()
        assert found.score == pytest.approx(forest.viterbi_features().dot(old.weights))
        assert {one.feature: one.value for one in found.features} == pytest.approx(
            {name: value for name, value in dict(forest.viterbi_features()).items() if value}
        )


def test_what_changes_no_score_is_left_out(tmp_path: Path) -> None:
    grammar = """\
[X] ||| la ||| the ||| p=1 q=1 r=0.1
[X] ||| casa ||| house ||| p=1 q=2 r=0.2
[X] ||| casa ||| home ||| p=1 q=1 r=0.7
"""
    decoder = World(grammar).decoder(tmp_path, {"p": -1.0, "q": 0.0, "r": -2.0, "Glue": 1e-13})
    found = explain(decoder, "la casa", rivals=["the home"])
    assert [one.feature for one in found.features] == ["p", "r"]
    comparison = found.rivals[0].comparison
    assert comparison is not None
    assert [one.feature for one in comparison.differences] == ["r"]
    assert "q" in {one.feature for node in nodes(found.tree) for one in node.features}
    same = compare(decoder.translate("la casa"), *[decoder.translate("la casa").best()] * 2)
    assert "No feature makes a difference." in str(same) and "No feature" in same._repr_html_()


def test_doubtful_words_are_shaded_in_the_text() -> None:
    shown = ShownTranslation(
        "He said: <no>!", 0.0, [(9, 13), (3, 7), (0, 2), (13, 13)], [0.25, 0.5, 0.9, 0.1], [], []
    )
    page = shown._repr_html_()
    assert unescape(re.sub("<.*?>", "", page)) == shown.text
    assert re.findall('([0-9.]+)[)]">(.*?)</span>', page) == [("0.50", "&lt;no&gt;")]
    assert shown.doubts()[0] == ("<no>", 0.25)


def test_a_tree_adds_up(decoder: Decoder, corpus: list[Segment]) -> None:
    for segment in corpus:
        forest = decoder.translate(segment)
        for derivation in forest.derivations(3):
            tree = derivation_tree(forest, derivation)
            assert tree.text == forest.text(derivation)
            assert sum(node.score for node in nodes(tree)) == pytest.approx(forest.score(derivation))
            total: dict[str, float] = {}
            for node in nodes(tree):
                assert node.score == pytest.approx(sum(one.product for one in node.features))
                for one in node.features:
                    total[one.feature] = total.get(one.feature, 0.0) + one.value
            features = forest.features(derivation)
            assert {name: value for name, value in total.items() if abs(value) > 1e-9} == pytest.approx(
                features
            )
            words = sorted((part.span, part.text) for node in nodes(tree) for part in node.words)
            assert segment.tokens is not None
            assert " ".join(text for _, text in words) == " ".join(segment.tokens)


def test_a_chain_of_glue_is_one_node(tmp_path: Path) -> None:
    tree = derivation_tree(toy_decoder(tmp_path).translate("la casa la casa"))
    (glue,) = tree.children
    assert glue.rule is None
    assert [child.source_side for child in glue.children] == ["la", "casa", "la", "casa"]
    assert [line[: line.index("–") + 2] for line in str(tree).splitlines()] == [
        "Goal 0–4",
        "└─ S 0–4",
        *["   ├─ X 0–1", "   ├─ X 1–2", "   ├─ X 2–3", "   └─ X 3–4"],
    ]


def test_a_rule_that_fires_glue_and_has_words_is_a_rule(tmp_path: Path) -> None:
    grammar = """\
[X] ||| la ||| the ||| p=1
[X] ||| casa ||| house ||| p=1 Glue=1
[S] ||| [S,1] y [X,2] ||| [2] and [1] ||| p=1 Glue=1
[S] ||| [S,1] [X,2] ||| [2] [1] ||| p=-1 Glue=1
"""
    forest = toy_decoder(tmp_path, grammar).translate("la y casa la")
    tree = derivation_tree(forest)
    assert tree.text == forest.viterbi() == "the house and the"
    outer, inner = nodes(tree)[1:3]
    assert (outer.source_side, outer.target_side) == ("[S,1] [X,2]", "[2] [1]")
    assert (inner.source_side, inner.target_side) == ("[S,1] y [X,2]", "[2] and [1]")
    assert [word.text for node in nodes(tree) for word in node.words] == ["y", "la", "casa", "la"]


def test_a_comparison_adds_up(decoder: Decoder, corpus: list[Segment]) -> None:
    segment = corpus[0]
    forest = decoder.translate(segment)
    first, second = forest.derivations(2)
    found = compare(forest, first, second)
    assert found.difference == pytest.approx(forest.score(first) - forest.score(second))
    assert found.difference == pytest.approx(sum(one.product for one in found.differences))
    sizes = [abs(one.product) for one in found.differences]
    assert sizes == sorted(sizes, reverse=True)
    lists = Mira.paper().hypotheses(decoder, forest, segment)
    both = compare(forest, lists.hope, lists.fear, names=("hope", "fear"))
    assert both.texts == (lists.hope.texts[0], lists.fear.texts[0])
    assert both.scores == pytest.approx((lists.hope.model[0], lists.fear.model[0]))
    assert "hope" in str(both).splitlines()[0]


def test_why_a_reference_is_behind(tmp_path: Path) -> None:
    decoder = toy_decoder(tmp_path)
    segment = Segment("la casa roja", references=("the home red",))
    found = explain(decoder, segment, rivals=["red the zebra", "red the house house"])
    reference, unknown, order = found.rivals
    assert found.text == "the red house"
    assert reference.comparison is not None
    assert reference.tree is not None
    assert reference.comparison.difference == pytest.approx(1)  # p: 3 against 4
    assert reference.verdict == "Its score is lower by 1.0000."
    assert unknown.unknown == ("zebra",)
    assert "zebra" in unknown.verdict
    assert order.comparison is None
    assert order.unknown == ()
    assert "rules produce each of its words" in order.verdict


def test_a_search_error_is_told(corpus: list[Segment]) -> None:
    sample = small_sample()
    narrow = Decoder(sample / "cdec.ini", weights=sample / "weights.init")
    for settings in narrow.config.passes:
        settings.pop_limit = 1
    wide = Decoder(sample / "cdec.ini", weights=sample / "weights.init")
    verdicts = []
    for segment in corpus:
        better = wide.translate(segment).viterbi()
        assert segment.tokens is not None
        verdicts += [one.verdict for one in explain(narrow, Segment(segment.tokens), rivals=[better]).rivals]
    assert any("the search missed it" in verdict for verdict in verdicts)


def test_forests_as_graphs(tmp_path: Path) -> None:
    grammar = '[X] ||| a ||| <script>alert(1)</script>&" ||| p=1\n[X] ||| [X,1] b ||| b [X,1] ||| p=1\n'
    forest = toy_decoder(tmp_path, grammar).translate("a b")
    drawn = forest._repr_html_()
    assert drawn is not None
    assert "<script" not in drawn
    graph = ET.fromstring(drawn.split("</svg>")[1] + "</svg>")
    assert len(graph.findall(f".//{SVG}rect")) == len(forest.nodes)
    assert len(graph.findall(f".//{SVG}circle")) == len(forest.edges)
    dot = forest_dot(forest)
    assert dot.count(" [label=") == len(forest.nodes)
    assert dot.count("shape=plain") == len(forest.edges)
    assert '\\"' in dot


def test_a_large_forest_is_drawn_as_a_derivation_only(decoder: Decoder, corpus: list[Segment]) -> None:
    forest = max((decoder.translate(segment) for segment in corpus), key=lambda one: len(one.nodes))
    assert forest_html(forest).count("<svg") == 1


def test_tables(decoder: Decoder, corpus: list[Segment]) -> None:
    forest: Hypergraph = decoder.translate(corpus[0])
    table = forest.kbest_table(3)
    assert [row["translation"] for row in table.records()] == list(forest.unique_kbest(3))
    assert [row["rank"] for row in table.records()] == [1, 2, 3]
    assert table.records()[0]["LanguageModel"] == forest.viterbi_features()["LanguageModel"]
    assert forest.kbest_table(3, features=False).columns == ("rank", "translation", "score")
    html = ET.fromstring(table._repr_html_())
    assert len(html.findall("./tbody/tr")) == 3
    lines = str(table).splitlines()
    assert len(lines) == 4
    assert lines[1].split()[0] == "1"


def test_explanations_as_text_page_and_json(decoder: Decoder, corpus: list[Segment]) -> None:
    found = explain(decoder, corpus[0], oracle=partial(Mira.paper().hypotheses, decoder), k=3)
    assert list(found.lists) == ["k-best", "hope", "fear"]
    assert [one.title for one in found.comparisons] == ["Best against hope", "Hope against fear"]
    record, text, html = found.record(), str(found), found._repr_html_()
    for part in (found.text, found.rivals[0].verdict, *found.lists["hope"].records()[0].values()):
        assert f"{part:.5g}" if isinstance(part, float) else str(part) in text
    assert record["derivation"]["text"] == found.text
    assert [one["rank"] for one in record["lists"]["fear"]] == [1, 2, 3]
    trees = [found.tree, *found.others.values(), *(one.tree for one in found.rivals if one.tree is not None)]
    assert list(found.others) == ["hope", "fear"]
    assert html.count('class="derivation"') == html.count('type="radio"') == len(trees)
    for name, tree in found.others.items():
        assert tree.text == found.lists[name].records()[0]["translation"]


def test_frames(decoder: Decoder, corpus: list[Segment]) -> None:
    table = decoder.translate(corpus[0]).kbest_table(2)
    assert list(table.to_frame()["translation"]) == [row["translation"] for row in table.records()]
    weights = decoder.weights.to_frame()
    assert dict(zip(weights["feature"], weights["weight"], strict=True)) == decoder.weights.nonzero()
    sizes = weights["weight"].abs()
    assert list(sizes) == sorted(sizes, reverse=True)
    passes = Mira.paper(passes=2).fit(Decoder(decoder.config, weights=decoder.weights.nonzero()), corpus[:3])
    assert list(passes.to_frame()["score"]) == [record.score for record in passes.passes_]


def test_alternatives_are_those_of_the_best_derivations_of_each_edge(tmp_path: Path) -> None:
    more = "[X] ||| casa roja ||| crimson home ||| p=3\n[X] ||| la ||| her ||| p=2\n"
    forest = toy_decoder(tmp_path, world.COSTS + more).translate("la casa roja")
    derivations, arity = list(forest.derivations(10_000)), np.diff(forest.edges.tail_indptr)
    for span in [(begin, end) for begin in range(3) for end in range(begin + 1, 4)]:
        best: dict[int, tuple[float, str]] = {}  # of each edge over the span: the best derivation that has it
        for derivation in derivations:
            for place, edge in enumerate(derivation.tolist()):
                if tuple(forest.edges.span[edge]) == span and edge not in best:
                    end, missing = place, 1
                    while missing:
                        missing += int(arity[derivation[end]]) - 1
                        end += 1
                    best[edge] = forest.score(derivation), derivation_tree(forest, derivation[place:end]).text
        expected: dict[str, float] = {}
        for score, text in best.values():
            expected[text] = max(score, expected.get(text, score))
        found = alternatives(forest, span, 100)
        assert {one.text: one.score for one in found} == pytest.approx(expected)
        assert [one.score for one in found] == sorted(expected.values(), reverse=True)
    assert [one.text for one in alternatives(forest, (1, 3), 2)] == ["red house", "crimson home"]
    assert alternatives(forest, (0, 9), 5) == []

"""Forests as arrays, tables and graphs, and in other processes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from hopefear import Decoder, FeatureTable, Hypergraph, PluginError
from hopefear.decoder.views import forest_graph

GRAMMAR = """\
[X] ||| a ||| red ||| f=1
[X] ||| a ||| rose ||| f=0.5
[X] ||| [X,1] b ||| house [1] ||| f=1.25 g=2 ||| 1-0
"""


@pytest.fixture
def forest() -> Hypergraph:
    return Decoder(formalism="scfg", weights={"f": 1.0, "g": 0.5}).translate("a b", GRAMMAR)


def test_features_are_a_matrix(forest: Hypergraph) -> None:
    edges, weights = forest.edges, forest.weights
    assert edges.features.shape == (len(edges), len(weights))
    assert edges.features @ weights.array == pytest.approx(edges.score)
    for edge in range(len(edges)):
        row = edges.features[[edge]]
        assert dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) == edges.features_of(edge)


def test_edges_as_a_table(forest: Hypergraph) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    table = forest.edges.to_frame()
    edge = table.index[table["rule"].str.contains("house")][0]
    row = table.loc[edge]
    assert row["rule"] == str(forest.rule(edge)) == "[X] ||| [X,1] b ||| house [1] ||| f=1.25 g=2 ||| 1-0"
    assert (row["begin"], row["end"], row["tails"]) == (0, 2, forest.edges.tails_of(edge))
    assert forest.edges.words[edge] == 1
    assert [repr(forest.edges), repr(forest.nodes)] == [
        f"<Edges: {len(table)}>",
        f"<Nodes: {len(forest.nodes)}>",
    ]


def test_a_forest_in_another_process(forest: Hypergraph) -> None:
    for sent in (forest, forest.consensus()):
        received = pickle.loads(pickle.dumps(sent))
        assert type(received) is Hypergraph
        assert list(received.kbest(9)) == list(sent.kbest(9))
        assert [*map(received.score, received.derivations(9))] == [*map(sent.score, sent.derivations(9))]
        assert received.confidence == sent.confidence
        assert received.word_confidence() == pytest.approx(sent.word_confidence())
        received.reweight()
        assert received.viterbi_score() == pytest.approx(forest.viterbi_score())
        assert received.viterbi_features() == forest.viterbi_features()


def test_more_features(forest: Hypergraph) -> None:
    indicator = (forest.edges.words > 0).astype(float)[:, None]
    more = forest.with_features(FeatureTable.from_dense(("Words",), indicator))
    assert more.edges.score == pytest.approx(forest.edges.score)
    assert more.viterbi_features() == {**forest.viterbi_features(), "Words": 2.0}
    assert "Words" not in forest.viterbi_features()
    forest.weights["Words"] = -3.0
    more.reweight()
    assert more.viterbi_score() == pytest.approx(forest.viterbi_score() - 6)
    with pytest.raises(PluginError, match=f"expected {len(indicator)} rows"):
        forest.with_features(FeatureTable.from_dense(("Words",), np.ones((1, 1))))


def test_a_forest_as_a_graph(forest: Hypergraph) -> None:
    pytest.importorskip("networkx", reason="networkx is not installed")
    graph = forest_graph(forest)
    assert graph.number_of_nodes() == len(forest.nodes) + len(forest.edges)
    assert graph.number_of_edges() == len(forest.edges) + len(forest.edges.tails)
    edge = int(forest.best()[0])
    assert list(graph.successors(("edge", edge))) == [("node", int(forest.edges.head[edge]))]
    assert list(graph.predecessors(("edge", edge))) == [("node", n) for n in forest.edges.tails_of(edge)]

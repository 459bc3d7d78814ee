from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from hopefear.base import InputError
from hopefear.decoder import Decoder, Hypergraph, Weights
from hopefear.grammars.sample import sample_path

# As in docs/use/forest-json.md, with a second way to say "house".
DOCUMENT = {
    "format": "hopefear forest",
    "version": 1,
    "source_length": 2,
    "rules": [
        {"lhs": "X", "source": ["la"], "target": ["the"], "features": {"Count": 1.5}, "alignment": [[0, 0]]},
        {"lhs": "X", "source": [["X", 1], "casa"], "target": [1, "house"], "features": {}, "alignment": []},
        {
            "lhs": "X",
            "source": [["X", 1], "casa"],
            "target": [1, "home"],
            "features": {"Count": 1},
            "alignment": [],
        },
        {"lhs": "Goal", "source": [["X", 1]], "target": [1], "features": {}, "alignment": []},
    ],
    "nodes": [
        {"category": "X", "span": [0, 1]},
        {"category": "X", "span": [0, 2]},
        {"category": "Goal", "span": [0, 2]},
    ],
    "edges": [
        {"head": 0, "tails": [], "rule": 0, "features": {"WordPenalty": -0.5, "Count": 0.25}, "score": 0.25},
        {"head": 1, "tails": [0], "rule": 1, "features": {"LanguageModel": -1.5}, "score": -1.5},
        {"head": 1, "tails": [0], "rule": 2, "features": {"LanguageModel": -2}, "score": -2.0},
        {"head": 2, "tails": [1], "rule": 3, "features": {}, "score": 0.0},
    ],
}


def write(folder: Path, document: object) -> Path:
    path = folder / "f.json"
    path.write_text(json.dumps(document))
    return path


def test_a_document_is_read(tmp_path):
    forest = Hypergraph.read(write(tmp_path, DOCUMENT), Weights())
    assert list(forest.kbest(5)) == ["the house", "the home"]
    assert list(forest.kbest_features(5)) == [
        {"Count": 1.75, "LanguageModel": -1.5, "WordPenalty": -0.5},
        {"Count": 2.75, "LanguageModel": -2.0, "WordPenalty": -0.5},
    ]
    assert [forest.score(d) for d in forest.derivations(5)] == [-1.25, -1.75]
    assert forest.trees(forest.best()) == ("(X (X la) casa)", "(X (X the) house)")
    assert forest.npaths == 2


@pytest.mark.parametrize("number", [-1, 0, 1000, 2**31 - 1])
def test_a_number_of_no_category(tmp_path, number):
    forest = Hypergraph.read(write(tmp_path, DOCUMENT), Weights())
    assert [forest.category(n) for n in forest.nodes.category] == ["X", "X", "Goal"]
    with pytest.raises(IndexError):
        forest.category(number)


def test_reweight_goes_by_the_features(tmp_path):
    weights = Weights({"Count": 1.0})
    forest = Hypergraph.read(write(tmp_path, DOCUMENT), weights)
    forest.reweight()
    assert forest.viterbi() == "the home"
    assert forest.viterbi_score() == 2.75


def test_what_is_written_is_what_was_read(tmp_path):
    forest = Hypergraph.read(write(tmp_path, DOCUMENT), Weights())
    forest.write(tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == DOCUMENT


@pytest.mark.parametrize("name", ["f.json", "f.json.gz"])
@pytest.mark.parametrize("rescored", [False, True])
def test_a_forest_of_the_sample_comes_back(tmp_path, name, rescored):
    sample = sample_path()
    decoder = Decoder(sample / "cdec.ini", weights=sample / "weights.init")
    source = (sample / "dev.es").read_text("utf-8").splitlines()[5]
    forest = (decoder.translate if rescored else decoder.parse)(source)
    forest.write(tmp_path / name)
    again = Hypergraph.read(tmp_path / name, Weights())
    assert len(again.nodes) == len(forest.nodes)
    assert again.npaths == forest.npaths
    assert list(again.kbest(20)) == list(forest.kbest(20))
    assert [*map(again.trees, again.derivations(20))] == [*map(forest.trees, forest.derivations(20))]
    assert [again.score(d) for d in again.derivations(20)] == [
        forest.score(d) for d in forest.derivations(20)
    ]
    for ours, theirs in zip(again.kbest_features(20), forest.kbest_features(20), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)
    assert all(again.rule(e) == forest.rule(e) for e in range(0, len(forest.edges), 7))
    again.prune(density=2)
    again.reweight(Weights())
    assert again.intersect(again.viterbi())


def change(path: str, value: object) -> dict[str, object]:
    """Set what a path such as ``edges.1.tails`` leads to; `...` deletes it."""
    document = copy.deepcopy(DOCUMENT)
    *way, last = (int(key) if key.isdigit() else key for key in path.split("."))
    place = document
    for key in way:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", "other", '"format": "hopefear forest"'),
        ("version", 2, '"version": 1'),
        ("source_length", 1, "node 1: expected a span inside the source's 1 positions"),
        ("source_length", -1, "source length"),
        ("source_length", "2", "source_length: expected a whole number, got text"),
        ("nodes", [], "at least one node"),
        ("nodes", {}, "nodes: expected a list"),
        ("nodes.0.span", [1, 0], "node 0: expected a span"),
        ("nodes.0.span", [0], "nodes[0].span: expected a list of length 2"),
        ("nodes.0.category", "", "nodes[0].category: expected text of length >= 1"),
        ("nodes.0.category", "Y", "edge 0: expected a head of its rule's category X, got Y"),
        ("nodes.0", 5, "nodes[0]: expected a table"),
        ("rules.0.lhs", ..., "rules[0].lhs: expected a value"),
        ("rules.0.source", [], "rule 0: expected a source side"),
        ("rules.0.source", ["a b"], "rule 0: expected a word or category without white space"),
        ("rules.0.source", [["X", 2]], "rule 0: expected indices in order"),
        (
            "rules.0.target",
            [1],
            "rule 0: expected nonterminals on both sides, got [1] on the target side only",
        ),
        (
            "rules.1.target",
            ["house"],
            "rule 1: expected nonterminals on both sides, got [1] on the source side only",
        ),
        ("rules.1.target", [0], "rules[1].target[0]: expected a whole number >= 1"),
        ("rules.0.alignment", [[0, 9]], "rule 0: expected alignment points inside the rule, got 0-9"),
        ("rules.0.alignment", [[0, 999]], "rule 0: expected alignment points inside the rule"),
        ("rules.0.features", [], "rules[0].features: expected a table"),
        ("rules.0.features.Count", 1e300, "rule 0: expected feature values of single precision"),
        ("edges", [], "node 0: expected an edge with this head"),
        (
            "edges.3",
            {"head": 1, "tails": [0], "rule": 1, "features": {}, "score": 0},
            "node 2: expected an edge",
        ),
        ("edges.1.head", 2, "node 1: expected an edge with this head"),
        ("edges.0.head", -1, "edge 0: expected a head from 0 to 2, got -1"),
        ("edges.3.head", 3, "edge 3: expected a head"),
        ("edges.2.head", 0, "edge 2: expected edges sorted by head"),
        ("edges.1.tails", [1], "edge 1: expected tails that come before its head 1, got 1"),
        ("edges.1.tails", [-1], "edge 1: expected tails that come before its head"),
        ("edges.1.tails", [], "edge 1: expected a tail for every nonterminal of its rule, got fewer"),
        ("edges.1.tails", [0, 0], "edge 1: expected a tail for every nonterminal of its rule, got more"),
        ("edges.1.tails", [2**31], "edges[1].tails[0]: expected a whole number <= 2147483647"),
        ("edges.1.rule", 4, "edge 1: expected a rule from 0 to 3, got 4"),
        ("edges.1.rule", True, "edges[1].rule: expected a whole number"),
        ("edges.1.score", float("nan"), "edge 1: expected scores between -1e+100 and 1e+100, got nan"),
        ("edges.1.score", 10**400, "edges[1].score: number out of range"),
        ("edges.1.features.LanguageModel", float("inf"), "edge 1: expected finite feature values"),
        ("edges.1.features.LanguageModel", "x", "edges[1].features: expected a number, got text"),
        ("edges.1.features", ..., "edges[1].features: expected a value"),
    ],
)
def test_what_is_no_forest_is_refused(tmp_path, path, value, message):
    file = write(tmp_path, change(path, value))
    with pytest.raises(InputError) as caught:
        Hypergraph.read(file, Weights())
    assert str(caught.value).startswith(str(file))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("f.json", b"{\n\n]", "f.json:3: expected JSON"),
        ("f.json", b"\xff", "expected JSON"),
        ("f.json", b"[]", "expected a table"),
        ("f.json", b"[" * 100_000, "nested too deeply"),
        ("f.json.gz", b"{}", "gz"),
        ("f.json.gz", b"\x1f\x8b\x08\x00", "expected a whole gz file"),
    ],
)
def test_what_is_no_json_is_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        Hypergraph.read(tmp_path / name, Weights())


def test_a_missing_file_and_folder(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        Hypergraph.read(tmp_path / "none", Weights())
    forest = Hypergraph.read(write(tmp_path, DOCUMENT), Weights())
    with pytest.raises(InputError, match="cannot be written"):
        forest.write(tmp_path / "none" / "f.json")

"""Forests in files of cdec: what is read, what comes back, what is refused."""

from __future__ import annotations

import gzip
import json
import math
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.cdec_archives import CATEGORIES, EDGES, HEADER, RULES, Archive, Edge, Rule, small_archive
from support.equation_11 import best_objectives

from hopefear.base import InputError
from hopefear.cdec import read_forest, write_forest
from hopefear.decoder import BleuOracle, Decoder, Hypergraph, Weights
from hopefear.grammars.sample import sample_path


@pytest.fixture(scope="module")
def decoder() -> Decoder:
    return Decoder(sample_path() / "cdec.ini", weights=sample_path() / "weights.init")


@pytest.fixture(scope="module")
def source() -> str:
    return (sample_path() / "dev.es").read_text("utf-8").splitlines()[5]


def read(folder: Path, archive: bytes, weights: Weights | None = None) -> Hypergraph:
    path = folder / "0.bin"
    path.write_bytes(archive)
    return read_forest(path, Weights() if weights is None else weights)


def test_an_archive_is_read(tmp_path: Path) -> None:
    weights = Weights({"Count": 1.0, "LanguageModel": 1.0})
    forest = read(tmp_path, small_archive(), weights)
    assert (len(forest.nodes), len(forest.edges), forest.npaths, forest.source_length) == (3, 4, 2, 2)
    assert list(forest.kbest(5)) == ["the house", "home the"]
    best, second = forest.kbest_features(5)
    assert best == pytest.approx({"Count": 2.1, "LanguageModel": -2.0, "WordPenalty": -0.5})
    assert second == {"Count": 2.0, "LanguageModel": -2.5, "WordPenalty": -0.5}
    assert forest.viterbi_score() == pytest.approx(0.1)
    assert forest.trees(forest.best()) == ("(X (X la) casa)", "(X (X the) house)")
    assert forest.nodes.span.tolist() == [[0, 1], [0, 2], [0, 2]]
    assert [forest.category(c) for c in forest.nodes.category] == CATEGORIES
    assert forest.edges.head.tolist() == [0, 1, 1, 2]
    rule = forest.rule(2)
    assert (rule.lhs, rule.source, rule.target) == ("X", (("X", 1), "casa"), ("home", 1))
    assert rule.features == {"Count": 1.0}


def test_the_forests_of_cdec(shared: Path) -> None:
    folder = shared / "golden" / "cdec-forests"
    weights = Weights()
    weights.read(shared / "data" / "tanaka" / "ja-en" / "weights.tuned")
    listed: dict[int, list[list[str]]] = {}
    for line in (folder / "kbest10.txt").read_text("utf-8").splitlines():
        number, *fields = line.split(" ||| ")
        listed.setdefault(int(number), []).append(fields)
    for line in (folder / "forests.jsonl").read_text("utf-8").splitlines():
        told = json.loads(line)
        forest = read_forest(folder / f"{told['id']}.bin.gz", weights)
        assert (len(forest.nodes), len(forest.edges)) == (told["nodes"], told["edges"])
        assert forest.npaths == pytest.approx(told["paths"], rel=1e-5)
        assert forest.viterbi() == told["viterbi"]
        assert forest.viterbi_score() == pytest.approx(told["viterbi_score"], rel=1e-5)
        ours = zip(forest.derivations(10, unique=True), listed[told["id"]], strict=True)
        for derivation, (text, features, score) in ours:
            assert forest.score(derivation) == pytest.approx(float(score), rel=1e-5), text
            named = dict(feature.rsplit("=", 1) for feature in features.split())
            expected = {name: float(value) for name, value in named.items() if float(value)}
            # Equal scores come in any order.
            same = [t for t, _, s in listed[told["id"]] if s == score]
            assert forest.text(derivation) in same
            if len(same) == 1:
                assert forest.features(derivation) == pytest.approx(expected, rel=1e-5), text


@pytest.mark.parametrize("mu", [0.0, 0.5, 2.0, math.inf])
@pytest.mark.parametrize("number", [0, 7])
def test_hope_and_fear_in_a_forest_of_cdec(shared: Path, number: int, mu: float) -> None:
    """The oracle finds the best of all derivations, which are 904 and 1131."""
    weights = Weights()
    weights.read(shared / "data" / "tanaka" / "ja-en" / "weights.tuned")
    forest = read_forest(shared / "golden" / "cdec-forests" / f"{number}.bin.gz", weights)
    references = [(shared / "data" / "tanaka" / "dev.en").read_text("utf-8").splitlines()[number]]
    document = np.array([20, 21, 20, 18, 16, 14, 12, 8, 5, 3], float)
    found = BleuOracle(references, document, 15.0).rescore(forest, mu)
    values = best_objectives(forest, references, document, 15.0, mu)
    assert len(values) > 100
    assert values[found.viterbi()] == pytest.approx(max(values.values()), rel=1e-5)


def test_what_cdec_wrote_comes_back(shared: Path, tmp_path: Path) -> None:
    weights = Weights()
    forest = read_forest(shared / "golden" / "cdec-forests" / "6.bin.gz", weights)
    write_forest(forest, tmp_path / "6.bin.gz")
    same(read_forest(tmp_path / "6.bin.gz", weights), forest)


def same(forest: Hypergraph, expected: Hypergraph) -> None:
    """Compare what a file holds: everything but the alignments of rules."""
    assert [forest.category(c) for c in forest.nodes.category] == [
        expected.category(c) for c in expected.nodes.category
    ]
    for part in ("span", "in_edges"):
        np.testing.assert_array_equal(getattr(forest.nodes, part), getattr(expected.nodes, part))
    for part in ("head", "tails", "tail_indptr"):
        np.testing.assert_array_equal(getattr(forest.edges, part), getattr(expected.edges, part))
    np.testing.assert_allclose(forest.edges.score, expected.edges.score, atol=1e-12)
    for edge in range(0, len(forest.edges), 7):
        ours, theirs = forest.rule(edge), expected.rule(edge)
        assert (ours.lhs, ours.source, ours.target) == (theirs.lhs, theirs.source, theirs.target)
        assert ours.features == {name: value for name, value in theirs.features.items() if value}
    assert forest.npaths == expected.npaths
    assert list(forest.kbest(20)) == list(expected.kbest(20))
    for ours_of, theirs_of in zip(forest.kbest_features(20), expected.kbest_features(20), strict=True):
        assert ours_of == pytest.approx(theirs_of, abs=1e-12)


@pytest.mark.parametrize("name", ["0.bin", "0.bin.gz"])
@pytest.mark.parametrize("kind", ["parsed", "rescored", "pruned"])
def test_a_forest_of_the_sample_comes_back(
    tmp_path: Path, decoder: Decoder, source: str, name: str, kind: str
) -> None:
    forest = (decoder.parse if kind == "parsed" else decoder.translate)(source)
    if kind == "pruned":
        forest.prune(density=3)
    forest.reweight()
    write_forest(forest, tmp_path / name)
    again = read_forest(tmp_path / name, Weights(dict(decoder.weights)))
    same(again, forest)
    assert again.intersect(again.viterbi())


def test_nodes_have_different_hashes(tmp_path: Path, decoder: Decoder, source: str) -> None:
    """The hashes tell cdec which nodes are the same."""
    forest = decoder.translate(source)
    write_forest(forest, tmp_path / "0.bin")
    content = (tmp_path / "0.bin").read_bytes()
    place = len(HEADER) + 5 + 8 + 5
    hashes = set()
    for node in range(len(forest.nodes)):
        value, number, length = struct.unpack_from("<QiQ", content, place)
        assert number == node
        hashes.add(value)
        place += 20 + length
        for _ in range(2):
            place += 8 + 4 * struct.unpack_from("<Q", content, place)[0]
    assert len(hashes) == len(forest.nodes)


def changed(edge: int | None = None, rule: int | None = None, **changes: object) -> bytes:
    edges, rules = list(EDGES), list(RULES)
    if edge is not None:
        edges[edge] = replace(edges[edge], **changes)  # type: ignore[arg-type]
    if rule is not None:
        rules[rule] = replace(rules[rule], **changes)  # type: ignore[arg-type]
    return Archive(CATEGORIES, rules, edges).data


def replaced(place: int, form: str, value: float) -> bytes:
    data = bytearray(small_archive())
    struct.pack_into("<" + form, data, place, value)
    return bytes(data)


@pytest.mark.parametrize(
    ("archive", "message"),
    [
        (b"", "byte 0: expected a binary archive of Boost.Serialization, got another file"),
        (b"PK" * 40, "byte 0: expected a binary archive"),
        (replaced(30, "H", 7), "byte 30: expected an archive of version 8 or later, got 7"),
        (replaced(33, "B", 4), "byte 33: expected a long whose bytes are 8, got 4"),
        (replaced(36, "i", 1 << 24), "byte 36: expected byte order 1, got 16777216"),
        (replaced(40, "B", 1), "byte 40: expected version 0 of a hypergraph, not tracked, got version 0"),
        (replaced(45, "I", 1 << 31), "byte 45: expected at most"),
        (small_archive() + b"\0", "expected the end of the file, got 1 more bytes"),
        (small_archive()[:-1], "expected 1 more bytes, got the end of the file"),
        (changed(0, head=1), "node 2: expected an edge into this node, got none"),
        (changed(0, head=5), "node 2: expected an edge into this node, got none"),
        (changed(1, tails=[1]), "edge 1: expected tails that come before its head 1, got 1"),
        (changed(1, tails=[]), "edge 1: expected a tail for every nonterminal of its rule, got fewer"),
        (changed(3, tails=[0]), "edge 3: expected a tail for every nonterminal of its rule, got more"),
        (changed(0, span=(-1, -1)), "node 2: expected a span inside the source's 2 positions"),
        (changed(2, features={"a b": 1.0}), "must not contain white space"),
        (changed(2, features={"p": float("nan")}), "edge 2: expected finite feature values"),
        (changed(rule=0, lhs="Y"), "edge 3: expected a head of its rule's category Y, got X"),
        (changed(rule=0, source=[]), "rule 3: expected a source side, got none"),
        (changed(rule=0, source=["la la"]), "rule 3: expected a word or category without white space"),
        (changed(rule=0, target=[0]), "rule 3: expected nonterminals on both sides, got [1]"),
        (changed(rule=0, target=[1]), "expected a nonterminal from 0 down to -63, got 1"),
        (changed(rule=0, features={"p": 1e300}), "expected feature values of single precision"),
        (changed(rule=3, source=["a"] * 65), "expected at most 64 symbols on a side of a rule, got 65"),
    ],
)
def test_what_is_no_forest_is_refused(tmp_path: Path, archive: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, archive)
    assert str(caught.value).startswith(f"{tmp_path / '0.bin'}: byte ")
    assert message in str(caught.value)


def test_the_byte_is_where_the_fault_is(tmp_path: Path) -> None:
    data = small_archive()
    place = data.index(b"casa")
    with pytest.raises(InputError, match=f"byte {place + 2}: expected UTF-8"):
        read(tmp_path, data[: place + 2] + b"\xff" + data[place + 3 :])
    place = data.index(struct.pack("<hhhhi", 0, 2, -1, -1, 1))
    with pytest.raises(InputError, match=f"byte {place + 8}: expected the number of an edge 1, got 9"):
        read(tmp_path, data[: place + 8] + b"\x09" + data[place + 9 :])


def test_damage_anywhere_is_read_or_refused(tmp_path: Path) -> None:
    data = small_archive()
    refused = 0
    weights = Weights()
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= (0x01, 0x80, 0xFF)[place % 3]
        for content in (bytes(damaged), data[:place])[: 1 if place % 5 else 2]:
            try:
                assert list(read(tmp_path, content, weights).kbest(5))
            except InputError as error:
                assert ": byte " in str(error)
                refused += 1
    assert refused > len(data) // 2


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none: cannot be read"):
        read_forest(tmp_path / "none", Weights())
    (tmp_path / "0.bin.gz").write_bytes(gzip.compress(small_archive())[:-9])
    with pytest.raises(InputError, match="expected a whole gz file"):
        read_forest(tmp_path / "0.bin.gz", Weights())
    forest = read(tmp_path, small_archive())
    with pytest.raises(InputError, match="cannot be written"):
        write_forest(forest, tmp_path / "none" / "0.bin")


def test_what_the_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    words = " ".join(["la"] * 65)
    decoder = Decoder("formalism=scfg\nscfg_max_span_limit=100\n")
    forest = decoder.parse(words, f"[X] ||| {words} ||| the\n")
    with pytest.raises(InputError, match="64 symbols on a side of a rule, got 65"):
        write_forest(forest, tmp_path / "0.bin")
    assert list(tmp_path.iterdir()) == []


def test_rules_of_edges_stay_apart(tmp_path: Path) -> None:
    """Two rules of one text with other features are two rules."""
    rules = [Rule("X", ["la"], ["the"], {"Count": 1.0}), Rule("X", ["la"], ["the"], {"Count": 2.0})]
    edges = [Edge(0, [], 1, {"Count": 2.0}, (0, 1)), Edge(0, [], 0, {"Count": 1.0}, (0, 1))]
    forest = read(tmp_path, Archive(["X"], rules, edges).data)
    assert [forest.rule(e).features["Count"] for e in range(2)] == [2.0, 1.0]

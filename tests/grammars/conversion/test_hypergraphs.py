"""Hypergraphs of Moses and Joshua against derivations that are enumerated here."""

from __future__ import annotations

import gzip
import re
from itertools import product
from pathlib import Path

import pytest

from hopefear.base import InputError
from hopefear.decoder import Weights
from hopefear.grammars.conversion import read_hypergraph

SAMPLES = Path(__file__).parent / "samples"

# As moses_chart writes it: the file of "la casa" with the glue rules, word penalty and two table scores.
MOSES = (SAMPLES / "moses.hypergraph").read_text("utf-8")

# As Joshua's HyperGraph.dump writes it: numbers of nodes from 1, and the goal over 3 and 4 is left out.
JOSHUA = (SAMPLES / "joshua.hypergraph").read_text("utf-8")

WEIGHTS = {
    "LM0": 0.5, "WordPenalty0": -0.75, "TranslationModel0_1": 1.5, "TranslationModel0_2": 0.25,
    "sparse_a=b": 2, "lm_0": 0.5, "WordPenalty": -1, "tm_pt_0": -0.25,
}  # fmt: skip


def derivations(nodes: dict[int, list[str]], node: int) -> list[tuple[list[str], float]]:
    """All translations of a node with their scores, straight from the lines of its edges."""
    found = []
    for line in nodes[node]:
        target, features = [part.strip() for part in line.split("|||")][:2]
        score = 0.0
        for item in features.split():
            name, _, value = item.rpartition("=")
            score += WEIGHTS[name] * float(value)
        choices = []
        for word in target.split():
            tail = re.fullmatch(r"\[(\d+)\]", word)
            choices.append(derivations(nodes, int(tail[1])) if tail else [([word], 0.0)])
        for parts in product(*choices):
            words = [word for part, _ in parts for word in part if word not in ("<s>", "</s>")]
            found.append((words, score + sum(more for _, more in parts)))
    return found


def nodes_of(text: str) -> dict[int, list[str]]:
    nodes: dict[int, list[str]] = {}
    name = 0
    for line in text.splitlines()[2:]:
        if match := re.fullmatch(r"(?:# node )?(\d+)", line):
            if text == JOSHUA or line.startswith("#"):
                name = int(match[1])
        else:
            nodes.setdefault(name, []).append(line)
    return nodes


@pytest.mark.parametrize(("text", "goals"), [(MOSES, [5]), (JOSHUA, [3, 4])])
def test_derivations_are_those_of_the_file(tmp_path: Path, text: str, goals: list[int]) -> None:
    path = tmp_path / "0.gz"
    path.write_bytes(gzip.compress(text.encode()))
    forest = read_hypergraph(path, Weights(WEIGHTS))
    expected = [found for goal in goals for found in derivations(nodes_of(text), goal)]
    got = [
        (words.split(), sum(WEIGHTS[name] * value for name, value in features.items()))
        for words, features in zip(forest.kbest(100), forest.kbest_features(100), strict=True)
    ]
    assert forest.npaths == len(expected) == len(got)
    assert sorted(words for words, _ in got) == sorted(words for words, _ in expected)
    best = sorted((score for _, score in expected), reverse=True)
    assert [score for _, score in got] == pytest.approx(best)
    assert forest.viterbi_score() == pytest.approx(best[0])


def test_scores_are_those_of_other_weights(tmp_path: Path) -> None:
    (tmp_path / "0").write_text(MOSES)
    weights = Weights({"LM0": 1})
    forest = read_hypergraph(tmp_path / "0", weights)
    assert forest.viterbi() == "the home"
    assert forest.viterbi_score() == -3 - 1
    weights["LM0"] = -1
    forest.reweight()
    assert forest.viterbi() == "house of her"
    assert forest.viterbi_score() == 0.75 + 2 + 2.5 + 1


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (MOSES, "# target", "# source", ":1: expected '# target ||| features ||| source-covered'"),
        (MOSES, "6 9", "six", ":2: expected the numbers of nodes and of edges, got 'six'"),
        (MOSES, "# node 3\n1\n", "# node 3\none\n", ":14: expected the number of edges of node 3, got 'one'"),
        (MOSES, "[0] [1] ", "[0] [4] ", ":15: expected a node that comes before, got [4]"),
        (MOSES, "sparse_a=b=1.5", "sparse", ":15: expected name=value, got 'sparse'"),
        (MOSES, "sparse_a=b=1.5", "sparse=x", ":15: expected a number, got 'x'"),
        (MOSES, "  ||| 2\n", "\n", ":15: expected an edge, target ||| name=value ||| source words"),
        (MOSES, "  ||| 2\n", "  ||| two\n", ":15: expected the number of source words, got 'two'"),
        (MOSES, "  ||| 2\n", "  ||| 9999999999\n", ":15: expected the number of source words, got '9999"),
        (MOSES, "# node 3", "# node 2", ":14: node 2 is in the file twice"),
        (MOSES, "# node 5\n1\n", "# node 5\n2\n", ":24: expected an edge"),
        (MOSES, MOSES[MOSES.index("# node 0"):], "", ":2: expected a node, got the end of the file"),
        (JOSHUA, "3\n[1]", "three\n[1]", ":8: expected an edge, target ||| name=value; got 'three'"),
        (JOSHUA, "2\nthe", "2\n7\nthe", ":5: expected edges of node 2, got none"),
        (JOSHUA, JOSHUA[JOSHUA.index("1\n<s>"):], "what", ":3: expected the number of a node, got 'what'"),
    ],
)  # fmt: skip
def test_wrong_files(tmp_path: Path, text: str, old: str, new: str, message: str) -> None:
    assert old in text
    path = tmp_path / "0"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=re.escape(f"{path}{message}")):
        read_hypergraph(path, Weights())

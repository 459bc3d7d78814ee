from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.base.lines import each_line
from hopefear.plugins import InputError, parse_tree

LABELS = st.sampled_from(["NP", "VP", "S", "", "-LRB-"])
WORDS = st.sampled_from(["the", "man", "-LRB-", "-RRB-", "。", "a-b=c", "\u3000", "«"])
Node = tuple[str, list[Any]]


def nodes(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Node]:
    labelled = st.tuples(LABELS.filter(bool), st.lists(WORDS | children, min_size=1, max_size=4))
    return labelled | st.tuples(st.just(""), st.lists(children, min_size=1, max_size=2))


trees = nodes(st.recursive(nodes(st.tuples(st.just("N"), st.lists(WORDS, min_size=1, max_size=3))), nodes))


def write(node: Node | str, spaces: str = " ") -> str:
    if isinstance(node, str):
        return node
    return f"({node[0]}{spaces}{spaces.join(write(child, spaces) for child in node[1])})"


def flatten(node: Node | str, words: list[str], found: list[tuple[str, int, int]]) -> None:
    if isinstance(node, str):
        words.append({"-LRB-": "(", "-RRB-": ")"}.get(node, node))
        return
    place, begin = len(found), len(words)
    for child in node[1]:
        flatten(child, words, found)
    found.insert(place, (node[0], begin, len(words)))


@given(trees, st.sampled_from([" ", "  ", "\t"]))
def test_reads_what_was_written(tree: Node, spaces: str) -> None:
    words: list[str] = []
    found: list[tuple[str, int, int]] = []
    flatten(tree, words, found)
    read = parse_tree(write(tree, spaces))
    assert list(read.tokens) == words
    assert [tuple(constituent) for constituent in read.constituents] == found


@pytest.mark.parametrize(
    ("text", "tokens", "constituents"),
    [
        ("(S (NP he) slept)", "he slept", [("S", 0, 2), ("NP", 0, 1)]),
        ("( (S (VP (VB go))))", "go", [("", 0, 1), ("S", 0, 1), ("VP", 0, 1), ("VB", 0, 1)]),
        ("(NP-SBJ-1 (NP=2 a) (PP-LOC-CLR b))", "a b", [("NP", 0, 2), ("NP", 0, 1), ("PP", 1, 2)]),
        ("(NP (-LRB- -LRB-) x (-RRB- -RRB-))", "( x )", [("NP", 0, 3), ("-LRB-", 0, 1), ("-RRB-", 2, 3)]),
        ("(NP -LCB- -RCB- -LSB- -RSB-)", "{ } [ ]", [("NP", 0, 4)]),
        ("(S (NP-SBJ (-NONE- *-1)) (VP go (S (-NONE- *T*))))", "go", [("S", 0, 1), ("VP", 0, 1)]),
        ("  (X\u00a0Y a)  ", "a", [("X\u00a0Y", 0, 1)]),
        ("(X(Y a)(Z b))", "a b", [("X", 0, 2), ("Y", 0, 1), ("Z", 1, 2)]),
    ],
)
def test_hand_made(text: str, tokens: str, constituents: list[tuple[str, int, int]]) -> None:
    tree = parse_tree(text)
    assert list(tree.tokens) == tokens.split()
    assert [tuple(constituent) for constituent in tree.constituents] == constituents


@pytest.mark.parametrize("text", ["", "  \t", "()", "(())", "( ( ) )"])
def test_failed_parse_has_no_words(text: str) -> None:
    assert parse_tree(text) == parse_tree("")
    assert parse_tree(text).tokens == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("he slept", r"column 1: expected a tree that begins with \(, got he"),
        (")", r"column 1: expected a tree that begins with \(, got \)"),
        ("(S (NP he)", r"column 11: expected 1 more \), got the end of the line"),
        ("(S (NP (N a", r"column 12: expected 3 more \), got the end"),
        ("(S a))", r"column 6: expected the end of the line after the tree, got \)"),
        ("(S a) (S b)", r"column 7: expected the end of the line after the tree, got \("),
        ("(S a) b", "column 7: expected the end of the line after the tree, got b"),
        ("(S (NP) b)", r"column 7: expected a word or a constituent in \(NP, got \)"),
    ],
)
def test_malformed(text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"dev.trees:7: {message}"):
        parse_tree(text, path="dev.trees", line=7)


def test_deep_trees() -> None:
    depth = 20_000
    assert len(parse_tree("(S " * depth + "a" + ")" * depth).constituents) == depth


@given(st.text(alphabet="()S a-\u3000", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tree = parse_tree(text)
    except InputError as error:
        assert "column" in str(error)
    else:
        assert all(0 <= c.begin < c.end <= len(tree.tokens) for c in tree.constituents)


@pytest.mark.parametrize(
    ("trees", "source"),
    [
        ("data/tanaka/en-ja/dev.trees", "data/tanaka/dev.en"),
        ("data/tanaka/en-ja/train.trees.gz", "data/tanaka/train.en.gz"),
        ("data/bible-es-en/dev.es.trees", "data/bible-es-en/dev.es"),
        ("data/bible-es-en/test.es.trees", "data/bible-es-en/test.es"),
    ],
)
def test_real_trees_have_the_words_of_their_sentences(shared: Path, trees: str, source: str) -> None:
    pairs = zip(each_line(shared / trees), each_line(shared / source), strict=True)
    for line, sentence in islice(pairs, 2000):
        unescaped = sentence.replace("-LRB-", "(").replace("-RRB-", ")")
        assert list(parse_tree(line).tokens) == unescaped.split(" ")

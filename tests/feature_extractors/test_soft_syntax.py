from __future__ import annotations

import gzip
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plugin_batches import Edges, Sentence, Span, all_spans, fired

from hopefear.feature_extractors import SoftSyntax
from hopefear.plugins import InputError, create, parse_tree

FINE = ("NP", "PP", "S", "VP", "SBAR", "ADJP", "WHNP", "PRT", "ADVP", "PRN", "QP")
COARSE = ("NP", "PP", "S", "VP", "SBAR", "ADJP", "ADVP", "QP")

#                0   1          2       3    4         5
TREE = "(S (NP (DT the) (NN man)) (VP saw (NP (NP a) (PP of it))))"
WORDS = ("the", "man", "saw", "a", "of", "it")

LABELS = st.sampled_from([*FINE, "FRAG", "NN"])


def node(label: str, children: list[str]) -> str:
    return f"({label} {' '.join(children)})"


def nodes(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(node, LABELS, st.lists(children, min_size=1, max_size=4))


TREES = nodes(st.recursive(st.just("w"), nodes, max_leaves=12))


def fire(plugin: SoftSyntax, sentence: Sentence) -> dict[Span, dict[str, float]]:
    """What fires on each span."""
    assert sentence.tokens is not None
    spans = all_spans(len(sentence.tokens))
    edges = Edges(len(sentence.tokens), [(0, span, []) for span in spans])
    return dict(zip(spans, fired(plugin, edges, sentence), strict=True))


def on_tree(tree: str, **arguments: Any) -> dict[tuple[int, int], dict[str, float]]:
    return fire(SoftSyntax(**arguments), Sentence(parse_tree(tree).tokens, tree))


def brute_force(tree: str, labels: tuple[str, ...], coarse: bool) -> dict[tuple[int, int], set[str]]:
    read = parse_tree(tree)
    constituents = [(label, set(range(begin, end))) for label, begin, end in read.constituents]
    expected: dict[tuple[int, int], set[str]] = {}
    for i, j in all_spans(len(read.tokens)):
        span = set(range(i, j))
        fired = expected.setdefault((i, j), set())
        for label, words in constituents:
            if label not in labels:
                continue
            name = "XP" if coarse else label
            if words == span:
                fired.add(name + "=")
            elif words & span and words - span and span - words:
                fired.add(name + "+")
    return expected


def test_fine_by_hand() -> None:
    fired = on_tree(TREE)
    assert fired == {
        (0, 1): {},
        (1, 2): {},
        (2, 3): {},
        (3, 4): {"NP=": 1},
        (4, 5): {},
        (5, 6): {},
        (0, 2): {"NP=": 1},
        (1, 3): {"NP+": 1, "VP+": 1},
        (2, 4): {"NP+": 1},
        (3, 5): {"PP+": 1},
        (4, 6): {"PP=": 1},
        (0, 3): {"VP+": 1},
        (1, 4): {"NP+": 1, "VP+": 1},
        (2, 5): {"NP+": 1, "PP+": 1},
        (3, 6): {"NP=": 1},
        (0, 4): {"VP+": 1, "NP+": 1},
        (1, 5): {"VP+": 1, "NP+": 1, "PP+": 1},
        (2, 6): {"VP=": 1},
        (0, 5): {"VP+": 1, "NP+": 1, "PP+": 1},
        (1, 6): {"NP+": 1},
        (0, 6): {"S=": 1},
    }


def test_coarse_by_hand() -> None:
    fired = on_tree("(S (NP a b) (FRAG c (PRT d)))", granularity="coarse")
    assert {span for span, features in fired.items() if features == {"XP=": 1}} == {(0, 2), (0, 4)}
    assert {span for span, features in fired.items() if features == {"XP+": 1}} == {(1, 3), (1, 4)}
    assert fired[2, 4] == fired[3, 4] == fired[0, 3] == {}  # FRAG and PRT are not among its labels


def test_unary_chains_count_every_label_once() -> None:
    fired = on_tree("(S (VP (NP (NP (QP a b)))) c)")
    assert fired[0, 2] == {"VP=": 1, "NP=": 1, "QP=": 1}
    assert fired[1, 3] == {"VP+": 1, "NP+": 1, "QP+": 1}


def test_labels() -> None:
    fired = on_tree("(S (X-1 a (Y b)) (NP c))", labels=("X", "Y", "X"))
    assert fired[0, 2] == {"X=": 1}
    assert fired[1, 2] == {"Y=": 1}
    assert fired[1, 3] == {"X+": 1}
    assert fired[2, 3] == fired[0, 3] == {}
    assert on_tree("(S (X a) (NP c))", labels=["X"], granularity="coarse")[0, 1] == {"XP=": 1}


@given(TREES, st.booleans())
def test_against_sets_of_words(tree: str, coarse: bool) -> None:
    labels = COARSE if coarse else FINE
    fired = on_tree(tree, granularity="coarse" if coarse else "fine")
    expected = brute_force(tree, labels, coarse)
    assert fired == {span: dict.fromkeys(names, 1.0) for span, names in expected.items()}
    for names in expected.values():
        assert len({name[-1] for name in names}) < 2  # never both = and +


def brute_force_pairs(tree: str, same: bool) -> dict[tuple[int, int], set[str]]:
    """The pairs of labels at the ends of each span, by going through all pairs of constituents."""
    read = parse_tree(tree)
    constituents = [constituent for constituent in read.constituents if constituent.label in FINE]
    expected: dict[tuple[int, int], set[str]] = {span: set() for span in all_spans(len(read.tokens))}
    for (i, j), names in expected.items():
        for first, second in product(constituents, repeat=2):
            inside = i < first.end < j and i < second.begin < j
            if inside and (not same or first.label == second.label):
                name = f"{first.label}|{second.label}"
                if first.begin == i and second.end == j:
                    names.add(name + "=")
                elif first.begin < i and second.end > j:
                    names.add(name + "+")
    return expected


@given(TREES, st.booleans())
def test_both_ends_against_pairs_of_constituents(tree: str, same: bool) -> None:
    fired = on_tree(tree, boundaries="double" if same else "pairs")
    expected = brute_force(tree, FINE, False)
    pairs = brute_force_pairs(tree, same)
    assert fired == {span: dict.fromkeys(names | pairs[span], 1.0) for span, names in expected.items()}


def test_both_ends_by_hand() -> None:
    sentence = "(S (NP a b) (VP c (NP d e)))"
    fired = on_tree(sentence, boundaries="pairs")
    assert fired[0, 5] == {"S=": 1, "NP|VP=": 1, "NP|NP=": 1}  # the VP's own end is that of an NP
    assert fired[1, 4] == {"NP+": 1, "VP+": 1, "NP|NP+": 1, "NP|VP+": 1}
    assert fired[2, 5] == {"VP=": 1}  # begins with no constituent but itself
    assert fired[0, 4] == {"VP+": 1, "NP+": 1}  # cuts at one end only
    assert on_tree(sentence, boundaries="double")[0, 5] == {"S=": 1, "NP|NP=": 1}
    coarse = on_tree(sentence, boundaries="double", granularity="coarse")
    assert coarse[0, 5] == {"XP=": 1, "XP|XP=": 1}
    assert coarse[1, 4] == {"XP+": 1, "XP|XP+": 1}
    assert on_tree(sentence, boundaries="pairs", granularity="coarse") == coarse


@given(TREES, st.sampled_from(["fine", "coarse"]), st.sampled_from(["single", "double", "pairs"]))
def test_conflated_is_match_less_cross(tree: str, granularity: str, boundaries: str) -> None:
    apart = on_tree(tree, granularity=granularity, boundaries=boundaries)
    tied = on_tree(tree, granularity=granularity, boundaries=boundaries, conflated=True)
    for span, features in apart.items():
        expected: Counter[str] = Counter()
        for name, value in features.items():
            expected[name[:-1] + "_"] += value if name[-1] == "=" else -value
        assert tied[span] == {name: value for name, value in expected.items() if value}


def test_conflated_by_hand() -> None:
    fired = on_tree(TREE, conflated=True)
    assert fired[0, 2] == {"NP_": 1}
    assert fired[1, 3] == {"NP_": -1, "VP_": -1}
    assert fired[2, 3] == {}


def test_real_trees_against_sets_of_words(shared: Path) -> None:
    folder = shared / "data/tanaka"
    plugin = SoftSyntax(trees=folder / "en-ja/dev.trees")
    trees = (folder / "en-ja/dev.trees").read_text().splitlines()
    for index, sentence in enumerate((folder / "dev.en").read_text().splitlines()[:50]):
        fired = fire(plugin, Sentence(tuple(sentence.split()), index=index))
        expected = brute_force(trees[index], FINE, False)
        assert fired == {span: dict.fromkeys(names, 1.0) for span, names in expected.items()}


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_line_of_the_file_is_the_segments_index(tmp_path: Path, compress: Any) -> None:
    path = tmp_path / "trees"
    path.write_bytes(compress(b"(NP a b)\n\n(())\n(VP a b)\n"))
    plugin = create("SoftSyntax trees", base=tmp_path)
    plugin.prepare()
    fired = [fire(plugin, Sentence(("a", "b"), index=index))[0, 2] for index in range(4)]
    assert fired == [{"NP=": 1}, {}, {}, {"VP=": 1}]


def test_tree_of_the_segment_goes_before_the_file(tmp_path: Path) -> None:
    (tmp_path / "trees").write_text("(NP a b)\n")
    plugin = SoftSyntax(trees=tmp_path / "trees")
    assert fire(plugin, Sentence(("a", "b"), "(VP a b)"))[0, 2] == {"VP=": 1}
    assert fire(plugin, Sentence(("a", "b"), ""))[0, 2] == {}


FILE = "(S (NP a) b)\n(S (NP a b)\n(S a b)\n"


@pytest.mark.parametrize(
    ("segment", "message"),
    [
        (Sentence(("a", "b", "c")), "trees:1: expected a tree of 3 words, as in sentence 1, got one of 2"),
        (Sentence(("a", "b"), index=1), r"trees:2: column 12: expected 1 more \), got the end of the line"),
        (Sentence(("a", "b"), index=3, id="s4"), "trees:4: expected the tree of sentence s4, got the end"),
        (Sentence(("a",), "(S a b)"), "dev.en:1: expected a tree of 1 words, as in sentence 1, got one of 2"),
        (Sentence(("a",), "S a"), r"dev.en:1: column 1: expected a tree that begins with \(, got S"),
    ],
)
def test_errors_say_where(tmp_path: Path, segment: Sentence, message: str) -> None:
    (tmp_path / "trees").write_text(FILE)
    plugin = SoftSyntax(trees=tmp_path / "trees")
    with pytest.raises(InputError, match=f"(^|/){message}"):
        plugin.fire(Edges(2, []), segment)


def test_no_tree_at_all() -> None:
    with pytest.raises(InputError, match=r"^dev.en:1: SoftSyntax: sentence 8 has no tree: give --trees"):
        SoftSyntax().fire(Edges(1, []), Sentence(("a",), id=7))

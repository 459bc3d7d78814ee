"""Labels of spans, nearest constituents, and trees in files as cdec reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plugin_batches import Edge, Edges, Sentence, all_spans, fired

from hopefear.decoder import Decoder
from hopefear.feature_extractors import (
    ParseMatchFeatures,
    SoftSyntaxFeatures,
    SoftSyntaxFeaturesMindist,
    SourceSyntaxFeatures,
)
from hopefear.feature_extractors.source_trees import LabelledSpans, labelled_spans
from hopefear.plugins import InputError

TREE = "(S (NP-SBJ (DT the) (NN man)) (VP (VB saw) (PRP it)))"
WORDS = ("the", "man", "saw", "it")

TREES = st.recursive(
    st.sampled_from(["(A w)", "(B w w)", "(C w w w)"]),
    lambda parts: st.builds(
        lambda label, inner: f"({label} {' '.join(inner)})",
        st.sampled_from(["NP", "VP", "S-TPC"]),
        st.lists(parts, min_size=1, max_size=4),
    ),
    max_leaves=6,
)


def read(tree: str) -> LabelledSpans:
    spans = labelled_spans(Sentence(tuple("w" * tree.count("w")), tree), "Test")
    assert spans is not None
    return spans


def nearest(labels: dict[tuple[int, int], str], length: int, i: int, j: int) -> tuple[int, str]:
    """The loops of ff_parse_match.cc, over a dictionary of spans."""
    if (i, j) in labels:
        return 0, labels[i, j]
    for k in range(1, j - i):
        for left in range(k + 1):
            for span in ((i - left, j + k - left), (i + left, j - k + left)):
                if span[0] >= 0 and span[1] <= length and span in labels:
                    return k, labels[span]
    return j - i - 1, "XX"


@given(TREES)
def test_the_nearest_constituent_is_that_of_cdecs_loops(tree: str) -> None:
    spans = read(tree)
    length = len(spans.label) - 1
    labels = {span: spans.labels[spans.label[span]] for span in all_spans(length) if spans.label[span]}
    distance, label = spans.nearest()
    for span in all_spans(length):
        assert (distance[span], spans.labels[label[span]]) == nearest(labels, length, *span)


def test_the_topmost_label_counts_with_its_tags() -> None:
    spans = read("(S-TPC (NP (NN w)) (VP (VB w)))")
    found = {span: spans.labels[spans.label[span]] for span in all_spans(2)}
    assert found == {(0, 1): "NP", (0, 2): "S-TPC", (1, 2): "VP"}


@pytest.mark.parametrize("text", [TREE, "{folder}/tree"])
def test_the_tree_may_be_in_a_file(text: str, tmp_path: Path) -> None:
    (tmp_path / "tree").write_text(f"{TREE}\n")
    decoder = Decoder(
        formalism="scfg", add_pass_through_rules=True, features=["SoftSyntaxFeatures NP-SBJ+ VP_"]
    )
    decoder.weights["PassThrough"] = -1.0
    given_tree = text.format(folder=tmp_path)
    line = f'<seg id="0" src_tree="{given_tree}">{" ".join(WORDS)}</seg>'
    grammar = "[X] ||| the man ||| a\n"
    # An X over the man, saw, it; an S over the man, the man saw, all.
    features = decoder.translate(line, grammar).viterbi_features()
    assert features["SOFT:NP-SBJ_conform"] == 2
    assert features["SOFT:VP"] == -6


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        (Sentence(None), "expected a sentence, got a lattice"),
        (Sentence(WORDS), "Test: sentence 1 has no tree: give --trees"),
        (Sentence(WORDS, "(S a b)"), "expected a tree of 4 words, as in sentence 1, got one of 2"),
        (Sentence(WORDS, "(S a b"), "column 7: expected 1 more )"),
        (Sentence(WORDS, "nowhere"), "expected a Penn tree, or a file with one, got 'nowhere'"),
    ],
)
def test_wrong_trees_are_refused(sentence: Sentence, message: str) -> None:
    with pytest.raises(InputError) as caught:
        labelled_spans(sentence, "Test")
    assert message in str(caught.value)


def test_a_file_that_is_no_tree_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("word:x:0:0\n")
    with pytest.raises(InputError) as caught:
        labelled_spans(Sentence(WORDS, str(tmp_path / "secret")), "Test")
    assert "word" not in str(caught.value)


def test_a_failed_parse_fires_nothing() -> None:
    edges: list[Edge] = [(0, (0, 1), [])]
    for plugin in (
        ParseMatchFeatures(),
        SoftSyntaxFeatures(labels=("NP2",)),
        SoftSyntaxFeaturesMindist(labels=("NP2",)),
        SourceSyntaxFeatures(),
    ):
        plugin.prepare()
        assert fired(plugin, Edges(1, edges), Sentence(("a",), "()")) == [{}]

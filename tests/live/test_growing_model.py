from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import toy
from support.brute_force_model import scores

from hopefear import _native
from hopefear.decoder import read_config
from hopefear.live import POST_EDIT_MODEL, AdaptingDecoder

BACKGROUND = {"a": 0.2, "b": 0.1, "c": 0.05, "</s>": 0.3, "other": 0.01}
sentences = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6)
texts = st.lists(sentences, max_size=6)
options = st.fixed_dictionaries(
    {"order": st.integers(1, 5), "discount": st.sampled_from([0.25, 0.75]), "continuation": st.booleans()}
)


def add(model, words):
    model.add(list(words), [math.log10(BACKGROUND[word]) for word in [*words, "</s>"]])


@settings(max_examples=200, deadline=None)
@given(texts, texts, st.lists(st.sampled_from(["a", "b", "c", "other"]), max_size=6), options)
def test_scores_are_those_of_the_definition(text, forgotten, sentence, options):
    model = _native.GrowingModel(**options)
    for one in [*forgotten[:2], *text, *forgotten[2:]]:
        add(model, one)
    for one in forgotten:
        model.remove(one)
    expected = scores(text, sentence, BACKGROUND.__getitem__, **options)
    assert model.scores(sentence) == pytest.approx(expected, abs=1e-5)


def test_probabilities_of_a_word_sum_to_one():
    words = {"a": 0.4, "b": 0.3, "</s>": 0.3}
    text = ["a b a", "b b", "a"]
    for continuation in (False, True):
        model = _native.GrowingModel(order=3, discount=0.75, continuation=continuation)
        for line in text:
            model.add(line.split(), [math.log10(words[word]) for word in [*line.split(), "</s>"]])
        for context in ([], ["a"], ["b"], ["a", "b"], ["b", "b"], ["a", "a"]):
            following = {word: model.scores([*context, word])[len(context)] for word in ("a", "b")}
            following["</s>"] = model.scores(context)[-1]
            total = sum(words[word] * 10**score for word, score in following.items())
            assert total == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(("order", "discount"), [(0, 0.5), (6, 0.5), (3, 0.0), (3, 1.0)])
def test_options_out_of_range(order, discount):
    with pytest.raises(ValueError, match="must be"):
        _native.GrowingModel(order=order, discount=discount, continuation=True)


INI = """\
formalism=scfg
grammar=grammar
scfg_max_span_limit=6
add_pass_through_rules=true
feature_function=WordPenalty
"""
GRAMMAR = toy.grammar("la", "casa", "verde", "es", "la casa", "casa verde") + (
    "[X] ||| casa [X,1] ||| [1] house ||| Swap=1 ||| 0-1\n"
    "[X] ||| [X,1] es [X,2] ||| [2] is [1] ||| Right=0.5 ||| 1-1\n"
)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("strategy", ["full", "cube_pruning"])
def test_the_search_scores_whole_translations(tmp_path, order, strategy):
    (tmp_path / "grammar").write_text(GRAMMAR)
    (tmp_path / "cdec.ini").write_text(f"{INI}intersection_strategy={strategy}\n")
    weights = {"PostEditModel": 0.7, "Right": 0.3, "WordPenalty": -0.1}
    config = read_config(tmp_path / "cdec.ini")
    decoder = AdaptingDecoder(config, rules=False, model=True, weights=weights)
    model = _native.GrowingModel(order=order, discount=0.75, continuation=True)
    for line in ("the green house is the home", "the house is green", "house", "green is the house is"):
        model.add(line.split(), decoder.background([*line.split(), "</s>"]))
    decoder.attach(None, model)
    for source in ("la casa verde", "la casa es verde casa", "casa rara es la casa es verde"):
        forest = decoder.translate(source)
        for derivation in forest.derivations(200):
            found = forest.features(derivation).get(POST_EDIT_MODEL, 0.0)
            assert found == pytest.approx(sum(model.scores(forest.text(derivation).split())), abs=1e-4)


def test_without_a_text_nothing_is_scored(tmp_path):
    (tmp_path / "grammar").write_text(GRAMMAR)
    (tmp_path / "cdec.ini").write_text(INI)
    config = read_config(tmp_path / "cdec.ini")
    decoder = AdaptingDecoder(config, rules=False, model=True, weights={"PostEditModel": 1.0})
    decoder.attach(None, _native.GrowingModel(order=3, discount=0.75, continuation=True))
    features = next(decoder.translate("la casa verde").kbest_features(1))
    assert features.get(POST_EDIT_MODEL, 0.0) == 0

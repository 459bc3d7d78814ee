from __future__ import annotations

import math
import tempfile
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import world
from support.brute_force_model import scores
from support.world import World

from hopefear import _native
from hopefear.decoder import Context, ExtraScorer, read_config
from hopefear.live import POST_EDIT_MODEL, AdaptingDecoder

BACKGROUND = {"a": 0.2, "b": 0.1, "c": 0.05, "</s>": 0.3, "other": 0.01}
UNIGRAMS = {"a": -0.5, "b": -0.7, "c": -0.9, "</s>": -0.6, "<unk>": -2.0}
BIGRAMS = {"a b": -0.2, "<s> a": -0.1, "b c": -0.4, "c </s>": -0.3}
ARPA = (
    "\\data\\\nngram 1=6\nngram 2=4\n\n\\1-grams:\n-99\t<s>\t0\n"
    + "".join(f"{value}\t{word}\t0\n" for word, value in UNIGRAMS.items())
    + "\n\\2-grams:\n"
    + "".join(f"{value}\t{words}\n" for words, value in BIGRAMS.items())
    + "\n\\end\\\n"
)


@cache
def ngram_model():
    """Load a bigram model without weights of shorter n-grams."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [*LINES, "feature_function=KLanguageModel lm.arpa"]
        ini = World(world.grammar("la"), lines, files={"lm.arpa": ARPA}).write(Path(folder))
        decoder = AdaptingDecoder(read_config(ini), rules=False, model=True, weights={})
        return decoder.ngram_model


def ngrams_of(words, most):
    """Iterate over the n-grams that may stand before a word."""
    for begin in range(len(words)):
        for end in range(begin + 1, min(len(words), begin + most) + 1):
            yield tuple(words[begin:end])


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


@settings(max_examples=50, deadline=None)
@given(texts, st.lists(st.sampled_from(["a", "b", "c"]), max_size=6), options, st.sampled_from([0.1, 0.6]))
def test_what_is_scored_is_what_an_interpolated_model_adds(text, sentence, options, share):
    """The probability of the background is that after the same words, as far as the text has them."""
    model = _native.GrowingModel(**options, share=share, background=ngram_model())
    for one in text:
        model.add(list(one), _native.unigrams(ngram_model(), [*one, "</s>"]))
    known = {ngram for one in text for ngram in ngrams_of(["<s>", *one, "</s>"], options["order"] - 1)}
    unigram = {word: 10 ** UNIGRAMS[word] for word in ("a", "b", "c", "</s>")}
    own = scores(text, sentence, unigram.__getitem__, **options)
    words = ["<s>", *sentence, "</s>"]
    for place, (score, found) in enumerate(zip(own, model.scores(sentence), strict=True), 1):
        contexts = (tuple(words[begin:place]) for begin in range(max(0, place - options["order"] + 1), place))
        context = ("<s>",) if place == 1 else next((each for each in contexts if each in known), ())
        word = words[place]
        if word not in {*chain(*text), "</s>"}:  # what the text leaves to other words
            expected = 10**score
        else:
            after = 10 ** BIGRAMS.get((context[-1:] or ("",))[0] + " " + word, UNIGRAMS[word])
            expected = 10**score * unigram[word] / after
        assert found == pytest.approx(math.log10(1 - share + share * expected if text else 1), abs=1e-4)


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


@pytest.mark.parametrize(
    ("order", "discount", "share"),
    [(0, 0.5, 1), (6, 0.5, 1), (3, 0.0, 1), (3, 1.0, 1), (3, 0.5, -0.1), (3, 0.5, 1.1)],
)
def test_options_out_of_range(order, discount, share):
    with pytest.raises(ValueError, match="must be"):
        _native.GrowingModel(order=order, discount=discount, continuation=True, share=share)


LINES = ("scfg_max_span_limit=6", "add_pass_through_rules=true", "feature_function=WordPenalty")
GRAMMAR = world.grammar("la", "casa", "verde", "es", "la casa", "casa verde") + (
    "[X] ||| casa [X,1] ||| [1] house ||| Swap=1 ||| 0-1\n"
    "[X] ||| [X,1] es [X,2] ||| [2] is [1] ||| Right=0.5 ||| 1-1\n"
)


def decoder_of(folder, weights, strategy="full"):
    ini = World(GRAMMAR, [*LINES, f"intersection_strategy={strategy}"]).write(folder)
    return AdaptingDecoder(read_config(ini), rules=False, model=True, weights=weights)


def of_model(decoder, model):
    """Return the context of translations with a model."""
    scorer = _native.growing_model_scorer(model, decoder.weights.id(POST_EDIT_MODEL))
    return Context().with_scorers(ExtraScorer(POST_EDIT_MODEL, scorer))


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("strategy", ["full", "cube_pruning"])
def test_the_search_scores_whole_translations(tmp_path, order, strategy):
    decoder = decoder_of(tmp_path, {"PostEditModel": 0.7, "Right": 0.3, "WordPenalty": -0.1}, strategy)
    model = _native.GrowingModel(order=order, discount=0.75, continuation=True)
    for line in ("the green house is the home", "the house is green", "house", "green is the house is"):
        model.add(line.split(), decoder.background([*line.split(), "</s>"]))
    context = of_model(decoder, model)
    for source in ("la casa verde", "la casa es verde casa", "casa rara es la casa es verde"):
        forest = decoder.translate(source, context=context)
        for derivation in forest.derivations(200):
            found = forest.features(derivation).get(POST_EDIT_MODEL, 0.0)
            assert found == pytest.approx(sum(model.scores(forest.text(derivation).split())), abs=1e-4)


def test_without_a_text_nothing_is_scored(tmp_path):
    decoder = decoder_of(tmp_path, {"PostEditModel": 1.0})
    context = of_model(decoder, _native.GrowingModel(order=3, discount=0.75, continuation=True))
    features = next(decoder.translate("la casa verde", context=context).kbest_features(1))
    assert features.get(POST_EDIT_MODEL, 0.0) == 0


@pytest.mark.parametrize("weight", [0.7, 0.0])
def test_completions_are_ordered_by_what_is_shown(tmp_path, weight):
    weights = {"PostEditModel": weight, "Right": 0.3, "Wrong": -0.2, "WordPenalty": -0.1}
    decoder = decoder_of(tmp_path, weights)
    model = _native.GrowingModel(order=3, discount=0.75, continuation=True)
    text = [
        line.split() for line in ("a red house is the home", "the red home is green", "house", "a red is")
    ]
    for line in text:
        model.add(line, decoder.background([*line, "</s>"]))
    context = of_model(decoder, model)

    def background(word: str) -> float:
        return 10 ** decoder.background([word])[0]

    options = {"order": 3, "discount": 0.75, "continuation": True}
    forest = decoder.translate("la casa es verde", context=context)
    begun = forest.completer().after("a red ")
    assert begun.edits > 0
    shown = begun.forest
    found = [(shown.score(each), shown.text(each), each) for each in shown.derivations(50)]
    assert len({text for _, text, _ in found}) > 3
    for score, words, each in found:
        derivation = shown.reading.in_whole(shown.native, each)
        own = sum(scores(text, forest.text(derivation).split(), background, **options))
        assert forest.features(derivation).get(POST_EDIT_MODEL, 0.0) == pytest.approx(
            own * (weight != 0), abs=1e-4
        )
        changed = sum(scores(text, words.split(), background, **options)) - own
        assert score == pytest.approx(forest.score(derivation) + weight * changed, abs=1e-4)
    assert [score for score, _, _ in found] == sorted((score for score, _, _ in found), reverse=True)

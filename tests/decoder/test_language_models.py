"""Rescoring with n-gram models against all derivations, scored by tables."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import brute_force as bf
from support.brute_force import MOST, deterministic

from hopefear.decoder import Decoder, Hypergraph

PENALTY = 1 / math.log(10)


def found(forest: Hypergraph) -> Counter[tuple[str, float]]:
    """Strings and scores of all derivations."""
    return Counter((forest.text(d), round(forest.score(d), 3)) for d in forest.derivations(100 * MOST))


def decoder(folder: str, weights: dict[str, float], *features: str, **options: object) -> Decoder:
    settings = {"intersection_strategy": "full", **options}
    config = ["formalism = scfg", *(f"{name} = {value}" for name, value in settings.items())]
    config += [f"feature_function = {feature}" for feature in features]
    path = Path(folder) / "cdec.ini"
    path.write_text("\n".join(config))
    return Decoder(path, weights=weights)


lm_weights = st.integers(1, 8).map(lambda n: n / 4)


@deterministic
@given(bf.cases, bf.ngram_models(), bf.ngram_models("uz"), lm_weights, lm_weights)
def test_two_models_and_word_penalty(
    case: bf.Case, first: bf.Ngrams, second: bf.Ngrams, first_weight: float, second_weight: float
) -> None:
    derivations = case.derivations
    weights = {
        **case.weights,
        "LanguageModel": first_weight,
        "Other": second_weight,
        "LanguageModel_OOV": -1.5,
        "Other_OOV": 0.5,
        "WordPenalty": 2.0,
    }

    def score(d: bf.Derivation) -> float:
        unknown = [sum(model.known(word) == "<unk>" for word in d.words) for model in (first, second)]
        return (
            d.score(weights)
            + first_weight * first.sentence(d.words)
            + second_weight * second.sentence(d.words)
            - 1.5 * unknown[0]
            + 0.5 * unknown[1]
            - 2.0 * PENALTY * len(d.words)
        )

    expected = sorted((score(d) for d in derivations), reverse=True)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "first.arpa").write_text(first.arpa())
        (Path(folder) / "second.arpa").write_text(second.arpa())
        features = "WordPenalty", "KLanguageModel first.arpa", "KLanguageModel -n Other second.arpa"
        engine = decoder(folder, weights, *features)
        forest = engine.translate(" ".join(case.words), bf.grammar_text(case.rules))
        pruned = decoder(
            folder, weights, *features, intersection_strategy="cube_pruning", cubepruning_pop_limit=2
        )
        some = pruned.translate(" ".join(case.words), bf.grammar_text(case.rules))
    all_scores = bf.all_scores(forest)
    assert all_scores == pytest.approx(expected, abs=1e-4)
    by_text = Counter((d.text, round(score(d), 2)) for d in derivations)
    assert len(found(forest)) <= len(derivations)
    assert {text for text, _ in found(forest)} == {text for text, _ in by_text}
    for derivation in forest.derivations(5):
        text, values = forest.text(derivation), forest.features(derivation)
        assert values["LanguageModel"] == pytest.approx(first.sentence(text.split()), abs=1e-4)
        assert values["Other"] == pytest.approx(second.sentence(text.split()), abs=1e-4)
        assert forest.score(derivation) == pytest.approx(
            sum(weights.get(name, 0.0) * value for name, value in values.items()), abs=1e-4
        )
    # What a narrow search finds is among them.
    assert some.viterbi_score() <= expected[0] + 1e-4
    assert any(abs(some.viterbi_score() - value) < 1e-3 for value in expected)
    # Intersection and reweighting stay right after rescoring.
    reference = derivations[0].text
    assert forest.intersect(reference)
    best = max(score(d) for d in derivations if d.text == reference)
    assert forest.viterbi_score() == pytest.approx(best, abs=1e-4)


@deterministic
@given(bf.grammars, bf.sentences, bf.ngram_models("PQ"), lm_weights)
def test_class_map(rules: list[bf.Rule], words: list[str], model: bf.Ngrams, weight: float) -> None:
    derivations = bf.derivations(rules, bf.chain(words))
    assume(0 < len(derivations) <= MOST)
    classes = {"u": ("P", -0.5), "v": ("P", -0.75), "w": ("Q", -0.25)}  # z has none

    def score(d: bf.Derivation) -> float:
        emissions = sum(classes[word][1] for word in d.words if word in classes)
        return weight * (model.sentence([classes.get(word, ("<unk>", 0))[0] for word in d.words]) + emissions)

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "classes.arpa").write_text(model.arpa())
        lines = (f"{c} {word} {logp}\n" for word, (c, logp) in classes.items())
        (Path(folder) / "map").write_text("".join(lines))
        engine = decoder(folder, {"Classes": weight}, "KLanguageModel -n Classes -m map classes.arpa")
        forest = engine.translate(" ".join(words), bf.grammar_text(rules))
    assert bf.all_scores(forest) == pytest.approx(sorted(map(score, derivations), reverse=True), abs=1e-4)


@deterministic
@given(bf.grammars, bf.sentences, bf.ngram_models())
def test_sentence_markers_in_rules(rules: list[bf.Rule], words: list[str], model: bf.Ngrams) -> None:
    whole = [bf.Rule("S", ("<s>", bf.NT("X"), "</s>"), ("<s>", 1, "</s>"))]
    source = ["<s>", *words, "</s>"]
    derivations = bf.derivations([*rules, *whole], bf.chain(source), glue=())
    assume(0 < len(derivations) <= MOST)
    expected = sorted((model.sentence(d.words[1:-1]) for d in derivations), reverse=True)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "lm.arpa").write_text(model.arpa())
        engine = decoder(
            folder, {"LanguageModel": 1.0}, "KLanguageModel -x lm.arpa", scfg_no_hiero_glue_grammar="true"
        )
        forest = engine.translate(" ".join(source), bf.grammar_text([*rules, *whole]))
    assert bf.all_scores(forest) == pytest.approx(expected, abs=1e-4)


@deterministic
@given(bf.cases, bf.weights, bf.ngram_models(), bf.ngram_models())
def test_second_pass(case: bf.Case, others: dict[str, float], first: bf.Ngrams, second: bf.Ngrams) -> None:
    derivations = case.derivations
    weights = {**case.weights, "LanguageModel": 1.0, "Second": 9.0}
    others = {**others, "LanguageModel": 0.5, "Second": 0.75, "SourceWordPenalty": 1.0}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "first.arpa").write_text(first.arpa())
        (Path(folder) / "second.arpa").write_text(second.arpa())
        (Path(folder) / "weights2").write_text("".join(f"{n} {v}\n" for n, v in others.items()))
        engine = decoder(
            folder,
            weights,
            "KLanguageModel first.arpa",
            feature_function2="KLanguageModel -n Second second.arpa",
            intersection_strategy2="full",
            weights2="weights2",
        )
        forest = engine.translate(" ".join(case.words), bf.grammar_text(case.rules))
    expected = sorted(
        (
            d.score(others) + 0.5 * first.sentence(d.words) + 0.75 * second.sentence(d.words)
            for d in derivations
        ),
        reverse=True,
    )
    assert bf.all_scores(forest) == pytest.approx(expected, abs=1e-4)

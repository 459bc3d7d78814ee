"""Consensus against all derivations, written out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import brute_force as bf
from support.brute_force import MOST, all_derivations, decode, deterministic

from hopefear import _native
from hopefear.base.errors import PluginError
from hopefear.decoder.consensus import Fast, Linear, Risk, create_consensus
from hopefear.metrics import Bleu, Ter

ALL = 1e9  # a density that prunes nothing


def ngrams(words: tuple[str, ...], order: int) -> Counter[str]:
    """All n-grams up to an order."""
    return Counter(
        " ".join(words[begin : begin + n]) for n in range(1, order + 1) for begin in range(len(words) - n + 1)
    )


def weighed(case: bf.Case, scale: float) -> list[tuple[bf.Derivation, float]]:
    """All derivations and their probabilities."""
    found = case.derivations
    scores = [scale * each.score(case.weights) for each in found]
    shares = [math.exp(score - max(scores)) for score in scores]
    return [(each, share / sum(shares)) for each, share in zip(found, shares, strict=True)]


def deviation(scores: Iterable[float]) -> float:
    found = np.std([*scores])
    return float(found) if found > 1e-9 else 1.0


scales = st.sampled_from([0.3, 1.0, 2.5])


@deterministic
@given(bf.cases, scales, st.integers(1, 4))
def test_counts_and_posteriors_are_those_of_all_derivations(case: bf.Case, scale: float, order: int) -> None:
    every = weighed(case, scale)
    counts, posteriors, length = Counter[str](), Counter[str](), 0.0
    for derivation, probability in every:
        length += probability * len(derivation.words)
        for ngram, count in ngrams(derivation.words, order).items():
            counts[ngram] += probability * count  # type: ignore[assignment]
            posteriors[ngram] += probability  # type: ignore[assignment]
    forest = case.decode()
    found = _native.NgramForest(forest.native, order=order, pop_limit=0)
    texts = found.texts()
    assert found.orders().tolist() == [len(text.split()) for text in texts]
    assert dict(zip(texts, found.expected_counts(scale), strict=True)) == pytest.approx(dict(counts))
    assert dict(zip(texts, found.posteriors(scale), strict=True)) == pytest.approx(dict(posteriors))
    assert found.expected_length(scale) == pytest.approx(length)
    rough = dict(zip(texts, found.posteriors(scale, negligible=0.3), strict=True))
    assert rough == pytest.approx({t: c if c < 0.3 - 1e-9 else posteriors[t] for t, c in counts.items()})


@deterministic
@given(bf.cases, scales, st.sampled_from([0.0, 0.4]))
def test_linear_bleu_is_that_of_all_derivations(case: bf.Case, scale: float, model: float) -> None:
    every = weighed(case, 0.0)
    every = weighed(case, scale / deviation(each.score(case.weights) for each, _ in every))
    posterior = Counter[str]()
    for derivation, probability in every:
        for ngram in ngrams(derivation.words, 4):
            posterior[ngram] += probability  # type: ignore[assignment]

    def gain(derivation: bf.Derivation) -> float:
        agreed = sum(
            count * posterior[ngram] / (4 * 0.6 * 0.5 ** (len(ngram.split()) - 1))
            for ngram, count in ngrams(derivation.words, 4).items()
        )
        return agreed - len(derivation.words) + model * derivation.score(case.weights)

    forest = case.decode()
    method = Linear(scale=scale, precision=0.6, ratio=0.5, model=model, density=ALL, negligible=0)
    found = forest.consensus(method)
    gains = sorted(map(gain, (derivation for derivation, _ in every)), reverse=True)
    listed = [found.score(derivation) for derivation in found.derivations(len(every) + 1)]
    assert listed == pytest.approx(gains)
    assert Counter(all_derivations(found)) == Counter(derivation for derivation, _ in every)


@deterministic
@given(bf.cases, scales, st.sampled_from(["Bleu", "Ter"]))
def test_risk_is_that_of_all_translations(case: bf.Case, scale: float, name: str) -> None:
    every = weighed(case, 1.0)
    best = dict[tuple[str, ...], float]()
    for derivation, _ in every:
        score = derivation.score(case.weights)
        best[derivation.words] = max(best.get(derivation.words, -math.inf), score)
    factor = scale / deviation(best.values())
    shares = {each: math.exp(factor * (score - max(best.values()))) for each, score in best.items()}

    def gain(text: tuple[str, ...]) -> float:
        total = 0.0
        for reference, share in shares.items():
            if name == "Bleu":
                total += share * Bleu().sentence_score(text, [reference])
            else:
                total -= share * Ter().score(Ter().stats(text, [reference]))
        return total / sum(shares.values())

    forest = case.decode()
    found = forest.consensus(Risk(metric=name, scale=scale, k=MOST))
    listed = {tuple(found.text(each).split()): found.score(each) for each in found.derivations(MOST + 1)}
    assert listed == pytest.approx({text: gain(text) for text in shares})
    assert Counter(all_derivations(found)) <= Counter(derivation for derivation, _ in every)


@deterministic
@given(bf.cases, scales)
def test_fast_consensus_is_bleu_against_expected_counts(case: bf.Case, scale: float) -> None:
    every = weighed(case, 0.0)
    every = weighed(case, scale / deviation(each.score(case.weights) for each, _ in every))
    expected, length = Counter[str](), 0.0
    for derivation, probability in every:
        length += probability * len(derivation.words)
        for ngram, count in ngrams(derivation.words, 4).items():
            expected[ngram] += probability * count  # type: ignore[assignment]

    def gain(text: tuple[str, ...]) -> float:
        logs = []
        for n in range(1, 5):
            own = {ngram: c for ngram, c in ngrams(text, 4).items() if len(ngram.split()) == n}
            if own:
                matched = sum(min(count, expected[ngram]) for ngram, count in own.items())
                logs.append(math.log(matched / sum(own.values())))
        return 100 * math.exp(sum(logs) / max(len(logs), 1) + min(0.0, 1 - length / len(text)))

    forest = case.decode()
    found = forest.consensus(Fast(scale=scale, k=MOST, density=ALL))
    listed = {tuple(found.text(each).split()): found.score(each) for each in found.derivations(MOST + 1)}
    assert all(gain(text) == pytest.approx(score) for text, score in listed.items())
    assert found.viterbi_score() == pytest.approx(max(gain(derivation.words) for derivation, _ in every))


def test_a_consensus_forest_has_links_features_and_model_scores() -> None:
    rules = [
        bf.Rule("X", ("a",), ("u",), (("f0", 1.0),)),
        bf.Rule("X", ("a",), ("v",), (("f1", 1.0),)),
        bf.Rule("X", ("b",), ("w",), (("f2", 2.0),)),
    ]
    forest = decode(rules, "a b", {"f0": 1.0, "f1": 0.5})
    for method in ("linear", "fast", "Ter"):
        found = forest.consensus(method)
        assert found.viterbi() == "u w"
        assert found.viterbi_features() == forest.viterbi_features()
        assert found.trees(found.best()) == forest.trees(forest.best())
        found.reweight()
        assert found.viterbi_score() == pytest.approx(forest.viterbi_score())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("liner", "unknown way to find a consensus, near: linear"),
        ("linear --scale 0", "scale must be above 0"),
        ("fast --density 0.5", "density must be at least 1"),
        ("risk --k 0", "k must be at least 1"),
        ("linear --sclae 1", "sclae"),
        ("risk --metric Blue", "near: Bleu"),
    ],
)
def test_wrong_methods_are_refused(line: str, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        create_consensus(line)


def test_a_metric_is_a_method() -> None:
    assert create_consensus("Chrf --word-order 2") == Risk(metric="Chrf --word-order 2")
    assert create_consensus("linear --scale 0.5 --ratio 0.6") == Linear(scale=0.5, ratio=0.6)
    assert np.isfinite(create_consensus("fast").scale)  # type: ignore[attr-defined]


VOTES = [("u", "v"), ("w", "x"), ("w", "y"), ("z", "z")]


def test_the_scale_of_the_weights_does_not_matter() -> None:
    rules = [bf.Rule("X", ("a",), (word, other), ((f"f{n}", 1.0),)) for n, (word, other) in enumerate(VOTES)]
    for method in ("linear", "fast", "Bleu", "Ter"):
        texts = set()
        for factor in (0.01, 1.0, 100.0):
            weights = {"f0": factor, "f1": 0.95 * factor, "f2": 0.9 * factor, "f3": -factor}
            texts.add(decode(rules, "a", weights).consensus(method).viterbi())
        assert texts == {"w x"}, method

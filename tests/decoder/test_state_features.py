"""Features with state, native and in Python, against n-grams counted on every derivation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from support import brute_force as bf
from support.brute_force import all_derivations, deterministic

from hopefear.decoder import Decoder, FeatureSelection, Hypergraph
from hopefear.grammars.sample import sample_path
from hopefear.plugins import (
    FeatureTable,
    NameTable,
    NgramFeatures,
    PluginError,
    RuleBatch,
    RuleFeatures,
    RuleStrings,
    Segment,
    StateBatch,
    StateFeatures,
)


class Words(NgramFeatures):
    """n-grams of target words, each with a second text: its first letter."""

    prefix = "W:"

    def __init__(self, order: int, boundaries: bool, patterns: tuple[tuple[int, ...], ...]) -> None:
        self.order, self.boundaries, self.patterns = order, boundaries, patterns
        self.texts = 1 + max(max(pattern) for pattern in patterns)

    def strings(self, rules: RuleBatch) -> RuleStrings:
        units, symbols = [], []
        for symbol in rules.target.tolist():
            symbols.append(len(units) if symbol > 0 else symbol - 1)
            if symbol > 0:
                word = rules.symbol(symbol)
                units.append((word, "~" + word[0])[: self.texts])
        return RuleStrings(units, rules.target_indptr.copy(), np.array(symbols, np.int32))

    def count(self, words: Sequence[str]) -> Counter[str]:
        """What should fire on a translation."""
        texts = [(word, "~" + word[0]) for word in words]
        if self.boundaries:
            texts = [("<s>", "<s>"), *texts, ("</s>", "</s>")]
        found: Counter[str] = Counter()
        for i in range(len(texts) - self.order + 1):
            window = texts[i : i + self.order]
            found.update({
                "W:" + "_".join(window[place][k] for place, k in enumerate(pattern))
                for pattern in self.patterns
            })  # fmt: skip
        return found


class Bigrams(StateFeatures):
    """Bigrams of target words, asked of Python in the midst of the search."""

    state_size = 2

    def __init__(self) -> None:
        self.words = ["<s>", "</s>"]
        self.table = NameTable(self.names)

    def number(self, word: str) -> int:
        if word not in self.words:
            self.words.append(word)
        return self.words.index(word) + 1

    def names(self, key: int) -> list[str]:
        return [f"W:{self.words[(key >> 32) - 1]}_{self.words[(key & 0xFFFFFFFF) - 1]}"]

    def begin(self, rules: RuleBatch, segment: Segment) -> list[list[int]]:
        bounds = rules.target_indptr
        return [
            [
                self.number(rules.symbol(s)) if s > 0 else s
                for s in rules.target[bounds[r] : bounds[r + 1]].tolist()
            ]
            for r in range(len(rules))
        ]

    def fire(self, edges: StateBatch, sentence: list[list[int]]) -> tuple[FeatureTable, NDArray[np.int64]]:
        keys: list[int] = []
        indptr, states = [0], []
        for i in range(len(edges)):
            tails = edges.tail_state[edges.tail_indptr[i] : edges.tail_indptr[i + 1]].tolist()
            assert len(edges.tail_span) == len(edges.tail_state)
            assert bool(edges.is_goal[i]) == (edges.local_rule[i] < 0)
            first = last = 0
            for symbol in [1, 0, 2] if edges.is_goal[i] else sentence[edges.local_rule[i]]:
                left, right = (symbol, symbol) if symbol > 0 else tails[-symbol]
                if last and left:
                    keys.append(last << 32 | left)
                first, last = first or left, right or last
            indptr.append(len(keys))
            states.append((first, last))
        _, columns = self.table.columns(np.array(keys, np.int64))
        table = FeatureTable(self.table, np.array(indptr, np.int32), columns, np.ones(len(columns)))
        return table, np.array(states, np.int64)


PAIRS = st.sampled_from([((0, 0),), ((1, 1),), ((0, 0), (1, 1)), ((0, 1), (1, 0), (0, 0))])


def weight(name: str) -> float:
    """Some weight for each name, the same in every process."""
    return sum(map(ord, name)) % 7 / 4 - 0.75


def search(
    rules: list[bf.Rule], words: list[str], weights: dict[str, float], plugins: list[Any], **options: Any
) -> Hypergraph:
    decoder = Decoder(formalism="scfg", weights=weights, features=plugins, **options)
    return decoder.translate(" ".join(words), bf.grammar_text(rules))


def with_ngrams(derivation: bf.Derivation, plugin: Words) -> bf.Derivation:
    fired = frozenset((name, float(n)) for name, n in plugin.count(derivation.words).items())
    return bf.Derivation(derivation.words, derivation.features | fired)


@deterministic
@given(bf.cases, st.integers(1, 4), st.booleans(), st.data())
def test_ngrams_of_every_derivation(case: bf.Case, n: int, boundaries: bool, data: Any) -> None:
    expected = case.derivations
    pairs = data.draw(PAIRS)
    plugin = Words(n, boundaries, tuple((pattern * 2)[:n] for pattern in pairs))
    expected = [with_ngrams(derivation, plugin) for derivation in expected]
    names = {name for derivation in expected for name, _ in derivation.features if name.startswith("W:")}
    weights = case.weights | {name: weight(name) for name in names}
    forest = search(case.rules, case.words, weights, [plugin], intersection_strategy="full")
    assert Counter(all_derivations(forest)) == Counter(expected)
    assert forest.viterbi_score() == pytest.approx(max(d.score(weights) for d in expected))


@deterministic
@given(bf.cases)
def test_a_python_plugin_finds_what_the_native_one_finds(case: bf.Case) -> None:
    expected = case.derivations
    native = Words(2, True, ((0, 0),))
    names = {name for derivation in expected for name in native.count(derivation.words)}
    weights = case.weights | {name: weight(name) for name in names}
    forest = search(case.rules, case.words, weights, [Bigrams()], intersection_strategy="full")
    assert Counter(all_derivations(forest)) == Counter(with_ngrams(d, native) for d in expected)
    native.prefix = "V:"
    weights |= {f"V:{name[2:]}": weight(name) for name in names}
    both = search(case.rules, case.words, weights, [Bigrams(), native], intersection_strategy="full")
    best = max(expected, key=lambda d: with_ngrams(d, native).score(weights) * 2 - d.score(weights))
    doubled = with_ngrams(best, native).score(weights) * 2 - best.score(weights)
    assert both.viterbi_score() == pytest.approx(doubled)


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    lines = (sample_path() / "dev.es").read_text().splitlines()
    return [line for line in lines if 8 <= len(line.split()) <= 10][:3]


@pytest.mark.parametrize("make", [lambda: Words(3, True, ((0, 0, 0), (1, 1, 1))), Bigrams])
def test_a_limited_search_keeps_features_and_scores_together(make: Any, sentences: list[str]) -> None:
    plugin = make()
    decoder = Decoder(sample_path() / "cdec.ini", features=[plugin])
    counter = plugin if isinstance(plugin, Words) else Words(2, True, ((0, 0),))
    for _ in range(2):
        for forest in decoder.translate_all(sentences, threads=2):
            for derivation in forest.derivations(5):
                fired = forest.features(derivation)
                ngrams = {name: value for name, value in fired.items() if name.startswith("W:")}
                assert ngrams == counter.count(forest.text(derivation).split())
                score = sum(decoder.weights[name] * value for name, value in fired.items())
                assert forest.score(derivation) == pytest.approx(score, abs=1e-4)
        # once more, with weights for what has fired
        decoder.weights.update({
            name: weight(name) for name, _ in list(decoder.weights) if name.startswith("W:")
        })  # fmt: skip


def test_dropped_features_do_not_fire(sentences: list[str]) -> None:
    for plugin in (Words(2, True, ((0, 0),)), Bigrams()):
        decoder = Decoder(
            sample_path() / "cdec.ini", features=[plugin], selection=FeatureSelection(deny=("W:*the*",))
        )
        forest = decoder.translate(sentences[0])
        names = [name for name, _ in forest.features(forest.best()).items()]
        assert any(name.startswith("W:") for name in names)
        assert not any("the" in name for name in names if name.startswith("W:"))


class Wrong(StateFeatures):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def fire(self, edges: StateBatch, sentence: Any) -> Any:
        return self.answer(len(edges))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: None, "expected a FeatureTable and states, got NoneType"),
        (lambda n: (FeatureTable.empty(n), np.zeros(n, np.int64)), r"got int64 of shape \(\d+,\)"),
        (lambda n: (FeatureTable.empty(n), np.zeros((n, 1))), "got float64 of shape"),
        (
            lambda n: (FeatureTable.empty(n + 1), np.zeros((n, 1), np.int64)),
            "elements of row, one for each item",
        ),
        (lambda n: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_wrong_answer_stops_the_sentence_only(answer: Any, message: str, sentences: list[str]) -> None:
    plugin = Wrong(answer)
    decoder = Decoder(sample_path() / "cdec.ini", features=[plugin])
    with pytest.raises(ValueError, match=f"plugin Wrong on sentence 1: .*{message}"):
        decoder.translate(sentences[0])
    plugin.answer = lambda n: (FeatureTable.empty(n), np.zeros((n, 1), np.int64))
    assert decoder.translate(sentences[0]).viterbi()


class WrongStrings(NgramFeatures):
    def __init__(self, symbols: int) -> None:
        self.symbol = symbols

    def strings(self, rules: RuleBatch) -> RuleStrings:
        one_each = np.arange(len(rules) + 1, dtype=np.int32)
        return RuleStrings(("a",), one_each, np.full(len(rules), self.symbol, np.int32))


@pytest.mark.parametrize(
    ("symbol", "message"), [(1, "symbols must be below 1"), (-3, "expected a nonterminal of the rule")]
)
def test_strings_of_unknown_symbols(symbol: int, message: str, sentences: list[str]) -> None:
    decoder = Decoder(sample_path() / "cdec.ini", features=[WrongStrings(symbol)])
    with pytest.raises(ValueError, match=f"plugin WrongStrings on sentence 1: .*{message}"):
        decoder.translate(sentences[0])


def test_order_and_patterns_are_checked() -> None:
    for order, pattern in ((0, ()), (6, (0,) * 6), (2, (0,))):
        with pytest.raises((ValueError, PluginError), match="plugin Words: "):
            plugin = Words(2, True, ((0, 0),))
            plugin.order, plugin.patterns = order, (pattern,)
            Decoder(sample_path() / "cdec.ini", features=[plugin])


def test_rule_and_state_features_together(sentences: list[str]) -> None:
    class Lengths(RuleFeatures):
        def fire(self, rules: RuleBatch) -> FeatureTable:
            return FeatureTable.from_dense(("Words",), np.diff(rules.target_indptr)[:, None])

    decoder = Decoder(sample_path() / "cdec.ini", features=[Words(2, True, ((0, 0),)), Lengths()])
    for _ in range(2):
        forest = decoder.translate(sentences[1])
        fired = forest.features(forest.best())
        assert fired["Words"] >= len(forest.viterbi().split())


@deterministic
@given(bf.cases)
def test_a_consensus_has_the_features_of_state_plugins(case: bf.Case) -> None:
    assume(case.derivations)
    weights = case.weights | {f"W:{a}_{b}": weight(f"W:{a}_{b}") for a in "uvwz" for b in "uvwz"}
    forest = search(case.rules, case.words, weights, [Bigrams()], intersection_strategy="full")
    every = Counter(all_derivations(forest))
    for method in ("linear --density 1e9", "fast --k 1000 --density 1e9", "Wer"):
        found = forest.consensus(method)
        assert Counter(all_derivations(found)) <= every
        found.reweight()
        best = found.best()
        made = bf.Derivation(tuple(found.text(best).split()), frozenset(found.features(best).items()))
        assert found.score(best) == pytest.approx(made.score(weights))
    assert len(forest.word_confidence()) == len(forest.viterbi().split())

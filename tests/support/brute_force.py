"""All derivations of a small grammar over a sentence or lattice, by recursion; n-gram models as tables.

Nothing here shares code or method with the engine, which `decode` asks for the same.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

from hypothesis import assume, settings
from hypothesis import strategies as st

from hopefear.decoder import Decoder, Hypergraph, Lattice


class NT(NamedTuple):
    category: str


@dataclass(frozen=True)
class Rule:
    lhs: str
    source: tuple[str | NT, ...]
    target: tuple[str | int, ...]
    """Words, and numbers of source nonterminals from 1."""
    features: tuple[tuple[str, float], ...] = ()

    def line(self) -> str:
        source, number = [], 0
        for symbol in self.source:
            number += isinstance(symbol, NT)
            source.append(f"[{symbol.category},{number}]" if isinstance(symbol, NT) else symbol)
        target = [f"[{s}]" if isinstance(s, int) else s for s in self.target]
        features = " ".join(f"{name}={value}" for name, value in self.features)
        return f"[{self.lhs}] ||| {' '.join(source)} ||| {' '.join(target)} ||| {features}\n"


def grammar_text(rules: Sequence[Rule]) -> str:
    return "".join(rule.line() for rule in rules)


GLUE = (Rule("S", (NT("X"),), (1,)), Rule("S", (NT("S"), NT("X")), (1, 2), (("Glue", 1.0),)))


@dataclass(frozen=True)
class Derivation:
    words: tuple[str, ...]
    features: frozenset[tuple[str, float]]

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def score(self, weights: Mapping[str, float]) -> float:
        return sum(weights.get(name, 0.0) * value for name, value in self.features)


class SourceArc(NamedTuple):
    start: int
    end: int
    word: str
    features: tuple[tuple[str, float], ...] = ()


def chain(words: Sequence[str]) -> list[SourceArc]:
    return [SourceArc(i, i + 1, word) for i, word in enumerate(words)]


def derivations(
    rules: Sequence[Rule], arcs: Sequence[SourceArc], *, max_span: int = 10, glue: Sequence[Rule] = GLUE
) -> list[Derivation]:
    """All derivations of an S over the whole input, equal ones as often as there are."""
    length = max(arc.end for arc in arcs)
    Partial = tuple[tuple[str, ...], tuple[tuple[str, float], ...]]

    @cache
    def derive(category: str, start: int, end: int) -> tuple[Partial, ...]:
        found: list[Partial] = []
        for rule in rules:
            if rule.lhs == category and end - start <= max_span:
                found += apply(rule, start, end)
        if start == 0:
            for rule in glue:
                if rule.lhs == category:
                    found += apply(rule, start, end)
        return tuple(found)

    def apply(rule: Rule, start: int, end: int) -> Iterator[Partial]:
        for tails, features in match(rule.source, start, end):
            words: list[str] = []
            for symbol in rule.target:
                words += [symbol] if isinstance(symbol, str) else tails[symbol - 1]
            yield tuple(words), rule.features + features

    def match(
        symbols: tuple[str | NT, ...], start: int, end: int
    ) -> Iterator[tuple[list[tuple[str, ...]], tuple[tuple[str, float], ...]]]:
        if not symbols:
            if start == end:
                yield [], ()
            return
        first, rest = symbols[0], symbols[1:]
        if isinstance(first, NT):
            for middle in range(start + 1, end + 1):
                if len(rest) > end - middle:
                    continue
                for words, features in derive(first.category, start, middle):
                    for tails, more in match(rest, middle, end):
                        yield [words, *tails], features + more
        else:
            for arc in arcs:
                if arc.start == start and arc.word == first and arc.end <= end:
                    for tails, more in match(rest, arc.end, end):
                        yield tails, arc.features + more

    return [make_derivation(words, features) for words, features in derive("S", 0, length)]


def make_derivation(words: tuple[str, ...], features: Sequence[tuple[str, float]]) -> Derivation:
    sums: Counter[str] = Counter()
    for name, value in features:
        sums[name] += value  # type: ignore[assignment]
    return Derivation(words, frozenset((name, value) for name, value in sums.items() if value))


# random grammars

SOURCE_WORDS, TARGET_WORDS, FEATURES = "abc", "uvwz", ("f0", "f1", "f2")


def random_rule(rng: random.Random) -> Rule:
    """Return a rule over X and A; the only unary one is X over A."""
    lhs = rng.choice("XXXA")
    symbols = rng.choices([*SOURCE_WORDS, *SOURCE_WORDS, NT("X"), NT("A")], k=rng.randint(1, 3))
    if sum(isinstance(symbol, NT) for symbol in symbols) > 2:
        symbols[0] = "a"
    if len(symbols) == 1 and isinstance(symbols[0], NT):
        lhs, symbols = "X", [NT("A")]
    arity = sum(isinstance(symbol, NT) for symbol in symbols)
    target: list[str | int] = [
        *rng.choices(TARGET_WORDS, k=rng.randint(0 if arity else 1, 2)),
        *range(1, arity + 1),
    ]
    rng.shuffle(target)
    features = ((name, float(rng.choice([0, 0, *range(-4, 5)]))) for name in FEATURES)
    return Rule(lhs, tuple(symbols), tuple(target), tuple((n, value) for n, value in features if value))


def pool_of_rules(size: int) -> list[Rule]:
    """Return random rules, the simplest first: Hypothesis draws one of a list far sooner than its parts."""
    rng = random.Random(size)
    found = {random_rule(rng) for _ in range(size)}
    return sorted(found, key=lambda r: (len(r.source) + len(r.target), len(r.features), r.line()))


grammars = st.lists(st.sampled_from(pool_of_rules(4000)), min_size=2, max_size=8)
sentences = st.text(SOURCE_WORDS, min_size=1, max_size=5).map(list)
weights = st.integers(0, 9999).map(
    lambda seed: {
        name: value / 4
        for name, value in zip(
            (*FEATURES, "Glue", "PassThrough"),
            random.Random(seed).choices(range(-8, 9), k=len(FEATURES) + 2),
            strict=True,
        )
    }
)


# n-gram models


@dataclass
class Ngrams:
    """A backoff model: log10 probability and backoff by n-gram."""

    order: int
    table: dict[tuple[str, ...], tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def from_arpa(cls, lines: Iterator[str]) -> Ngrams:
        model = cls(0)
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if line.startswith("\\") and line.endswith("-grams:\n"):
                model.order = max(model.order, int(line[1 : line.index("-")]))
            elif len(fields) > 1:
                model.table[tuple(fields[1].split(" "))] = (
                    float(fields[0]),
                    float(fields[2]) if len(fields) > 2 else 0.0,
                )
        return model

    def arpa(self) -> str:
        by_order = [[n for n in self.table if len(n) == k + 1] for k in range(self.order)]
        lines = ["\\data\\", *(f"ngram {k + 1}={len(found)}" for k, found in enumerate(by_order)), ""]
        for k, found in enumerate(by_order):
            lines.append(f"\\{k + 1}-grams:")
            for ngram in found:
                probability, backoff = self.table[ngram]
                last = "" if k + 1 == self.order else f"\t{backoff}"
                lines.append(f"{probability}\t{' '.join(ngram)}{last}")
            lines.append("")
        return "\n".join([*lines, "\\end\\", ""])

    def known(self, word: str) -> str:
        return word if (word,) in self.table else "<unk>"

    def word(self, history: tuple[str, ...], word: str) -> float:
        history = history[-(self.order - 1) :] if self.order > 1 else ()
        found = self.table.get((*history, word))
        if found is not None:
            return found[0]
        return self.table.get(history, (0.0, 0.0))[1] + self.word(history[1:], word)

    def sentence(self, words: Sequence[str]) -> float:
        """log10 p(words </s> | <s>)."""
        tokens = ["<s>", *map(self.known, words), "</s>"]
        return math.fsum(self.word(tuple(tokens[:i]), tokens[i]) for i in range(1, len(tokens)))


def random_ngrams(rng: random.Random, words: Sequence[str]) -> Ngrams:
    """Return a model of order 2 or 3 in which every n-gram's prefix and suffix are n-grams too."""

    def log() -> float:
        return rng.randint(-256, -1) / 64  # the same in single and double precision

    order = rng.randint(2, 3)
    model = Ngrams(order, {(word,): (log(), log()) for word in [*words, "<unk>"]})
    model.table[("<s>",)] = (-99.0, log())
    model.table[("</s>",)] = (log(), 0.0)
    for n in range(2, order + 1):
        shorter = [ngram for ngram in model.table if len(ngram) == n - 1]
        possible = [
            (*left, right[-1])
            for left in shorter
            for right in shorter
            if left[1:] == right[:-1]
            and left[-1] != "</s>"
            and right[-1] != "<s>"
            and "<unk>" not in (*left, *right)
        ]
        for ngram in rng.sample(possible, rng.randint(0, min(8, len(possible)))):
            model.table[ngram] = (log(), 0.0 if ngram[-1] == "</s>" else log())
    return model


def ngram_models(words: Sequence[str] = TARGET_WORDS[:3]) -> st.SearchStrategy[Ngrams]:
    return st.integers(0, 9999).map(lambda seed: random_ngrams(random.Random(seed), words))


# the engine on the same cases

MOST = 400
"""Cases with more derivations are left out."""

deterministic = settings(derandomize=True, max_examples=80)


def decode(
    rules: list[Rule], source: str | Lattice, weights: dict[str, float], **options: object
) -> Hypergraph:
    return Decoder(formalism="scfg", weights=weights, **options).translate(source, grammar_text(rules))


def all_derivations(forest: Hypergraph) -> list[Derivation]:
    return [
        Derivation(tuple(forest.text(d).split()), frozenset(forest.features(d).items()))
        for d in forest.derivations(100 * MOST)
    ]


def all_scores(forest: Hypergraph) -> list[float]:
    return [forest.score(d) for d in forest.derivations(100 * MOST)]


def best_first(every: Sequence[Derivation], weights: Mapping[str, float]) -> list[float]:
    """The scores of derivations."""
    return sorted((d.score(weights) for d in every), reverse=True)


@dataclass
class Case:
    """A grammar, a sentence and weights."""

    rules: list[Rule]
    words: list[str]
    weights: dict[str, float]

    @cached_property
    def derivations(self) -> list[Derivation]:
        """All derivations; a test of a case that has none or too many is left out."""
        found = derivations(self.rules, chain(self.words))
        assume(0 < len(found) <= MOST)
        return found

    def decode(self, **options: object) -> Hypergraph:
        return decode(self.rules, " ".join(self.words), self.weights, **options)


cases = st.builds(Case, grammars, sentences, weights)

"""All derivations of a small grammar over a sentence or lattice, by recursion; n-gram models as tables.

Nothing here shares code or method with the engine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from hypothesis import strategies as st


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


GLUE = (
    Rule("S", (NT("X"),), (1,)),
    Rule("S", (NT("S"), NT("X")), (1, 2), (("Glue", 1.0),)),
)


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


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """A rule over X and A; the only unary one is X over A."""
    lhs = draw(st.sampled_from("XXXA"))
    symbols = draw(
        st.lists(st.sampled_from([*SOURCE_WORDS, *SOURCE_WORDS, NT("X"), NT("A")]), min_size=1, max_size=3)
    )
    if sum(isinstance(symbol, NT) for symbol in symbols) > 2:
        symbols[0] = "a"
    if len(symbols) == 1 and isinstance(symbols[0], NT):
        lhs, symbols = "X", [NT("A")]
    arity = sum(isinstance(symbol, NT) for symbol in symbols)
    words = draw(st.lists(st.sampled_from(TARGET_WORDS), min_size=0 if arity else 1, max_size=2))
    target: tuple[str | int, ...] = tuple(draw(st.permutations([*words, *range(1, arity + 1)])))
    values = draw(st.dictionaries(st.sampled_from(FEATURES), st.integers(-4, 4).filter(bool)))
    return Rule(lhs, tuple(symbols), target, tuple(sorted((n, float(v)) for n, v in values.items())))


grammars = st.lists(rules(), min_size=2, max_size=8)
sentences = st.lists(st.sampled_from(SOURCE_WORDS), min_size=1, max_size=5)
weights = st.fixed_dictionaries(
    {name: st.integers(-8, 8).map(lambda n: n / 4) for name in (*FEATURES, "Glue", "PassThrough")}
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


@st.composite
def ngram_models(draw: st.DrawFn, words: Sequence[str] = TARGET_WORDS[:3]) -> Ngrams:
    """A model of order 2 or 3 in which every n-gram's prefix and suffix are n-grams too."""
    # Multiples of 1/64 are the same in single and double precision.
    logs = st.integers(-256, -1).map(lambda n: n / 64)
    order = draw(st.integers(2, 3))
    model = Ngrams(order, {(word,): (draw(logs), draw(logs)) for word in [*words, "<unk>"]})
    model.table[("<s>",)] = (-99.0, draw(logs))
    model.table[("</s>",)] = (draw(logs), 0.0)
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
        chosen = draw(st.sets(st.sampled_from(sorted(possible)), max_size=8)) if possible else set()
        for ngram in sorted(chosen):
            model.table[ngram] = (draw(logs), 0.0 if ngram[-1] == "</s>" else draw(logs))
    return model

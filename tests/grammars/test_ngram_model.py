"""Modified Kneser-Ney smoothing against its formulas, in dictionaries."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import brute_force as bf
from support.brute_force import deterministic

from hopefear.base import InputError
from hopefear.grammars.arpa import LOG_ZERO, write_arpa
from hopefear.grammars.ngram_counts import count_ngrams
from hopefear.grammars.ngram_model import estimate

Ngram = tuple[str, ...]

texts = st.lists(st.lists(st.sampled_from("abcd"), max_size=6), min_size=1, max_size=12)
orders = st.integers(1, 6)


@st.composite
def thresholds(draw: st.DrawFn, order: int) -> list[int]:
    return sorted(draw(st.lists(st.integers(0, 3), max_size=order)))


class ByDefinition:
    """Chen and Goodman (1998), section 3 and equations 23 to 26, as Heafield et al. (2013) have them."""

    def __init__(self, text: list[list[str]], order: int, prune: list[int], fallback: list[float]) -> None:
        self.prune = [prune[min(i, len(prune) - 1)] if prune else 0 for i in range(order)]
        self.occurrences: list[Counter[Ngram]] = [Counter() for _ in range(order)]
        for words in text:
            sentence = ("<s>", *words, "</s>")
            for end in range(2, len(sentence) + 1):
                for n in range(1, min(order, end) + 1):
                    self.occurrences[n - 1][sentence[end - n : end]] += 1
        self.counts = [self.adjusted(n, order) for n in range(1, order + 1)]
        self.discounts = [self.estimated(counts, fallback) for counts in self.counts]
        self.vocabulary = {"<unk>", "</s>", *(g[0] for g in self.occurrences[0] if self.kept(g))}

    def adjusted(self, n: int, order: int) -> dict[Ngram, int]:
        if n == order:
            return dict(self.occurrences[n - 1])
        before: dict[Ngram, set[str]] = {}
        for longer in self.occurrences[n]:
            before.setdefault(longer[1:], set()).add(longer[0])
        return {g: count if g[0] == "<s>" else len(before[g]) for g, count in self.occurrences[n - 1].items()}

    @staticmethod
    def estimated(counts: dict[Ngram, int], fallback: list[float]) -> list[float]:
        n = Counter(counts.values())
        if not (n[1] and n[2] and n[3]):
            return fallback
        y = n[1] / (n[1] + 2 * n[2])
        found = [k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3)]
        return found if all(0 <= d <= k for k, d in enumerate(found, 1)) else fallback

    def kept(self, g: Ngram) -> bool:
        special = g[0] in ("<unk>", "<s>", "</s>") and len(g) == 1
        return special or self.occurrences[len(g) - 1][g] > self.prune[len(g) - 1]

    def discount(self, g: Ngram) -> float:
        return self.discounts[len(g) - 1][min(self.counts[len(g) - 1][g], 3) - 1]

    def backoff(self, context: Ngram) -> float:
        n = len(context)
        if n == len(self.counts):
            return 1.0
        longer = {g: c for g, c in self.counts[n].items() if g[:-1] == context}
        if not longer:
            return 1.0
        return sum(self.discount(g) if self.kept(g) else c for g, c in longer.items()) / sum(longer.values())

    def probability(self, g: Ngram) -> float:
        """Of the last word after the others, all of them in the text."""
        if not g:
            return 1 / len(self.vocabulary)
        counts = self.counts[len(g) - 1]
        total = sum(c for other, c in counts.items() if other[:-1] == g[:-1])
        own = (counts[g] - self.discount(g)) / total if g in counts else 0.0
        return own + self.backoff(g[:-1]) * self.probability(g[1:])

    def table(self) -> dict[Ngram, tuple[float, float]]:
        kept = [g for counts in self.counts for g in counts if self.kept(g)]
        table = {g: (self.probability(g), self.backoff(g)) for g in [*kept, ("<unk>",), ("</s>",)]}
        return {**table, ("<s>",): (1.0, self.backoff(("<s>",)))}


def arpa(
    text: list[list[str]], order: int, prune: Sequence[int] = (), fallback: Sequence[float] | None = None
) -> bf.Ngrams:
    """Estimate a model, write it, read it."""
    model = estimate(count_ngrams(map(" ".join, text), order), prune=prune, fallback=fallback)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arpa"
        write_arpa(model, path)
        with path.open() as lines:
            return bf.Ngrams.from_arpa(lines)


@deterministic
@given(st.data(), texts, orders)
def test_the_definition(data: st.DataObject, text: list[list[str]], order: int) -> None:
    prune = data.draw(thresholds(order))
    expected = ByDefinition(text, order, prune, [0.5, 1.0, 1.5]).table()
    found = arpa(text, order, prune, [0.5, 1.0, 1.5]).table
    assert found.keys() == expected.keys()
    for ngram, (probability, backoff) in expected.items():
        assert 10 ** found[ngram][0] == pytest.approx(probability, rel=2e-6), ngram
        assert 10 ** found[ngram][1] == pytest.approx(backoff, rel=2e-6), ngram


@deterministic
@given(st.data(), texts, orders, st.lists(st.sampled_from(["a", "b", "c", "d", "z"]), max_size=6))
def test_probabilities_sum_to_one(
    data: st.DataObject, text: list[list[str]], order: int, context: list[str]
) -> None:
    model = arpa(text, order, data.draw(thresholds(order)), [0.5, 1.0, 1.5])
    vocabulary = [g[0] for g in model.table if len(g) == 1 and g != ("<s>",)]
    for history in (context, ["<s>", *context]):
        known = tuple(map(model.known, history))
        assert math.fsum(10 ** model.word(known, word) for word in vocabulary) == pytest.approx(1, abs=1e-5)


def test_estimated_discounts_are_used() -> None:
    """As many unigrams of each count as it takes: n1 = 4, n2 = 2, n3 = 2, n4 = 1."""
    counts = dict(zip("abcdefghi", (1, 1, 1, 1, 2, 2, 3, 3, 4), strict=True))
    text = [[word] for word, count in counts.items() for _ in range(count)]
    table = arpa(text, 1).table
    y = 4 / (4 + 2 * 2)
    discounts = {1: 1 - 2 * y * 2 / 4, 2: 2 - 3 * y * 2 / 2, 3: 3 - 4 * y * 1 / 2}
    total = 18 + 18  # and </s>
    rest = (4 * discounts[1] + 2 * discounts[2] + 4 * discounts[3]) / total / 11
    assert 10 ** table[("<unk>",)][0] == pytest.approx(rest, rel=2e-6)
    assert 10 ** table[("a",)][0] == pytest.approx((1 - discounts[1]) / total + rest, rel=2e-6)
    assert 10 ** table[("e",)][0] == pytest.approx((2 - discounts[2]) / total + rest, rel=2e-6)
    assert 10 ** table[("i",)][0] == pytest.approx((4 - discounts[3]) / total + rest, rel=2e-6)


def test_no_probability_is_no_infinity() -> None:
    """Without discounts nothing is left for unknown words; KenLM reads no -inf."""
    table = arpa([["a", "b"], ["b"]], 2, fallback=[0.0]).table
    assert table[("<unk>",)][0] == table[("a",)][1] == LOG_ZERO
    assert table[("a", "b")][0] == 0


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a b a\na b\n\nb", {}, "1-grams: there are none with adjusted count 1. Take more text"),
        ("a b c\nb d", {}, "1-grams: there are none with adjusted count 3. Take more text"),
        ("a", {"prune": [0, 0, 0, 1]}, "at most 3 pruning thresholds, got 4"),
        ("a", {"prune": [0, 2, 1]}, r"that do not decrease, got \[0, 2, 1\]"),
        ("a", {"prune": [-1]}, "pruning thresholds from 0"),
        ("a", {"fallback": []}, "one to three fallback discounts, got 0"),
        ("a", {"fallback": [0.5, 1, 1.5, 2]}, "one to three fallback discounts, got 4"),
        ("a", {"fallback": [1.5]}, r"count 1 in \[0, 1\], got 1.5"),
        ("a", {"fallback": [0.5, math.nan]}, r"count 2 in \[0, 2\], got nan"),
    ],
)
def test_what_cannot_be_estimated(text: str, options: dict[str, list[float]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        estimate(count_ngrams(text.split("\n"), 3), **options)


def test_a_discount_out_of_range() -> None:
    """n1 = 1, n2 = 1, n3 = 4: D2 = 2 - 3 * 1/3 * 4 < 0; KenLM refuses the text likewise."""
    counts = dict(zip("abcdef", (1, 2, 3, 3, 3, 3), strict=True))
    text = [word for word, count in counts.items() for _ in range(count)]
    with pytest.raises(InputError, match="1-grams: that of adjusted count 2 would be -2"):
        estimate(count_ngrams(text, 1))


def test_no_text() -> None:
    with pytest.raises(InputError, match="got no lines"):
        estimate(count_ngrams([], 3), fallback=[0.5])

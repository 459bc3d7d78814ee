"""The exchange algorithm against the log-likelihood of its definition."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import log
from pathlib import Path

import numpy as np
import pytest

from hopefear.base import InputError
from hopefear.grammars.word_classes import ExchangeAlgorithm, count_bigrams, find_classes, write_classes
from hopefear.plugins.word_classes import read_classes


def log_likelihood(texts: list[list[str]], class_of: dict[str, int]) -> float:
    """Return log Π p(c | c') p(w | c) up to the boundary of each sentence, without Σ n(w) log n(w).

    That of maximum likelihood; the boundary is a class of one word.
    """
    pairs: Counter[tuple[int, int]] = Counter()
    sizes: Counter[int] = Counter()
    for text in texts:
        pairs.update(pairwise([0, *(class_of[word] for word in text), 0]))
        sizes.update([*(class_of[word] for word in text), 0])
    transitions = sum(n * log(n / sizes[first]) for (first, _), n in pairs.items())
    words = -sum(n * log(n) for kind, n in sizes.items() if kind)
    return transitions + words + sizes[0] * log(sizes[0])


def random_texts(seed: int) -> list[list[str]]:
    """Sentences of two kinds of words that take turns, roughly; some words repeat themselves."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(40):
        length = int(rng.integers(1, 8))
        kinds = ["aeiou" if (i + (rng.random() < 0.1)) % 2 else "bcdfg" for i in range(length)]
        texts.append([str(rng.choice(list(kind))) for kind in kinds])
    return texts


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("classes", [1, 2, 3, 10])
def test_each_round_gains_until_no_word_can_move(seed: int, classes: int) -> None:
    texts = random_texts(seed)
    words, bigrams = count_bigrams(map(" ".join, texts))
    exchange = ExchangeAlgorithm(bigrams, len(words), classes)

    def exact(class_of: np.ndarray) -> float:
        return log_likelihood(texts, dict(zip(words, (class_of[:-1] + 1).tolist(), strict=True)))

    known = [exchange.log_likelihood()]
    assert known[0] == pytest.approx(exact(exchange.class_of))
    while exchange.round():
        known.append(exchange.log_likelihood())
        assert known[-1] == pytest.approx(exact(exchange.class_of))
        assert known[-1] > known[-2]
    for word in range(len(words)):
        for other in range(classes):
            moved = exchange.class_of.copy()
            moved[word] = other
            assert exact(moved) <= known[-1] + 1e-6


def test_vowels_and_consonants(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("".join(" ".join(line) + "\n" for line in random_texts(0)) + "\n")
    classes = find_classes(text, 2, 20)
    assert {frozenset(w for w in classes if classes[w] == k) for k in (1, 2)} == {
        frozenset("aeiou"),
        frozenset("bcdfg"),
    }
    write_classes(classes, tmp_path / "classes")
    assert read_classes(tmp_path / "classes") == {word: str(k) for word, k in classes.items()}


def test_fewer_words_than_classes_and_none(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("b a\nb\n")
    assert sorted(find_classes(tmp_path / "text", 50, 5)) == ["a", "b"]
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(InputError, match="expected a text, got no words"):
        find_classes(tmp_path / "empty", 50, 5)

"""Word classes by the exchange algorithm."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from hopefear.base import InputError
from hopefear.grammars.ngram_counts import count_ngrams
from hopefear.grammars.word_clusters import WordClusters, cluster_words
from hopefear.plugins.word_classes import read_classes


def clustered(lines: list[str], classes: int, passes: int = 20) -> WordClusters:
    return cluster_words(count_ngrams(iter(lines), 2), classes, passes=passes)


def log_likelihood(lines: list[str], class_of: dict[str, object]) -> float:
    """By the definition: Σ N(c, c') log N(c, c') - 2 Σ N(c) log N(c), with a class for sentence ends."""
    symbols = [[None, *(class_of[word] for word in line.split()), None] for line in lines]
    pairs = Counter(pair for line in symbols for pair in pairwise(line))
    sizes = Counter(second for line in symbols for second in line[1:])
    return sum(n * math.log(n) for n in pairs.values()) - 2 * sum(n * math.log(n) for n in sizes.values())


def random_text(seed: int, words: int = 9, lines: int = 25) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(f"w{draw.randrange(words)}" for _ in range(draw.randrange(1, 7))) for _ in range(lines)]


@pytest.mark.parametrize("seed", range(6))
def test_the_likelihood_is_that_of_its_definition_and_no_exchange_is_better(seed: int) -> None:
    """Brute force: the result is a local maximum over the moves of single words."""
    lines, classes = random_text(seed), 3
    found = clustered(lines, classes, passes=100)
    assert all(b >= a - 1e-9 for a, b in pairwise(found.likelihoods))
    class_of: dict[str, object] = dict(zip(found.words, found.classes.tolist(), strict=True))
    best = log_likelihood(lines, class_of)
    assert found.likelihoods[-1] == pytest.approx(best, abs=1e-8)
    for word in class_of:
        for other in range(classes):
            assert log_likelihood(lines, {**class_of, word: other}) <= best + 1e-8
    counts = Counter(word for line in lines for word in line.split())
    assert dict(zip(found.words, found.counts.tolist(), strict=True)) == counts


def test_words_of_a_kind_share_a_class() -> None:
    draw = random.Random(4)
    kinds = {"article": ["the", "a"], "noun": ["dog", "cat", "cow"], "verb": ["sees", "hears", "likes"]}
    pick = {kind: lambda kind=kind: draw.choice(kinds[kind]) for kind in kinds}
    pattern = ("article", "noun", "verb", "article", "noun")
    found = clustered([" ".join(pick[kind]() for kind in pattern) for _ in range(200)], 3)
    class_of = dict(zip(found.words, found.classes.tolist(), strict=True))
    assert [len({class_of[word] for word in words}) for words in kinds.values()] == [1, 1, 1]
    assert len({*class_of.values()}) == 3


def test_classes_are_written_as_they_are_read(tmp_path: Path) -> None:
    found = clustered(random_text(1), 5)
    found.save(tmp_path / "classes")
    names = {word: f"{k:03b}" for word, k in zip(found.words, found.classes.tolist(), strict=True)}
    assert read_classes(tmp_path / "classes") == names
    clustered(["a a"], 1).save(tmp_path / "one")
    assert (tmp_path / "one").read_text() == "0\ta\t2\n"


def test_too_few_words() -> None:
    with pytest.raises(InputError, match="expected at least 3 different words, one for each class, got 2"):
        clustered(["a b a"], 3)
    with pytest.raises(ValueError, match="expected counts of bigrams, got 3-grams"):
        cluster_words(count_ngrams(iter(["a b"]), 3), 1)

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import GrammarExtractor
from hopefear.grammars.symmetrisation import grow_diag_final_and
from hopefear.live import align_pair


def counted(table):
    """Counts of links as an extractor gives them, from counts of (source, target), None for no word."""

    def counts(source, target):
        rows, columns = [*source, None], [*target, None]
        return (
            np.array([[table.get((f, e), 0.0) for e in columns] for f in rows]),
            np.array([sum(n for (f, _), n in table.items() if f == word) for word in rows], float),
            np.array([sum(n for (_, e), n in table.items() if e == word) for word in columns], float),
        )

    return counts


def best(words, given, count, total):
    """By the definition: for each word, the position of the given word, or None."""
    out = []
    for j, word in enumerate(words):
        m, n = len(given), len(words)  # whole numbers first: equal distances are equal
        near = [math.exp(-4 * abs((2 * i + 1) * n - (2 * j + 1) * m) / (2 * m * n)) for i in range(m)]
        scores = {
            i: 0.92 * near[i] / sum(near) * (count(other, word) + 1e-4) / (total(other) + 1)
            for i, other in enumerate(given)
        }
        scores[None] = 0.08 * (count(None, word) + 1e-4) / (total(None) + 1)
        out.append(max(scores, key=lambda i: (scores[i], i is None)))
    return out


ALIKE = {"aman": {"am", "ma", "an"}, "Ámana": {"am", "ma", "an", "na"}, "naat": {"na", "aa", "at"}}
"""Words and their pairs of letters without accents; other words have one letter."""


def alike(f, e):
    """Dice's coefficient of two words, if it is at least 0.4."""
    one, other = (ALIKE.get(word, set()) for word in (f, e))
    similarity = 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
    return similarity if similarity >= 0.4 else 0.0


word = st.sampled_from([*"abcd", *ALIKE])
words = st.lists(word, min_size=1, max_size=6)
keys = st.tuples(st.none() | word, st.none() | word)


@settings(max_examples=200, deadline=None)
@given(words, words, st.dictionaries(keys, st.integers(1, 9)))
@example([*"aba"], [*"ababa"], {("b", "b"): 4, (None, "a"): 2})  # two words are equally near
def test_links_are_those_of_the_definition(source, target, table):
    table.pop((None, None), None)

    def of_source(word):
        return sum(n for (f, _), n in table.items() if f == word)

    def of_target(word):
        return sum(n for (_, e), n in table.items() if e == word)

    def links(f, e):
        unknown = None not in (f, e) and not (of_source(f) and of_target(e))
        return table.get((f, e), 0) + (alike(f, e) if unknown else 0)

    forward = best(target, source, links, of_source)
    reverse = best(source, target, lambda e, f: links(f, e), of_target)
    expected = grow_diag_final_and(
        [(i, j) for j, i in enumerate(forward) if i is not None],
        [(i, j) for i, j in enumerate(reverse) if j is not None],
    )
    assert align_pair(source, target, [counted(table)]) == expected


def test_a_new_name_is_linked_to_its_other_form_not_to_the_word_at_its_place():
    table = {("y", "and"): 50, ("vino", "came"): 20, (None, "homage"): 1, ("rey", "king"): 9}
    source, target = "y amán rey vino", "homage and haman came"
    links = align_pair(source.split(), target.split(), [counted(table)])
    assert (1, 2) in links and (1, 0) not in links


def test_an_unknown_word_is_linked_to_an_unknown_word():
    text = [("el perro", "the dog"), ("el gato dijo", "the cat said")] * 10
    extractor = GrammarExtractor(
        Bitext.from_pairs([(f.split(), e.split(), [(i, i) for i in range(len(f.split()))]) for f, e in text])
    )
    found = align_pair(["dijo", "el", "zorgulo"], ["the", "dragon", "said"], [extractor.link_counts])
    assert found == [(0, 2), (1, 0), (2, 1)]


def test_counts_are_summed():
    one, two = counted({("a", "x"): 1}), counted({("a", "y"): 3})
    assert align_pair(["a"], ["y", "x"], [one, two])[0] == (0, 0)


def test_sentences_without_words_and_too_long_ones():
    assert align_pair([], ["x"], []) == align_pair(["a"], [], []) == []
    with pytest.raises(ValueError, match="at most 1023 words, got 1024"):
        align_pair(["a"] * 1024, ["x"], [])

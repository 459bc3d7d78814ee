"""Documents of other languages than the system's are told."""

from __future__ import annotations

import math

import pytest

from hopefear.live.server.languages import CommonWords, language_doubt

SYSTEM = ("es", "en")


@pytest.mark.parametrize(
    ("named", "text", "languages", "doubt"),
    [
        (("", ""), "La casa.", SYSTEM, None),
        (("es-MX", "en_GB"), "La casa.", SYSTEM, None),
        (
            ("", "fr"),
            "La casa.",
            SYSTEM,
            "the document names French as its target language, the system has English",
        ),
        (
            ("de", "en"),
            "Haus.",
            SYSTEM,
            "the document names German as its source language, the system has Spanish",
        ),
        (("de", "fr"), "Haus.", (None, None), None),
        (("de", "fr"), "Зелёный", ("und", None), None),
        (("", ""), "Зелёный", ("und", None), None),
        (("", ""), "Зелёный дом, a", SYSTEM, "the document is in Cyrillic letters"),
        (("", ""), "今日は", ("ja", "en"), None),
        (("", ""), "12.", SYSTEM, None),
    ],
)
def test_what_a_document_names_and_its_letters(
    named: tuple[str, str], text: str, languages: tuple[str | None, str | None], doubt: str | None
) -> None:
    found = language_doubt(named, [text], languages)
    assert found is None if doubt is None else found is not None and found.startswith(doubt)


SPANISH = ["La", "casa", "￭,", "de", "la", "que", "x{}", "y", "12"]


def test_common_words_are_those_of_each_tenth_of_a_text() -> None:
    common = CommonWords.of([token.format("o" * n) for token in SPANISH] for n in range(40))
    assert common.words == {"la", "casa", "de", "que", "y"}
    assert common.share == 6 / 7  # signs and numbers are no words
    assert CommonWords.of([]).doubt([["la"]]) is None


@pytest.mark.parametrize(
    ("words", "times", "is_doubted"),
    [
        ("a casa de x y", 100, False),  # 3 in 5
        ("o livro da casa azul", 100, True),  # 1 in 5, less than half of 6 in 7
        ("o livro da casa azul", 5, False),  # too few to tell
        ("the house of blue", 10, True),
        ("la la la", 100, False),
        ("12 , .", 100, False),
    ],
)
def test_a_document_with_few_common_words_is_doubted(words: str, times: int, is_doubted: bool) -> None:
    common = CommonWords.of([token.format("o" * n) for token in SPANISH] for n in range(40))
    found = common.doubt([words.split(" ")] * times)
    assert (found is not None) == is_doubted
    assert found is None or "86%" in found


def test_texts_of_at_least_half_the_share_are_doubted_once_in_a_thousand() -> None:
    """The chance is that of a binomial number, by its exact sum."""
    common = CommonWords(frozenset({"la"}), 0.6)
    for words in (10, 40, 200):
        doubted = [
            count
            for count in range(words + 1)
            if common.doubt([["la"] * count + ["x"] * (words - count)]) is not None
        ]
        chance = sum(math.comb(words, count) * 0.3**count * 0.7 ** (words - count) for count in doubted)
        assert chance <= 1e-3 and (words == 10 or doubted)

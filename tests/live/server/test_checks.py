"""What a translator is asked about before a translation is confirmed."""

from __future__ import annotations

import pytest

from hopefear.live.server.checks import doubts, together


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Son 1.200 casas.", "There are 1,200 houses.", []),
        ("Son 12 y 12.", "There are 12.", ["the translation has no 12"]),
        ("El a4.", "The page.", []),
        ("٣ بيوت", "3 houses", []),
        ("Dijo: “sí”.", "He said, “yes.”", []),
        ("¿Sí?", "Yes.", ["the sentence ends with a question mark, the translation ends with a full stop"]),
        (
            "La <b>casa.</b>",
            "The <b>house</b>",
            ["the sentence ends with a full stop, the translation does not"],
        ),
        ("La casa", "The house!", []),
        ("¿Sí?", "Yes", ["the sentence ends with a question mark, the translation does not"]),
        ("家。", "A house.", []),
        ("La casa,", "The house;", []),
    ],
)
def test_numbers_and_signs(source: str, target: str, expected: list[str]) -> None:
    assert doubts(source, target) == expected


def test_an_end_that_confirmed_sentences_often_have_is_not_asked_about() -> None:
    """Twice, and in one of ten sentences that end so; here 2 of 20 and 2 of 21 end without a sign."""
    without, with_sign = ("La casa.", "the house,"), ("La casa.", "The house.")
    asked = ["the sentence ends with a full stop, the translation does not"]
    assert doubts(*without, (), [without] + 3 * [("La casa,", "the house,")]) == asked
    assert doubts(*without, (), 2 * [without] + 18 * [with_sign]) == []
    assert doubts(*without, (), 2 * [without] + 19 * [with_sign]) == asked
    assert doubts("La casa.", "The house!", (), 2 * [without])


def test_what_a_complaint_says_is_not_said_again() -> None:
    assert doubts("3.5 km", "far", ["the translation has no '3.5 km'"]) == []


def test_pieces_that_lack_are_told_together() -> None:
    told = [
        "the translation has no 'a'",
        "the source has no 'x'",
        "the translation has no 1.0",
        "tags do not nest",
    ]
    expected = ["the translation has no 'a', 1.0", "the source has no 'x'", "tags do not nest"]
    assert together(told) == expected
    assert together([]) == []

"""The work of typing, counted by hand."""

from __future__ import annotations

import pytest

from hopefear.metrics import TypingWork, typed_words, typing_work


def from_list(*translations: str):
    """Complete by the first translation that begins so; if none does, by nothing."""

    def complete(typed: str) -> str:
        return next((each for each in translations if each.startswith(typed)), typed)

    return complete


@pytest.mark.parametrize(
    ("translations", "reference", "keys", "mouse", "words"),
    [
        (["the red house"], "the red house", 0, 1, 0),
        (["the red house now"], "the red house", 0, 1, 0),  # the rest goes with the acceptance
        # accept "the ", type "b", and all is there
        (["the red house", "the blue house"], "the blue house", 1, 2, 1),
        # the first letter is wrong: the caret is there already
        (["red house", "blue house"], "blue house", 1, 1, 1),
        # accept "the ", type "old": nothing is known; accept nothing more
        (["the red house"], "the old", 3, 2, 1),
        (["a b"], "a b c", 2, 2, 1),  # accept "a b", type the blank and "c"
        ([], "ab cd", 5, 1, 2),
        (["x"], "", 0, 1, 0),
    ],
)
def test_by_hand(translations: list[str], reference: str, keys: int, mouse: int, words: int) -> None:
    complete = from_list(*translations)
    work = typing_work(complete, reference)
    assert work == TypingWork(keys, mouse, len(reference))
    assert work.actions == keys + mouse
    assert typed_words(complete, reference) == words

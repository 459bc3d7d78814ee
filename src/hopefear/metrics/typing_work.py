"""What a translator does whose translation is completed at each key, simulated by its reference."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import NamedTuple

from hopefear.base.texts import split_words

Completer = Callable[[str], str]
"""Returns a whole translation that begins with what has been typed."""


class TypingWork(NamedTuple):
    """What it takes until a translation is the reference.

    Attributes
    ----------
    keys : int
        Characters that are typed.
    mouse : int
        Mouse actions: one for each beginning of a completion that is accepted, and one for the whole.
    characters : int
        The length of the reference.
    """

    keys: int
    mouse: int
    characters: int

    @property
    def actions(self) -> int:
        """Keys and mouse actions; for 100 characters, this is KSMR."""
        return self.keys + self.mouse


def typing_work(complete: Completer, reference: str) -> TypingWork:
    """Simulate a translator who types characters (Barrachina et al. 2009, section 5.2).

    The translator accepts the completion up to the first wrong character, with the mouse if the caret is not
    there already, types the right character, and gets another completion. What goes on behind the whole
    reference is cut when the whole is accepted.

    Parameters
    ----------
    complete : callable
        Completes what has been typed; called with nothing first.
    reference : str
        What the translator wants.
    """
    keys, mouse, typed = 0, 1, ""
    while True:
        right = _common(complete(typed), reference)
        if right == len(reference):
            return TypingWork(keys, mouse, len(reference))
        mouse += right > len(typed)
        keys += 1
        typed = reference[: right + 1]
        if typed == reference:
            return TypingWork(keys, mouse, len(reference))


def _common(first: str, second: str) -> int:
    """Return how many characters two texts begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def typed_words(complete: Completer, reference: str) -> int:
    """Return how many words a translator types who types whole words; of 100 words, this is the WSR.

    The translator accepts the completion up to the first wrong word, and types the right one.

    Parameters
    ----------
    complete : callable
        Completes what has been typed, which ends with a blank; called with nothing first.
    reference : str
        What the translator wants, words separated by single blanks.
    """
    words, typed, count = split_words(reference), 0, 0
    while typed < len(words):
        completion = split_words(complete("".join(f"{word} " for word in words[:typed])))
        while typed < len(words) and completion[typed : typed + 1] == (words[typed],):
            typed += 1
        if typed < len(words):
            typed, count = typed + 1, count + 1
    return count

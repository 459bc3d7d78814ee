"""An n-gram model of a text by the definition: counts over the whole text for each probability."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

Text = Sequence[Sequence[str]]


def scores(
    text: Text,
    sentence: Sequence[str],
    background: Callable[[str], float],
    *,
    order: int,
    discount: float,
    continuation: bool,
) -> list[float]:
    """log10 of probability over background probability of each word of a sentence and of its end."""
    raw: Counter[tuple[str, ...]] = Counter()
    for one in text:
        words = ["<s>", *one, "</s>"]
        for end in range(2, len(words) + 1):
            raw.update(tuple(words[begin:end]) for begin in range(max(0, end - order), end))

    def count(ngram: tuple[str, ...]) -> int:
        if not continuation or len(ngram) == order or ngram[0] == "<s>":
            return raw[ngram]
        return len({longer[0] for longer in raw if longer[1:] == ngram})

    def probability(context: tuple[str, ...], word: str) -> float:
        shorter = probability(context[1:], word) if context else background(word)
        after = [count(ngram) for ngram in raw if ngram[:-1] == context]
        if not sum(after):
            return shorter
        own = max(count((*context, word)) - discount, 0)
        return (own + discount * sum(n > 0 for n in after) * shorter) / sum(after)

    words = ["<s>", *sentence, "</s>"]
    return [
        math.log10(probability(tuple(words[max(0, i - order + 1) : i]), words[i]) / background(words[i]))
        for i in range(1, len(words))
    ]

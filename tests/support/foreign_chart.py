"""Derivations of sentences with their ends, ``<s> … </s>``, as Moses and Joshua have them: all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

Nonterminal = tuple[str]


@dataclass(frozen=True)
class ForeignRule:
    """A rule with its own score; nonterminals are 1-tuples of a category, or numbers on the target side."""

    lhs: str
    source: tuple[str | Nonterminal, ...]
    target: tuple[str | int, ...]
    score: float
    span: int | None = None
    from_start: bool = False


def best_scores(
    rules: Sequence[ForeignRule],
    words: Sequence[str],
    goals: Sequence[str],
    model: Callable[[tuple[str, ...]], float],
) -> dict[str, float]:
    """Return the best score of each translation, without the ends; `model` scores one with its ends."""
    sentence = ("<s>", *words, "</s>")

    @cache
    def chart(category: str, begin: int, end: int) -> tuple[tuple[tuple[str, ...], float], ...]:
        found = []
        for rule in rules:
            fits = (rule.span is None or end - begin <= rule.span) and (begin == 0 or not rule.from_start)
            if rule.lhs == category and fits:
                for parts, score in matches(rule.source, begin, end):
                    found.append((yielded(rule.target, parts), score + rule.score))
        return tuple(found)

    def matches(source, begin: int, end: int) -> Iterator[tuple[tuple[tuple[str, ...], ...], float]]:
        if not source:
            if begin == end:
                yield (), 0.0
            return
        first, rest = source[0], source[1:]
        if isinstance(first, str):
            if begin < end and sentence[begin] == first:
                yield from matches(rest, begin + 1, end)
            return
        for middle in range(begin + 1, end - len(rest) + 1):
            for target, score in chart(first[0], begin, middle):
                for parts, more in matches(rest, middle, end):
                    yield (target, *parts), score + more

    best: dict[str, float] = {}
    for goal in goals:
        for target, score in chart(goal, 0, len(sentence)):
            assert (target[0], target[-1]) == ("<s>", "</s>")
            text = " ".join(target[1:-1])
            best[text] = max(best.get(text, float("-inf")), score + model(target))
    return best


def yielded(target: Sequence[str | int], parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    out: list[str] = []
    for symbol in target:
        out.extend([symbol] if isinstance(symbol, str) else parts[symbol - 1])
    return tuple(out)

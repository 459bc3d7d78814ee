"""Pairs of lines of parallel text as it comes in: which are fit to learn from, and why the others are not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import read_packed, written_whole
from hopefear.base.lines import raw_lines, together
from hopefear.base.progress import progress_bar
from hopefear.base.stored import json_bytes, parse_json
from hopefear.base.texts import split_words

from .profile import Profile

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W\d_]){{2,}}")
_FEW = 3
"""Lines with fewer words that belong to one side tell no language."""

_OF_OTHER = 0.7
"""The share of a line's words that belong to a side, from which the line is of the other side's language."""

_CLEARLY = 5
"""How many times as frequent a word is on the side of its language."""


class Reason(str, Enum):
    """Why a pair is left out."""

    ENCODING = "a line is not UTF-8 text"
    EMPTY = "a line is empty"
    LONG = "a line has too many words"
    RATIO = "a line is many times as long as the other"
    LANGUAGE = "a line is in the language of the other"
    REPEATED = "the pair has stood before"


@dataclass
class PairCounts:
    """What was found in parallel text."""

    pairs: int = 0
    left_out: dict[Reason, list[int]] = field(default_factory=dict)
    repeated: int = 0

    @property
    def kept(self) -> int:
        """Number of pairs to learn from."""
        return self.pairs - sum(map(len, self.left_out.values()))

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers of all lines that are left out."""
        return frozenset(number for numbers in self.left_out.values() for number in numbers)

    def save(self, path: Path) -> None:
        """Write the counts to a file, JSON."""
        left_out = {reason.name: numbers for reason, numbers in self.left_out.items()}
        record = {"pairs": self.pairs, "left_out": left_out, "repeated": self.repeated}
        with written_whole(path) as part:
            part.write_bytes(json_bytes(record))

    @classmethod
    def load(cls, path: Path) -> PairCounts:
        """Read what `save` has written."""
        content = read_packed(path)
        try:
            record = parse_json(content)
            left_out = {Reason[name]: list(map(int, numbers)) for name, numbers in record["left_out"].items()}
            return cls(int(record["pairs"]), left_out, int(record["repeated"]))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError("expected the counts of sentence pairs: build again", path=path) from None

    def lines(self) -> Iterator[str]:
        """Iterate over the lines of a table for people."""
        yield f"{self.pairs:,} pairs, {self.kept:,} to learn from"
        for reason, numbers in sorted(self.left_out.items(), key=lambda item: -len(item[1])):
            first = ", ".join(f"{number:,}" for number in numbers[:3])
            more = ", ..." if len(numbers) > 3 else ""
            yield f"{len(numbers):>9,}  {reason.value} (line {first}{more})"
        if self.repeated and Reason.REPEATED not in self.left_out:
            yield f"{self.repeated:>9,}  {Reason.REPEATED.value}, and counts again"


def read_pairs(source: Path, target: Path, *, name: str) -> Iterator[tuple[int, bytes, bytes]]:
    """Iterate over the pairs of lines of two files, with their number from 1, as bytes."""
    both = enumerate(together((source, target), raw_lines(source), raw_lines(target)), 1)
    for number, (f, e) in progress_bar(both, name=name):
        yield number, f[2], e[2]


def check_pairs(
    source: Path,
    target: Path,
    *,
    profile: Profile,
    max_words: int,
    max_ratio: float = 9.0,
    unique: bool = False,
) -> PairCounts:
    """Find the pairs of parallel text that are fit to learn from.

    The language of a line is told by the two texts themselves: a word belongs to the side on which it is
    several times as frequent. A line most of whose words belong to the other side is left out.
    """
    frequent = Counter[str](), Counter[str]()
    for _, *lines in read_pairs(source, target, name="counting words"):
        for count, line in zip(frequent, lines, strict=True):
            count.update(_words(_without_pieces(line.decode("utf-8", "replace"), profile)))
    counts, seen = PairCounts(), set[int]()
    for number, f, e in read_pairs(source, target, name="checking pairs"):
        counts.pairs += 1
        reason = _reason(f, e, profile, frequent, max_words, max_ratio)
        key = hash((f, e))
        if reason is None and key in seen:
            counts.repeated += 1
            reason = Reason.REPEATED if unique else None
        seen.add(key)
        if reason is not None:
            counts.left_out.setdefault(reason, []).append(number)
    return counts


def _reason(
    source: bytes,
    target: bytes,
    profile: Profile,
    frequent: tuple[Counter[str], Counter[str]],
    max_words: int,
    max_ratio: float,
) -> Reason | None:
    try:
        texts = source.decode(), target.decode()
    except UnicodeDecodeError:
        return Reason.ENCODING
    if "\0" in texts[0] or "\0" in texts[1]:
        return Reason.ENCODING
    lengths = [len(split_words(text)) for text in texts]
    if not all(lengths):
        return Reason.EMPTY
    if max(lengths) > max_words:
        return Reason.LONG
    sizes = [len(text) for text in texts]
    if max(sizes) > 20 and min(max(sizes) / min(sizes), max(lengths) / min(lengths)) > max_ratio:
        return Reason.RATIO
    words = [_words(_without_pieces(text, profile)) for text in texts]
    here = [Counter(side) for side in words]
    elsewhere = [
        {word: count[word] - here_counts[word] for word in (*here[0], *here[1])}
        for count, here_counts in zip(frequent, here, strict=True)
    ]
    if _is_of(here[0], elsewhere[1], elsewhere[0]) or _is_of(here[1], elsewhere[0], elsewhere[1]):
        return Reason.LANGUAGE
    return None


def _is_of(words: Counter[str], other: dict[str, int], own: dict[str, int]) -> bool:
    """Tell whether the words of a line that belong to one side, in the other pairs, belong to the other."""
    of_other = sum(count for word, count in words.items() if other[word] > _CLEARLY * own[word])
    of_own = sum(count for word, count in words.items() if own[word] > _CLEARLY * other[word])
    enough = max(_FEW, words.total() / 3)
    return of_other + of_own >= enough and of_other >= _OF_OTHER * (of_other + of_own)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _without_pieces(text: str, profile: Profile) -> str:
    for piece in reversed(profile.pieces(text)):
        text = f"{text[: piece.begin]} {text[piece.end :]}"
    return text

"""Dependency parses in CoNLL-U: one line per word, ten columns, blank lines between sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, NoReturn

from hopefear.base import InputError
from hopefear.base.lines import each_line

_COLUMNS = 10
_FORM, _UPOS, _XPOS, _HEAD = 1, 3, 4, 6
_ID = re.compile(r"([0-9]{1,9})(?:([-.])([0-9]{1,9}))?")
_NOTHING = "_"


class Contraction(NamedTuple):
    """Words [begin, end) that are one token of the text: ``1-2  del`` of ``de`` and ``el``."""

    begin: int
    end: int
    form: str


@dataclass(frozen=True, slots=True)
class DependencyParse:
    """A sentence's words, their tags and heads."""

    words: tuple[str, ...]
    tags: tuple[str, ...] | None
    heads: tuple[int, ...] | None
    contractions: tuple[Contraction, ...] = ()

    def contracted(self) -> DependencyParse:
        """Replace each contraction by one word, which gives the tokens of the text.

        A contraction takes tag and head of its word nearest to a root, so that heads still lead to roots.
        """
        words = range(len(self.words))
        depth = [0] * len(words) if self.heads is None else depths(self.heads)
        forms, chosen, inside = list(self.words), list(words), set[int]()
        for begin, end, form in self.contractions:
            forms[begin] = form
            chosen[begin] = min(range(begin, end), key=depth.__getitem__)
            inside.update(range(begin + 1, end))
        kept = [word for word in words if word not in inside]
        token = [0, *accumulate(int(word not in inside) for word in words)]
        tags, heads = self.tags, self.heads
        return DependencyParse(
            tuple(forms[word] for word in kept),
            None if tags is None else tuple(tags[chosen[word]] for word in kept),
            None if heads is None else tuple(token[heads[chosen[word]]] for word in kept),
        )


def depths(heads: Sequence[int]) -> list[int]:
    """Return how far each word is from its root."""
    distances = [-1] * len(heads)
    for word in range(len(heads)):
        way = []
        while word >= 0 and distances[word] < 0:
            way.append(word)
            word = heads[word] - 1
        nearest = distances[word] if word >= 0 else -1
        for depth, word in enumerate(reversed(way), nearest + 1):
            distances[word] = depth
    return distances


def read_conllu(path: Path | str) -> Iterator[tuple[int, DependencyParse]]:
    """Iterate over the sentences of a file, plain or gzip.

    Empty nodes (``1.1``) are left out. A sentence that consists of comments only has no words.
    """
    return _sentences(path, each_line(path))


def _sentences(path: Path | str, lines: Iterator[str]) -> Iterator[tuple[int, DependencyParse]]:
    begin = number = 0
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(lines, 1):
        if line:
            begin = begin or number
            if not line.startswith("#"):
                rows.append((number, line.split("\t")))
        elif begin:
            yield begin, _Reader(path, rows).read()
            begin, rows = 0, []
    if begin:
        yield begin, _Reader(path, rows).read()


class _Reader:
    def __init__(self, path: Path | str, rows: Sequence[tuple[int, list[str]]]) -> None:
        self.path = path
        self.rows = rows

    def read(self) -> DependencyParse:
        words: list[tuple[int, list[str]]] = []
        contractions: list[Contraction] = []
        for line, columns in self.rows:
            if len(columns) != _COLUMNS:
                self.fail(line, f"{_COLUMNS} columns with tabs between them", str(len(columns)))
            match = _ID.fullmatch(columns[0])
            count = len(words)
            if match is None:
                self.fail(line, "an id such as 1, 1-2 or 1.1", repr(columns[0]))
            number, kind, other = int(match[1]), match[2], int(match[3] or 0)
            if kind is None:
                if number != count + 1:
                    self.fail(line, f"id {count + 1}", columns[0])
                words.append((line, columns))
            elif kind == "-":
                covered = contractions[-1].end if contractions else 0
                if number != count + 1 or number <= covered or other <= number:
                    begin = max(count, covered) + 1
                    self.fail(line, f"a range of words that begins with {begin}", columns[0])
                contractions.append(Contraction(count, other, columns[_FORM]))
            elif number != count:
                self.fail(line, f"an empty node after word {count}", columns[0])
        if contractions and (end := contractions[-1].end) > len(words):
            self.fail(self.rows[-1][0], f"a line for word {end}", "the end of the sentence")
        tags = tuple(c[_UPOS] if c[_UPOS] != _NOTHING else c[_XPOS] for _, c in words)
        return DependencyParse(
            tuple(columns[_FORM] for _, columns in words),
            None if words and set(tags) == {_NOTHING} else tags,
            self.heads(words),
            tuple(contractions),
        )

    def heads(self, words: Sequence[tuple[int, list[str]]]) -> tuple[int, ...] | None:
        if words and all(columns[_HEAD] == _NOTHING for _, columns in words):
            return None
        heads = []
        for line, columns in words:
            text = columns[_HEAD]
            if not re.fullmatch("[0-9]{1,9}", text) or int(text) > len(words):
                self.fail(line, f"a head from 0 to {len(words)}", repr(text))
            heads.append(int(text))
        safe = {0}  # words from which heads lead to a root
        for word, (line, _) in enumerate(words, 1):
            way: set[int] = set()
            while word not in safe:
                if word in way:
                    self.fail(line, "heads that lead to a root", f"a cycle through word {word}")
                way.add(word)
                word = heads[word - 1]
            safe |= way
        return tuple(heads)

    def fail(self, line: int, expected: str, got: str) -> NoReturn:
        raise InputError(f"expected {expected}, got {got}", path=self.path, line=line)

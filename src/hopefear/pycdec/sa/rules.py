"""The rules that an extractor gives, and what features see of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import total_ordering
from types import MappingProxyType
from typing import Any

from hopefear.pycdec.sa.symbols import Column, isvar
from hopefear.pycdec.sa.texts import DataArray
from hopefear.pycdec.text import as_text


@total_ordering
class Phrase:
    """A side of a rule, a sequence of symbols."""

    def __init__(self, words: Iterable[str | bytes]) -> None:
        self._symbols = tuple(map(as_text, words))
        self._variables = [i for i, symbol in enumerate(self._symbols) if isvar(symbol)]

    @property
    def words(self) -> list[str]:
        """The words, without nonterminals."""
        return [symbol for symbol in self if not isvar(symbol)]

    def arity(self) -> int:
        """Return the number of nonterminals."""
        return len(self._variables)

    def getvarpos(self, i: int) -> int:
        """Return the position of a nonterminal."""
        if not 0 <= i < self.arity():
            raise IndexError(f"expected a nonterminal from 0 to {self.arity()} exclusive, got {i}")
        return self._variables[i]

    def getvar(self, i: int) -> str:
        """Return a nonterminal."""
        return self._symbols[self.getvarpos(i)]

    def getchunk(self, ci: int) -> list[str]:
        """Return the words between nonterminal `ci` - 1 and nonterminal `ci`, from 0."""
        ends = [*self._variables, len(self)]
        return list(self._symbols[self._variables[ci - 1] + 1 if ci else 0 : ends[ci]])

    def clen(self, k: int) -> int:
        """Count the words between nonterminal `k` - 1 and nonterminal `k`."""
        return len(self.getchunk(k))

    def handle(self) -> tuple[str, ...]:
        """Return the symbols with the nonterminals numbered in their order here."""
        number, symbols = 0, []
        for symbol in self:
            if isvar(symbol):
                number += 1
                symbol = f"{symbol.rpartition(',')[0]},{number}]"
            symbols.append(symbol)
        return tuple(symbols)

    def strhandle(self) -> str:
        """Return `handle` as text."""
        return " ".join(self.handle())

    def iterspans(self, nt_flag: bool = False, to_str: bool = True) -> Iterator[tuple[list[str], bool]]:
        """Iterate over pieces: ``(words, not nt_flag)``, and between them ``([nonterminal], nt_flag)``.

        Symbols are texts whatever `to_str` is.
        """
        for k in range(self.arity() + 1):
            if k:
                yield [self.getvar(k - 1)], nt_flag
            if chunk := self.getchunk(k):
                yield chunk, not nt_flag

    def __str__(self) -> str:
        return " ".join(self._symbols)

    def __repr__(self) -> str:
        return f"Phrase({str(self)!r})"

    def __len__(self) -> int:
        return len(self._symbols)

    def __getitem__(self, i: int) -> str:
        return self._symbols[i]

    def __iter__(self) -> Iterator[str]:
        return iter(self._symbols)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Phrase) and self._symbols == other._symbols

    def __lt__(self, other: Phrase) -> bool:
        return self._symbols < other._symbols

    def __hash__(self) -> int:
        return hash(self._symbols)


class FeatureVector:
    """The features of a rule, in their order."""

    def __init__(self, values: Mapping[str, float] = MappingProxyType({})) -> None:
        self._values = dict(values)

    def set(self, name: str | bytes, value: float) -> None:
        """Set a feature."""
        self._values[as_text(name)] = float(value)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return iter(self._values.items())

    def __str__(self) -> str:
        """Write the features with numbers as in cdec's grammars: 12 digits, and at least one decimal."""
        return " ".join(f"{name}={float(f'{value:.12g}')!r}" for name, value in self)


@dataclass
class Rule:
    """A rule; its text is a line of a grammar file."""

    lhs: str
    f: Phrase
    e: Phrase
    scores: FeatureVector
    word_alignments: tuple[tuple[int, int], ...] = ()

    def arity(self) -> int:
        """Return the number of nonterminals."""
        return self.f.arity()

    def alignments(self) -> Iterator[tuple[int, int]]:
        """Iterate over the alignment."""
        return iter(self.word_alignments)

    def __str__(self) -> str:
        links = " ".join(f"{i}-{j}" for i, j in self.word_alignments)
        return f"{self.lhs} ||| {self.f} ||| {self.e} ||| {self.scores} ||| {links}"


@dataclass(frozen=True)
class FeatureContext:
    """What a feature sees of a rule."""

    fphrase: Phrase
    ephrase: Phrase
    paircount: int
    fcount: int
    fsample_count: int
    input_span: tuple[int, int]
    input_match: tuple[int, ...]
    test_sentence: tuple[Column, ...]
    f_text: DataArray
    e_text: DataArray
    meta: Mapping[str, Any]
    online: None = None

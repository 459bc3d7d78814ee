"""Rules and grammars written in Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hopefear._native import name_fault, name_part_fault, parse_links
from hopefear.base import InputError
from hopefear.base.texts import split_fields, split_words
from hopefear.decoder import RuleText
from hopefear.pycdec.vectors import SparseVector

_NONTERMINAL = re.compile(r"\[([^\[\],\s]+)(?:,(\d+))?\]")
_REFERENCE = re.compile(r"\[(?:[^\[\],\s]+,)?(\d+)\]")


@dataclass(unsafe_hash=True)
class NT:
    """A nonterminal: its category, and its number from 1 if it is in a rule."""

    cat: str
    ref: int = 0

    def __str__(self) -> str:
        return f"[{self.cat},{self.ref}]" if self.ref > 0 else f"[{self.cat}]"

    def __repr__(self) -> str:
        return f"NT({self.cat!r}, {self.ref})"


@dataclass(unsafe_hash=True)
class NTRef:
    """A nonterminal on a rule's target side: the number of its source nonterminal, from 1."""

    ref: int

    def __str__(self) -> str:
        return f"[{self.ref}]"

    def __repr__(self) -> str:
        return f"NTRef({self.ref})"


class TRule:
    """A translation rule.

    Parameters
    ----------
    lhs : NT or str
        Left-hand side.
    f : sequence of str and NT
        Source side; its nonterminals are numbered in their order.
    e : sequence of str and NTRef
        Target side.
    scores : mapping of str to float
    a : sequence of pairs of int, optional
        Alignment points (source, target).
    text : str, optional
        ``[LHS] ||| source ||| target ||| scores ||| alignment``, in place of the other parameters.

    Raises
    ------
    ValueError
        A word is malformed, the numbers on the target side do not match, or `text` is not a rule.
    """

    def __init__(
        self,
        lhs: NT | str | None,
        f: Sequence[str | NT] | None,
        e: Sequence[str | NTRef] | None,
        scores: Mapping[str, float] | SparseVector | None,
        a: Iterable[tuple[int, int]] | None = None,
        text: str | None = None,
    ) -> None:
        if text is not None:
            lhs, f, e, scores, a = _read(text)
        self.lhs = lhs if isinstance(lhs, NT) else NT(lhs or "")
        self.f = list(f or ())
        self.e = list(e or ())
        self.scores = scores if isinstance(scores, SparseVector) else SparseVector(scores or {})
        self.a = list(a or ())

    @property
    def f(self) -> list[str | NT]:
        """Source side."""
        return self._f

    @f.setter
    def f(self, symbols: Sequence[str | NT]) -> None:
        self._f: list[str | NT] = []
        for symbol in symbols:
            if isinstance(symbol, NT):
                self._f.append(NT(symbol.cat, self.arity + 1))
            else:
                self._f.append(_word(symbol))

    @property
    def e(self) -> list[str | NTRef]:
        """Target side."""
        return self._e

    @e.setter
    def e(self, symbols: Sequence[str | NTRef]) -> None:
        self._e = [symbol if isinstance(symbol, NTRef) else _word(symbol) for symbol in symbols]

    @property
    def arity(self) -> int:
        """The number of nonterminals."""
        return sum(isinstance(symbol, NT) for symbol in self._f)

    def line(self) -> str:
        """Write the rule as a line of a grammar file.

        Raises
        ------
        ValueError
            The numbers on the target side differ from those on the source side; or no feature, or no
            category, can have one of the names.
        """
        for name, _ in self.scores:
            if fault := name_fault(name):
                raise InputError(f"rule {self}: a feature name {fault}, got {name!r}")
        for category in (self.lhs, *(symbol for symbol in self.f if isinstance(symbol, NT))):
            if fault := name_part_fault(category.cat):
                raise InputError(f"rule {self}: a category {fault}, got {category.cat!r}")
        references = sorted(symbol.ref for symbol in self.e if isinstance(symbol, NTRef))
        if references != list(range(1, self.arity + 1)):
            raise ValueError(f"rule {self}: expected each of {self.arity} nonterminals once in the target")
        parts = [str(NT(self.lhs.cat)), _phrase(self.f), _phrase(self.e)]
        parts.append(" ".join(f"{name}={value!r}" for name, value in self.scores))
        if self.a:
            parts.append(" ".join(f"{source}-{target}" for source, target in self.a))
        return " ||| ".join(parts)

    def __str__(self) -> str:
        scores = " ".join(f"{name}={value}" for name, value in self.scores)
        return f"{self.lhs} ||| {_phrase(self.f)} ||| {_phrase(self.e)} ||| {scores}"


class MRule(TRule):
    """A monolingual rule: both sides are the same."""

    def __init__(
        self, lhs: NT | str, rhs: Sequence[str | NT], scores: Mapping[str, float] | SparseVector
    ) -> None:
        target: list[str | NTRef] = []
        arity = 0
        for symbol in rhs:
            arity += isinstance(symbol, NT)
            target.append(NTRef(arity) if isinstance(symbol, NT) else symbol)
        super().__init__(lhs, rhs, target, scores)


class Grammar:
    """Rules with a name."""

    def __init__(self, rules: Iterable[TRule] = ()) -> None:
        self.name = ""
        self._rules = list(rules)
        for rule in self._rules:
            if not isinstance(rule, TRule):
                raise ValueError(f"the grammar should contain TRule objects, got {type(rule).__name__}")

    def __iter__(self) -> Iterator[TRule]:
        """Iterate over the rules."""
        return iter(self._rules)

    def text(self) -> str:
        """Write the rules as a grammar file."""
        return "".join(rule.line() + "\n" for rule in self)


class TextGrammar(Grammar):
    """A grammar of given rules."""


def of_edge(rule: RuleText) -> TRule:
    """Make a `TRule` from an edge's rule."""
    return TRule(
        rule.lhs,
        [symbol if isinstance(symbol, str) else NT(*symbol) for symbol in rule.source],
        [symbol if isinstance(symbol, str) else NTRef(symbol) for symbol in rule.target],
        rule.features,
        rule.alignment,
    )


def _phrase(symbols: Iterable[str | NT | NTRef]) -> str:
    return " ".join(map(str, symbols))


def _word(word: str) -> str:
    if not isinstance(word, str):
        raise ValueError(f"expected a word, NT or NTRef, got {word!r}")
    if name_part_fault(word) or word == "|||" or _NONTERMINAL.fullmatch(word):
        raise ValueError(f"expected a word without white space, not a nonterminal, got {word!r}")
    return word


def _read(
    text: str,
) -> tuple[NT, list[str | NT], list[str | NTRef], dict[str, float], list[tuple[int, int]]]:
    fields = [split_words(field) for field in split_fields(text)]
    try:
        (lhs,), source, target, *rest = fields
        scores = rest[0] if rest else []
        alignment = parse_links(" ".join(rest[1])) if len(rest) > 1 else []
        category = _NONTERMINAL.fullmatch(lhs)
        if category is None or len(rest) > 2:
            raise ValueError
        f = [NT(m.group(1)) if (m := _NONTERMINAL.fullmatch(word)) else word for word in source]
        e = [NTRef(int(m.group(1))) if (m := _REFERENCE.fullmatch(word)) else word for word in target]
        named: dict[str, float] = {}
        for i, score in enumerate(scores):
            name, equals, value = score.rpartition("=")
            named[name if equals else f"PhraseModel_{i}"] = float(value)
    except (TypeError, ValueError):  # TypeError: text that is not Unicode
        raise InputError(f"expected [LHS] ||| source ||| target ||| scores, got {text!r}") from None
    return NT(category.group(1)), f, e, named, alignment

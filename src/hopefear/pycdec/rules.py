"""Rules and grammars written in Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopefear._native import name_fault, name_part_fault, parse_links
from hopefear.base import InputError
from hopefear.base.texts import BLANK, split_fields, split_words
from hopefear.decoder import RuleText
from hopefear.pycdec.text import as_text
from hopefear.pycdec.vectors import SparseVector, Values

if TYPE_CHECKING:
    from hopefear.pycdec.sa.rules import Rule

_NONTERMINAL = re.compile(r"\[([^\[\],\s]+)(?:,(\d+))?\]")
_REFERENCE = re.compile(r"\[(?:[^\[\],\s]+,)?([1-9]\d?)\]")

Source = Sequence["str | bytes | NT"] | str | bytes
Target = Sequence["str | bytes | NTRef"] | str | bytes


@dataclass(unsafe_hash=True, init=False)
class NT:
    """A nonterminal: its category, and its number from 1 if it is in a rule."""

    cat: str
    ref: int = 0

    def __init__(self, cat: str | bytes, ref: int = 0) -> None:
        self.cat, self.ref = as_text(cat), ref

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
    f : sequence of str and NT, or str
        Source side; its nonterminals are numbered in their order. A text is split into its words.
    e : sequence of str and NTRef, or str
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
        lhs: NT | str | bytes | None = None,
        f: Source | None = None,
        e: Target | None = None,
        scores: Values | SparseVector | None = None,
        a: Iterable[tuple[int, int]] | None = None,
        text: str | bytes | None = None,
    ) -> None:
        if text is not None:
            lhs, f, e, scores, a = _read(as_text(text))
        self.lhs = lhs or ""
        self.f = f or ()
        self.e = e or ()
        self.scores = SparseVector() if scores is None else scores
        self.a = list(a or ())

    @property
    def lhs(self) -> NT:
        """Left-hand side."""
        return self._lhs

    @lhs.setter
    def lhs(self, lhs: NT | str | bytes) -> None:
        self._lhs = lhs if isinstance(lhs, NT) else NT(as_text(lhs))

    @property
    def scores(self) -> SparseVector:
        """Features."""
        return self._scores

    @scores.setter
    def scores(self, scores: Values | SparseVector) -> None:
        self._scores = scores if isinstance(scores, SparseVector) else SparseVector(scores)

    @property
    def f(self) -> list[str | NT]:
        """Source side."""
        return self._f

    @f.setter
    def f(self, symbols: Source) -> None:
        self._f: list[str | NT] = []
        for symbol in _source(symbols) if isinstance(symbols, (str, bytes)) else symbols:
            if isinstance(symbol, NT):
                self._f.append(NT(symbol.cat, self.arity + 1))
            else:
                self._f.append(_word(symbol, _NONTERMINAL))

    @property
    def e(self) -> list[str | NTRef]:
        """Target side."""
        return self._e

    @e.setter
    def e(self, symbols: Target) -> None:
        read = _target(symbols) if isinstance(symbols, (str, bytes)) else symbols
        self._e = [each if isinstance(each, NTRef) else _word(each, _REFERENCE) for each in read]

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
            fault = name_fault(name) or ("must not contain ;" if ";" in name else "")
            if fault:
                raise InputError(f"rule {self}: a feature name {fault}, got {name!r}")
        for word in self.f:
            if isinstance(word, str):  # that of a passed-through word may be one that no grammar holds
                _word(word, _NONTERMINAL)
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

    def __init__(self, lhs: NT | str | bytes, rhs: Source, scores: Values | SparseVector) -> None:
        target: list[str | bytes | NTRef] = []
        arity = 0
        rhs = _source(rhs) if isinstance(rhs, (str, bytes)) else rhs
        for symbol in rhs:
            arity += isinstance(symbol, NT)
            target.append(NTRef(arity) if isinstance(symbol, NT) else symbol)
        super().__init__(lhs, rhs, target, scores)


class Grammar:
    """Rules with a name."""

    def __init__(self, rules: Iterable[TRule | Rule] = ()) -> None:
        self.name = ""
        self._rules = list(map(_rule, rules))

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @name.setter
    def name(self, name: str | bytes) -> None:
        self._name = as_text(name)

    def __iter__(self) -> Iterator[TRule]:
        """Iterate over the rules."""
        return iter(self._rules)

    def text(self) -> str:
        """Write the rules as a grammar file."""
        return "".join(rule.line() + "\n" for rule in self)


class TextGrammar(Grammar):
    """A grammar of given rules."""


def of_edge(rule: RuleText) -> TRule:
    """Make a `TRule` from an edge's rule; a word that passes through may look like a nonterminal."""
    made = TRule(rule.lhs, (), (), rule.features, rule.alignment)
    made._f = [symbol if isinstance(symbol, str) else NT(*symbol) for symbol in rule.source]
    made._e = [symbol if isinstance(symbol, str) else NTRef(symbol) for symbol in rule.target]
    return made


def _rule(rule: TRule | Rule) -> TRule:
    from hopefear.pycdec.sa.rules import Rule  # not loaded by scripts that extract nothing

    if isinstance(rule, Rule):
        return TRule(None, None, None, None, text=str(rule))
    if not isinstance(rule, TRule):
        raise ValueError(f"the grammar should contain TRule objects, got {type(rule).__name__}")
    return rule


def _phrase(symbols: Iterable[str | NT | NTRef]) -> str:
    return " ".join(map(str, symbols))


def _word(word: str | bytes, nonterminal: re.Pattern[str]) -> str:
    if not isinstance(word, (str, bytes)):
        raise ValueError(f"expected a word, NT or NTRef, got {word!r}")
    word = as_text(word)
    if name_part_fault(word) or word == "|||" or nonterminal.fullmatch(word):
        raise ValueError(f"expected a word without white space, not a nonterminal, got {word!r}")
    return word


def _source(text: str | bytes) -> list[str | NT]:
    return [
        NT(m.group(1)) if (m := _NONTERMINAL.fullmatch(word)) else word for word in split_words(as_text(text))
    ]


def _target(text: str | bytes) -> list[str | NTRef]:
    return [
        NTRef(int(m.group(1))) if (m := _REFERENCE.fullmatch(word)) else word
        for word in split_words(as_text(text))
    ]


def _read(
    text: str,
) -> tuple[NT, list[str | NT], list[str | NTRef], dict[str, float], list[tuple[int, int]]]:
    try:
        lhs, source, target, *rest = split_fields(text)
        scores = split_words(rest[0].replace(";", " ")) if rest else ()
        alignment = parse_links(" ".join(split_words(rest[1]))) if len(rest) > 1 else []
        category = _NONTERMINAL.fullmatch(lhs.strip(BLANK))
        if category is None or len(rest) > 2:
            raise ValueError
        f, e = _source(source), _target(target)
        named: dict[str, float] = {}
        for i, score in enumerate(scores):
            name, equals, value = score.rpartition("=")
            named[name if equals else f"PhraseModel_{i}"] = float(value)
    except (TypeError, ValueError):  # TypeError: text that is not Unicode
        raise InputError(f"expected [LHS] ||| source ||| target ||| scores, got {text!r}") from None
    return NT(category.group(1)), f, e, named, alignment

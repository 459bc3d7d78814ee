"""Token types: a word's surface form or a normalised form, so that features of rare words share statistics.

Watanabe, Suzuki, Tsukada and Isozaki (2007), "Online large-margin training for statistical machine
translation", section on normalised tokens: a lexical feature fires for a word's surface form and for its
word class, its 4-letter prefix and suffix and its form with digits masked as well.
"""

from __future__ import annotations

import copy
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from hopefear._native import KeyIndex, WordTexts
from hopefear.base import InputError, PluginError
from hopefear.base.lines import each_line
from hopefear.base.texts import split_words

from .annotations import UNKNOWN_CLASS, parse_tagged
from .batches import RuleBatch
from .word_classes import read_classes

Kind = Literal["surface", "prefix", "suffix", "digits", "class", "pos"]

LETTERS = 4
"""Number of letters of a prefix or suffix; shorter words are kept whole."""

_WITH_FILE = ("class", "pos")
_DIGIT = re.compile(r"\d")
_NONE_KNOWN = np.full(2, -1, np.int32)
UNDERSCORES = str.maketrans("=;", "__")
"""For `str.translate`: the separators of names in cdec's files turn into underscores."""


@dataclass(frozen=True)
class TokenType:
    """A way to write a word.

    Attributes
    ----------
    kind : {"surface", "prefix", "suffix", "digits", "class", "pos"}
        For ``violate``: ``violate``, ``viol+``, ``+late``; a word of at most 4 letters is its own prefix and
        suffix. For ``2007/6/27`` with digits masked: ``@@@@/@/@@``. For a word of class 43: ``<class-43>``;
        for one that is most often tagged NN: ``<NN>``; ``<unknown>`` for a word that the file does not have.
    path : Path or None
        For a class type a file of classes (see `hopefear.plugins.word_classes.read_classes`), for a pos type
        tagged text: ``word/TAG word/TAG``.
    """

    forms: ClassVar[str] = "surface, prefix, suffix, digits, class:FILE, pos:FILE"
    """The types in the form that users write."""

    kind: Kind
    path: Path | None = None

    @classmethod
    def from_text(cls, text: str, base: Path | None = None) -> TokenType:
        """Parse a type as in a cdec.ini line, such as ``prefix`` or ``class:en.classes``.

        Parameters
        ----------
        text : str
        base : Path, optional
            The folder to which a relative path is relative; the working directory if not given.

        Raises
        ------
        ValueError
            The text is not a type.
        """
        name, colon, path = text.partition(":")
        if name not in get_args(Kind) or bool(path) != (name in _WITH_FILE) or bool(colon) != bool(path):
            raise ValueError(f"expected one of {cls.forms}, got {text!r}")
        return cls(name, (base or Path()) / Path(path).expanduser() if path else None)  # type: ignore[arg-type]


class WordTable(Sequence[tuple[str, ...]]):
    """Numbers words, and has a text of each word for each type.

    The numbers belong to the table, from 0 in the order of first occurrence; equal words have the same
    number, independent of decoder, sentence and side. Threads may share a table.

    Parameters
    ----------
    types : sequence of TokenType or str
        Types, as strings in the form of `TokenType.from_text`.

    Attributes
    ----------
    types : tuple of TokenType
    native : hopefear.decoder.WordTexts
        The texts, for `WordNames`.

    Raises
    ------
    PluginError
        There is no type, a type is given twice, or a type is malformed.
    InputError
        A file of classes cannot be read.
    """

    append_only = True

    def __init__(self, types: Sequence[TokenType | str]) -> None:
        self.types = as_types(types)
        self._classes = [_read(token_type) for token_type in self.types]
        self._begin()

    def _begin(self) -> None:
        self.native = WordTexts(len(self.types))
        self._numbers: dict[str, int] = {}
        self._texts: list[tuple[str, ...]] = []
        self._of_symbol: dict[int, NDArray[np.int32]] = {}  # by vocabulary; -1 where not yet asked
        self._lock = threading.Lock()

    def emptied(self) -> WordTable:
        """Return a table of the same types without words; files are not read again."""
        new = copy.copy(self)
        new._begin()
        return new

    def __len__(self) -> int:
        """Count the words so far."""
        return len(self._texts)

    @overload
    def __getitem__(self, word: int, /) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, word: slice, /) -> list[tuple[str, ...]]: ...
    def __getitem__(self, word: int | slice, /) -> tuple[str, ...] | list[tuple[str, ...]]:
        """Return the texts of a word, or of the words of a slice."""
        return self._texts[word]

    def texts(self, word: int) -> tuple[str, ...]:
        """Return a word's texts, one per type, with ``_`` for ``=`` and ``;`` as in cdec's names."""
        return self._texts[word]

    def numbers(self, words: str | Sequence[str]) -> NDArray[np.int32]:
        """Number words given as texts, such as a segment's tokens; one text is split at blanks and tabs.

        Returns
        -------
        array of int32, shape (n,)
        """
        if isinstance(words, str):
            words = split_words(words)
        with self._lock:
            return self._numbered(words)

    def ids(self, rules: RuleBatch, symbols: NDArray[np.int32]) -> NDArray[np.int32]:
        """Number the words among the symbols of a batch's rules.

        Parameters
        ----------
        rules : RuleBatch
        symbols : array of int32, shape (n,)
            All symbols or a selection from the batch's `source` or `target`.

        Returns
        -------
        array of int32, shape (n,)
            The words' numbers, -1 for a nonterminal.
        """
        with self._lock:
            numbers_of = self._of_symbol.get(rules.vocabulary, _NONE_KNOWN)
            # The last element, -1, is for symbols beyond the end, the first for nonterminals.
            numbers: NDArray[np.int32] = numbers_of.take(symbols, mode="clip")
            new = np.flatnonzero((numbers < 0) & (symbols > 0))
            if len(new):
                numbers[new] = self._new(rules, symbols[new], numbers_of)
            return numbers

    def _new(
        self, rules: RuleBatch, symbols: NDArray[np.int32], numbers_of: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        # Rules of one sentence have its new words many times.
        positions, distinct = KeyIndex().rows(symbols.astype(np.int64))
        numbers = self._numbered([rules.symbol(symbol) for symbol in distinct.tolist()])
        lasting = distinct < rules.first_own_symbol
        kept = distinct[lasting]
        if len(kept):
            if kept.max() + 1 >= len(numbers_of):
                numbers_of = np.concatenate([numbers_of, np.full(kept.max() + 1, -1, np.int32)])
                self._of_symbol[rules.vocabulary] = numbers_of
            numbers_of[kept] = numbers[lasting]
        return numbers[positions]

    def _numbered(self, words: Sequence[str]) -> NDArray[np.int32]:
        numbers = self._numbers
        new = [word for word in dict.fromkeys(words) if word not in numbers]
        if new:
            types = zip(self.types, self._classes, strict=True)
            columns = [_write_all(new, kind.kind, classes) for kind, classes in types]
            texts = list(zip(*columns, strict=True))
            self._texts += texts
            self.native.add([text for row in texts for text in row])
            numbers.update(zip(new, range(len(numbers), len(numbers) + len(new)), strict=True))
        return np.array([numbers[word] for word in words], np.int32)


def as_types(types: Sequence[TokenType | str]) -> tuple[TokenType, ...]:
    """Check a list of token types."""
    if isinstance(types, str):
        raise PluginError(f"token types: expected a sequence of types, got the one string {types!r}")
    try:
        read = tuple(each if isinstance(each, TokenType) else TokenType.from_text(each) for each in types)
    except ValueError as error:
        raise PluginError(f"token types: {error}") from None
    if not read or len({each.kind for each in read}) < len(read):
        raise PluginError(f"token types: expected one or more, each once, got {list(types)!r}")
    return read


def _write_all(words: list[str], kind: Kind, classes: Mapping[str, str]) -> list[str]:
    if kind == "surface":
        joined = "\n".join(words)
        if "=" not in joined and ";" not in joined:  # as most words are
            return words
    return [_write(word, kind, classes) for word in words]


def _write(word: str, kind: Kind, classes: Mapping[str, str]) -> str:
    if kind == "prefix" and len(word) > LETTERS:
        text = word[:LETTERS] + "+"
    elif kind == "suffix" and len(word) > LETTERS:
        text = "+" + word[-LETTERS:]
    elif kind == "digits":
        text = _DIGIT.sub("@", word)
    elif kind in _WITH_FILE:
        label = classes.get(word)
        text = UNKNOWN_CLASS if label is None else f"<class-{label}>" if kind == "class" else f"<{label}>"
    else:
        text = word
    return text.translate(UNDERSCORES)


def _read(token_type: TokenType) -> Mapping[str, str]:
    if token_type.path is None:
        return {}
    return read_classes(token_type.path) if token_type.kind == "class" else _read_tags(token_type.path)


def _read_tags(path: Path) -> Mapping[str, str]:
    """Find the most frequent tag of each word; of equally frequent tags the first in the file."""
    counts: dict[str, Counter[str]] = {}
    for number, line in enumerate(each_line(path), 1):
        words, tags = parse_tagged(line, path=path, number=number)
        for word, tag in zip(words, tags, strict=True):
            counts.setdefault(word, Counter())[tag] += 1
    if not counts:
        raise InputError("expected word/TAG, got an empty file", path=path)
    return {word: count.most_common(1)[0][0] for word, count in counts.items()}

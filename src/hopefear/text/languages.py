"""Where the words of a line are, by language.

A splitter only tells where words begin and end in the line: whatever a library does, nothing of the line is
changed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Protocol

from hopefear.base import InputError
from hopefear.base.catalogue import Catalogue, method_fault
from hopefear.base.texts import expect_unicode

Span = tuple[int, int]
"""Begin and end of a piece of a line, in characters."""

_WORDS = re.compile(r"\S+")
_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]+)*")
_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3021-\u3029\u3031-\u30ff\u3400-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)
_SIGNS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059\u105e-\u1060"
    "\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u17b4-\u17d3\u17dd"
)
"""Vowels and tones of Thai, Lao, Burmese and Khmer, above, below or beside the letter before them."""

_LETTER = re.compile(f"[\u0e40-\u0e44\u0ec0-\u0ec4]?.(?:[{_SIGNS}](?:(?<=[\u1039\u17d2]).)?)*", re.DOTALL)
_MOST = 4_000
"""Characters that an analyser gets at once."""


class Splitter(Protocol):
    """Finds the words of a language; a class of another package is found by its entry point.

    The group of entry points is ``hopefear.languages``, their names are codes of languages such as ``ja``.
    """

    def spans(self, line: str) -> Sequence[Span]:
        """Return the words of a line in order, without blanks; what no word covers becomes words, too."""


class Spaced:
    """Languages whose words are separated by spaces: signs are separated from words, by pyonmttok.

    Runs of scripts without spaces are left whole.
    """

    def __init__(self) -> None:
        try:
            from pyonmttok import Tokenizer
        except ImportError:
            raise InputError(
                'text as written needs pyonmttok: pip install "hopefear[text]"; with --tokens none is split'
            ) from None
        self._tokenizer: Any = Tokenizer("conservative", no_substitution=True)

    def spans(self, line: str) -> list[Span]:
        """Return the words of a line; see `Splitter`."""
        expect_unicode("line", [line])
        spans, position, covered = list[Span](), 0, 0
        for token in self._tokenizer(line):
            begin = line.find(token, position)
            if begin < 0:  # the library has changed a character
                break
            position = begin + len(token)
            covered += len(token)
            spans.append((begin, position))
        whole = covered == len(line) or covered == len(re.sub(r"\s", "", line))
        return spans if whole else covering(line, spans)


class Unspaced:
    """Scripts whose words no analyser knows: each letter, with its vowels and tones, is a word."""

    def __init__(self) -> None:
        self._spaced = Spaced()

    def spans(self, line: str) -> list[Span]:
        """Return the words of a line; see `Splitter`."""
        return _analysed(line, self._spaced.spans(line), self.lengths)

    def lengths(self, run: str) -> Iterable[int]:
        """Return the lengths of the words that a run of characters without spaces consists of."""
        return (len(match[0]) for match in _LETTER.finditer(run))


class Japanese(Unspaced):
    """Japanese, by SudachiPy with its small dictionary and short units."""

    def __init__(self) -> None:
        super().__init__()
        try:
            import sudachipy
            from sudachipy.dictionary import Dictionary

            dictionary = Dictionary(dict="small")
        except ImportError:
            raise InputError(
                'Japanese text needs sudachipy and sudachidict-small: pip install "hopefear[text]"'
            ) from None
        # of the dictionary's fields, only the part of speech says where words are, by joining numerals
        self._analyser = dictionary.tokenizer(mode=sudachipy.SplitMode.A, fields={"pos"})

    def lengths(self, run: str) -> Iterable[int]:
        """Return the lengths of the words that a run of characters without spaces consists of."""
        return map(len, self._analyser.tokenize(run))


class Chinese(Unspaced):
    """Chinese, by rjieba."""

    def __init__(self) -> None:
        super().__init__()
        try:
            from rjieba import cut
        except ImportError:
            raise InputError('Chinese text needs rjieba: pip install "hopefear[text]"') from None
        self._cut = cut

    def lengths(self, run: str) -> Iterable[int]:
        """Return the lengths of the words that a run of characters without spaces consists of."""
        return map(len, self._cut(run))


def _complaint(splitter_class: type) -> str:
    return method_fault(splitter_class, {"spans": ("line",)})


languages: Catalogue[Splitter] = Catalogue("language", "hopefear.languages", _complaint)
"""The languages that have a splitter of their own, by code."""


@lru_cache
def splitter(language: str) -> Splitter:
    """Return the splitter of a language: its own, or that of words between spaces.

    Parameters
    ----------
    language : str
        A code such as ``en``, ``pt-BR`` or ``ja``.

    Raises
    ------
    InputError
        The text is no code of a language, or a library is not installed.
    """
    base = base_of(language)
    return languages.find(base)() if base in languages.known() else Spaced()


def primary(code: str) -> str:
    """Return a code without country and script, also of what is no code: ``es`` of ``es_MX``."""
    return code.lower().replace("_", "-").partition("-")[0]


def base_of(language: str) -> str:
    """Return the code of a language without country and script."""
    if not _CODE.fullmatch(language):
        raise InputError(f"expected the code of a language, such as en or pt-BR, got {language!r}")
    return re.split("[-_]", language.lower())[0]


def all_spans(language: str, line: str, fixed: Sequence[Span] = ()) -> list[Span]:
    """Return pieces of a line that cover all of it but blanks."""
    spans, position = splitter(language).spans, 0
    if not fixed:
        return list(spans(line)) if line else []
    pieces = list[Span]()
    for begin, end in (*fixed, (len(line), len(line))):
        if begin > position:
            pieces += [(b + position, e + position) for b, e in spans(line[position:begin])]
        if end > begin:
            pieces.append((begin, end))
        position = end
    return pieces


def covering(line: str, spans: Sequence[Span]) -> list[Span]:
    """Return words in order that cover all of a line but blanks: what a splitter left out is added."""
    position, out = 0, list[Span]()
    for begin, end in spans:
        if not position <= begin < end <= len(line):
            continue
        if begin > position:
            out += _blank_separated(line, position, begin)
        out.append((begin, end))
        position = end
    return out + _blank_separated(line, position, len(line))


def _blank_separated(line: str, begin: int, end: int) -> list[Span]:
    return [match.span() for match in _WORDS.finditer(line, begin, end)]


def _analysed(line: str, spans: Sequence[Span], lengths: Callable[[str], Iterable[int]]) -> list[Span]:
    """Return the words of a line in which runs of scripts without spaces are analysed."""
    if line.isascii():
        return list(spans)
    words = list[Span]()
    for span in spans:
        begin, end = span
        if end - begin == 1 or line[begin:end].isascii():
            words.append(span)
            continue
        position = begin
        for match in _WITHOUT_SPACES.finditer(line, begin, end):
            if match.start() > position:
                words.append((position, match.start()))
            for first in range(match.start(), match.end(), _MOST):
                last = min(first + _MOST, match.end())
                *ends, _ = itertools.accumulate(filter(None, lengths(line[first:last])), initial=first)
                words += itertools.pairwise([*ends, last])  # covers the run, whatever the lengths are
            position = match.end()
        if position < end:
            words.append((position, end))
    return words

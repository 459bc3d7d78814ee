"""Whether a document is of the languages of a system, as far as its file, its script and its words tell."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hopefear.text.language_names import language_name
from hopefear.text.languages import primary
from hopefear.text.tokens import without_marks

_SCRIPTS = {
    "LATIN": "ca cs cy da de en es et eu fi fr ga gl hr hu id is it lt lv ms nb nl no pl pt ro sk sl sv tr",
    "CYRILLIC": "be bg kk ky mk mn ru sr tg uk",
    "ARABIC": "ar fa ps ur",
    "HEBREW": "he yi",
    "GREEK": "el",
    "CJK": "ja zh",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "HANGUL": "ko",
    "DEVANAGARI": "hi mr ne",
    "THAI": "th",
}
"""The scripts of languages, by the first word of the names of their letters."""
_SCRIPT_OF = {code: name for name, codes in reversed(_SCRIPTS.items()) for code in codes.split(" ")}
_LETTERS = 2_000  # that are looked at


def language_doubt(
    named: tuple[str, str], sentences: Sequence[str], languages: tuple[str | None, str | None]
) -> str | None:
    """Say why a document that names its languages may not be one for a system; None if nothing tells."""
    for name, code, side in zip(named, languages, ("source", "target"), strict=True):
        if name and code and code != "und" and primary(name) != primary(code):
            named_as = f"the document names {language_name(name)} as its {side} language"
            return f"{named_as}, the system has {language_name(code)}"
    source = languages[0] and primary(languages[0])
    text = "".join(sentences[:100])[:_LETTERS]
    scripts = Counter(unicodedata.name(sign, "").partition(" ")[0] for sign in text if sign.isalpha())
    script = scripts.most_common(1)[0][0] if scripts else ""
    if source not in _SCRIPT_OF or script not in _SCRIPTS or source in _SCRIPTS[script].split(" "):
        return None
    letters = f"the document is in {script.capitalize()} letters"
    return f"{letters}, the source language of the system is {language_name(source)}"


_PARTS = 10
_RARE = 1e-3


@dataclass(frozen=True)
class CommonWords:
    """The words that each tenth of a text has, such as articles, whatever it is about.

    Attributes
    ----------
    words : frozenset of str
        The words.
    share : float
        The share of these words in the tenth that has the least of them.
    """

    words: frozenset[str]
    share: float

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> CommonWords:
        """Find the common words of a text of tokens."""
        text = [_words(tokens) for tokens in sentences]
        ends = [len(text) * part // _PARTS for part in range(_PARTS + 1)]
        parts = [Counter(word for words in text[i:j] for word in words) for i, j in pairwise(ends)]
        common = frozenset.intersection(*map(frozenset, parts))
        shares = [sum(part[word] for word in common) / max(part.total(), 1) for part in parts]
        return cls(common, min(shares))

    def doubt(self, sentences: Iterable[Sequence[str]]) -> str | None:
        """Say that a document has far fewer common words than the text; None if it has not.

        A document of words drawn at random with half the share of the text, or more, is doubted at most
        once in a thousand times (Chernoff's bound).
        """
        words = [word for tokens in sentences for word in _words(tokens)]
        count = sum(word in self.words for word in words)
        if not words or len(words) * _divergence(count / len(words), self.share / 2) < -math.log(_RARE):
            return None
        shares = f"{count / len(words):.0%} of its words are common ones of the system's text"
        return f"the document may be in another language: {shares}, which has at least {self.share:.0%}"


def _words(tokens: Sequence[str]) -> list[str]:
    return [word.casefold() for token in tokens if (word := without_marks(token)).isalpha()]


def _divergence(share: float, expected: float) -> float:
    """Return the divergence of a share that is less than what is expected (Kullback and Leibler), else 0."""
    if share >= expected:
        return 0.0
    seen = share * math.log(share / expected) if share else 0.0
    return seen + (1 - share) * math.log((1 - share) / (1 - expected))

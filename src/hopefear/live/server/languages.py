"""Whether a document is of the languages of a system, as far as its file and its script tell."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

from hopefear.text.languages import primary

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
            return f"the document names {name} as its {side} language, the system has {code}"
    source = languages[0] and primary(languages[0])
    text = "".join(sentences[:100])[:_LETTERS]
    scripts = Counter(unicodedata.name(sign, "").partition(" ")[0] for sign in text if sign.isalpha())
    script = scripts.most_common(1)[0][0] if scripts else ""
    if source not in _SCRIPT_OF or script not in _SCRIPTS or source in _SCRIPTS[script].split(" "):
        return None
    return f"the document is in {script.capitalize()} letters, the source language of the system is {source}"

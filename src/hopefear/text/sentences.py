"""Sentences of a paragraph, as parts of it: what lies between them stays.

The rules prefer to leave two sentences together over cutting one in two.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Set

from hopefear.base.texts import split_words

from .languages import primary

_FULL = "。｡！？．"
"""Stops that need no blank behind them."""

_DANDAS = "।॥۔։።፧။៕។᙮᠃᠉꓿"
_STOPS = ".!?…‽؟" + _FULL + _DANDAS
_CLOSING = "\"'”“’»›」』）)]】〉》］｝}〕`*_"
_AMBIGUOUS = "\"'“`*_"
_END = re.compile(
    rf"(?P<stops>[{re.escape(_STOPS)}]+)"
    rf"(?P<closing>(?:[ \u00a0\u202f]?»)?[{re.escape(_CLOSING)}]*(?:\[\d+\])*)(?P<gap>\s*)"
)
_GREEK_QUESTION = re.compile(r"(?<=\w)[;\u037e](?P<gap>\s+)(?=[«“\"]?\w)")
_LAST_WORD = re.compile(r"\w\W*\Z")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_WORD = re.compile(r"[^\s(\[{\"“„«'’‘»”)\]}]+$")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}[.-]){1,6}[^\W\d_]{0,3}$")
_LONGEST_GROUP = 400  # characters in brackets or quotation marks that stay together
_WINDOW = 40  # characters before a stop that are looked at
_DEEPEST_GROUP = 20
_GROUPS = {"(": ")", "[": "]", "“": "”", "„": "“", "«": "»", "「": "」", "『": "』", "（": "）", "【": "】"}

# Words that never end a sentence with their full stop: titles, and words that need what follows.
_BEFORE_NAMES = {
    "en": "mr mrs ms dr prof rev hon gen col capt lt sgt gov sen rep st mt "
    "messrs vs eg ie e.g i.e cf viz al approx fig figs sec eq "
    "eqs ch chap vol ed eds dept est",
    "es": "sr sra srta srs dr dra d dña prof lic ing ud uds vd vds av avda pág "
    "págs cap art fig núm vol ed ej p.ej aprox gral ee",
    "fr": "m mm dr prof p pp fig chap vol éd cf env av apr art ex p.ex st ste",
    "de": "dr prof hr fr st nr abb bd bzw ca vgl evtl ggf inkl z.b d.h u.a s.o "
    "s.u usf art abs aufl hrsg z d u mio mrd sog",
    "it": "sig sigg dott dott.ssa prof ing avv pag pagg fig cap art es p.es vol ecc.ra",
    "pt": "sr sra srta dr dra prof eng av pág págs cap art fig núm vol ed ex p.ex",
    "nl": "dhr mevr mw dr prof ir ing drs mr bijv bv d.w.z o.a m.a.w nl blz art fig afb hfst ca",
    "ru": "г гг см рис стр т д п пр ул гл ред им напр ср проф акад тыс млн млрд руб",
    "pl": "prof dr ul al św np tzn tj m.in ok godz tys mln str rys nr im ks inż mgr",
    "cs": "prof dr ing mgr doc ul např tzn tj str obr č sv tzv mj resp",
    "sv": "t.ex dvs bl.a ca dr prof kl nr s fig kap",
    "tr": "dr prof av sn yrd doç no vb örn",
}
_ANYWHERE = "mr mrs ms dr prof vs e.g i.e cf fig figs"
# Words that do so only before a number.
_BEFORE_NUMBERS = frozenset(
    split_words(
        "no nos nr nrs n nº núm p pp pg pag pág s str fig figs abb obr rys art arts sec §§ ch chap cap "
        "vol vols bd eq eqs ex kap blz стр рис гл т ст c ca approx"
    )
)
_ORDINALS = frozenset(split_words("de cs sk pl hr sr bs sl hu fi et lv da nb nn no is tr"))
"""Languages that write ordinal numbers with a full stop."""

_BEFORE_ANY_CASE = frozenset(split_words("etc inc ltd co corp jr sr a.m p.m usw ecc atd"))
"""Those that end a sentence only if a capital follows."""

_ENUMERATED = re.compile(r"\s*[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})")
_ITEM = re.compile(rf"[{re.escape(_STOPS)}]\s+\d{{1,3}}$")
"""The number of an item of a list behind the end of the item before."""
_NUMBER = re.compile(r"\d{1,2}$|[IVX]{1,5}$")
_OPENING = "\"'“„«‘‹「『（([{¿¡—–-*_ "


def _abbreviations(language: str) -> frozenset[str]:
    return frozenset(split_words(f"{_BEFORE_NAMES.get(language, '')} {_ANYWHERE}"))


_KNOWN = {language: _abbreviations(language) for language in ["", *_BEFORE_NAMES]}


def spans(
    text: str, language: str | None = None, protected: Iterable[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """Find the sentences of a paragraph.

    A line end is a blank, and an empty line ends a sentence. Stops inside brackets and quotation marks do not
    end a sentence, unless these are longer than a sentence should be.
    """
    code = primary(language or "")
    kept = sorted(protected)
    begins = {begin for begin, _ in kept}
    words = _LAST_WORD.search(text)
    last = words.start() if words else 0  # what follows it is no sentence
    closed = _groups(text)
    ends = [(gap.start(), gap.end()) for gap in _BLANK_LINE.finditer(text)]
    for stop in _END.finditer(text):
        at = stop.end("closing")
        if stop["stops"][-1] in _FULL and not stop["gap"]:
            at -= len(stop["closing"]) - len(stop["closing"].rstrip(_AMBIGUOUS))  # they open what follows
        if _inside(kept, stop.start()) or _inside(kept, at) or _inside(closed, at) or at > last:
            continue
        if _ends_sentence(text, stop, at, code, begins):
            ends.append((at, stop.end() if stop["gap"] else at))
    if code == "el":
        ends += [(gap.start() + 1, gap.end()) for gap in _GREEK_QUESTION.finditer(text)]
    out, begin = [], len(text) - len(text.lstrip())
    for end, following in sorted(ends):
        while begin < end and text[end - 1].isspace():
            end -= 1
        if begin < end:
            out.append((begin, end))
            begin = following
    if begin < len(text.rstrip()):
        out.append((begin, len(text.rstrip())))
    return out


def _inside(parts: list[tuple[int, int]], at: int) -> bool:
    """Tell whether a place lies inside one of the parts, which do not overlap."""
    index = bisect_right(parts, (at, sys.maxsize)) - 1
    return index >= 0 and parts[index][0] < at < parts[index][1]


def _groups(text: str) -> list[tuple[int, int]]:
    """Return the parts in brackets and quotation marks that are not too long, the outermost only."""
    opened: deque[tuple[str, int]] = deque(maxlen=_DEEPEST_GROUP)
    out: list[tuple[int, int]] = []
    for match in _MARKS.finditer(text):
        mark, at = match[0], match.start()
        if mark == '"':
            closes = any(opening == '"' for opening, _ in opened)
        else:
            closes = any(_GROUPS.get(opening) == mark for opening, _ in opened)
        if closes:
            while opened:
                opening, begin = opened.pop()
                if mark == '"' == opening or _GROUPS.get(opening) == mark:
                    break
            if at - begin <= _LONGEST_GROUP:
                while out and out[-1][0] > begin:
                    out.pop()
                out.append((begin, at + 1))
        elif mark == '"' or mark in _GROUPS:
            opened.append((mark, at))
    return out


_MARKS = re.compile("[" + re.escape("".join({*_GROUPS, *_GROUPS.values(), '"'})) + "]")


def _ends_sentence(text: str, stop: re.Match[str], at: int, language: str, protected: Set[int]) -> bool:
    """Tell whether stops end a sentence at a place, with more text behind them."""
    stops, gap = stop["stops"], stop["gap"]
    following = text[at + len(gap) : at + len(gap) + 40]
    if stops[-1] in _FULL:
        # What follows a quotation at once belongs to its sentence, unless it is another quotation.
        return at == stop.end("stops") or bool(gap) or following[0] in _GROUPS
    if stops[-1] in _DANDAS:
        return True
    if not gap:
        return False
    begins = following.lstrip(_OPENING)
    is_code = stop.end() in protected or following[0] in "`:*"
    if begins[:1].islower() and not is_code:
        return False
    if stops != ".":
        return True
    begin = max(0, stop.start() - _WINDOW)
    before = text[begin : stop.start()]
    word = _WORD.search(before)
    if word is None:
        return True
    last = word[0].lower().lstrip("-–—/")
    if not stop["closing"]:
        abbreviations = _KNOWN.get(language, _KNOWN[""])
        if last in abbreviations or last.rpartition("-")[2] in abbreviations:
            return False
        if last in _BEFORE_NUMBERS and (begins[:1].isdigit() or re.match(r"[IVXLC]+\b", begins)):
            return False
        if last in _BEFORE_ANY_CASE and not begins[:1].isupper():
            return False
        is_initial = len(word[0]) == 1 and word[0].lower() != word[0].upper()
        if is_initial or (_DOTTED.match(word[0]) and "." in word[0]):
            return False
        if _ENUMERATED.fullmatch(before[before.rfind("\n") + 1 :]) and ("\n" in before or begin == 0):
            return False
        item = _ITEM.search(before)
        if item is not None:
            previous = before[: item.start()].rpartition(" ")[2].lower()
            return previous in abbreviations or previous in _BEFORE_NUMBERS
        if language in _ORDINALS and _NUMBER.fullmatch(word[0]):
            return False
    return True

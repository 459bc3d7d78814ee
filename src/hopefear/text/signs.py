"""Signs as a text writes them: quotation marks, apostrophes, dashes, and the blanks that belong to them.

A text has one form of each sign in each role: an opening mark is ``“``, ``«`` with a blank behind it, or
``「``. Roles are found in a text alone, and forms are counted where somebody has written them.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .languages import Span
from .tokens import is_wide

OPEN, CLOSE = "open", "close"
DOUBLE, SINGLE = "double", "single"
APOSTROPHE, DASH, FIRST_DASH, SPACE = "apostrophe", "dash", "first dash", "space before"
"""The roles beside those of quotation marks, such as ``double open``; a sign follows `SPACE`."""

_QUOTES = {**dict.fromkeys('"“”„‟«»「」〝〞〟＂', DOUBLE), **dict.fromkeys("'‘’‚‛‹›『』＇", SINGLE)}
_APOSTROPHES = frozenset("'’‘ʼ＇")
_STYLES = ("“”‘’", "„“‚‘", "„”‚’", "””’’", "«»‹›", "»«›‹", "「」『』", "\"\"''")
"""Quotation marks that belong together: double ones, then single ones."""

_BLANKS = " \u00a0\u2009\u202f"
_BLANK = f"[{_BLANKS}]*"
_SPACED = ";:!?%"
"""Signs before which some languages write a blank."""

_SIGN = re.compile(
    rf"(?P<quote>[{''.join(_QUOTES)}ʼ])|(?P<before>{_BLANK})(?P<dash>[–—―]|(?<!-)--?(?!-))(?P<after>{_BLANK})"
    rf"|(?P<space>{_BLANK})(?P<spaced>[{_SPACED}])"
)
_HYPHENS = ("-", "--")
_OPENING = frozenset("([{¿¡/-–—―")
_ENDS = frozenset(".,;:!?…")


class Sign(NamedTuple):
    """A sign of a text in a role.

    Attributes
    ----------
    role : str
        What it does.
    begin, end : int
        Where it stands, with the blanks that belong to it; these alone for a sign behind a word.
    mark : (int, int)
        Where it stands, without these.
    is_paired : bool
        Whether a quotation mark has a partner in the text.
    is_empty : bool
        Whether nothing stands behind an opening quotation mark.
    is_outermost : bool
        Whether a quotation mark with a partner stands in no other quotation.
    """

    role: str
    begin: int
    end: int
    mark: Span
    is_paired: bool = True
    is_empty: bool = False
    is_outermost: bool = False


def quote_role(kind: str, side: str) -> str:
    """Return the role of a quotation mark."""
    return f"{kind} {side}"


_QUOTE_ROLES = frozenset(quote_role(kind, side) for kind in (DOUBLE, SINGLE) for side in (OPEN, CLOSE))


def has_quotes(text: str) -> bool:
    """Tell whether a text has quotation marks."""
    return any(sign.role in _QUOTE_ROLES for sign in signs_of(text))


def signs_of(text: str, words: Iterable[Span] | None = None) -> list[Sign]:
    """Find the signs of a text.

    Parameters
    ----------
    words : iterable of (int, int), optional
        Where words and signs stand in the text. What stands elsewhere, such as code, has no signs.
    """
    inside = None
    if words is not None:
        inside = bytearray(len(text))
        for begin, end in words:
            inside[begin:end] = b"\1" * (end - begin)
    out, quotes = list[Sign](), list[int]()
    for match in _SIGN.finditer(text):
        group = match.lastgroup if match.lastgroup in ("quote", "spaced") else "dash"
        begin, end = match.span(group)
        if inside is not None and not all(inside[begin:end]):
            continue
        if group == "quote":
            quotes.append(begin)
        elif group == "spaced":
            out += _spaced(text, match)
        else:
            out += _dash(text, match)
    return sorted([*out, *_quotes(text, quotes)], key=lambda sign: sign.mark)


def _spaced(text: str, match: re.Match[str]) -> list[Sign]:
    """Return a sign behind a word, and not within one, as in 12:30."""
    (begin, end), mark = match.span(), match.span("spaced")
    before, after = text[begin - 1 : begin], text[end : end + 1]
    follows = before.isalnum() or before in _QUOTES or unicodedata.category(before or " ") in ("Pe", "Pf")
    if text[mark[0]] == "%":
        follows = before.isdigit()
    if not follows or after.isalnum() or after in ("/", "\\", ":"):
        return []
    return [Sign(f"{SPACE} {text[mark[0]]}", begin, mark[0], mark)]


def _dash(text: str, match: re.Match[str]) -> list[Sign]:
    """Return a dash between words, or before the first one; hyphens and ranges of numbers are none."""
    (begin, end), mark = match.span(), match.span("dash")
    before, after = text[begin - 1 : begin] if begin else "", text[end : end + 1]
    blanks = bool(match["before"]), bool(match["after"])
    if not begin and not match["before"] and after:
        is_item = match["dash"] in _HYPHENS
        return [] if is_item else [Sign(FIRST_DASH, begin, end, mark)]
    if not before or not after or blanks[0] != blanks[1] or (match["dash"] == "-" and not blanks[0]):
        return []
    if before.isdigit() and after.isdigit():
        return []
    return [Sign(DASH, begin, end, mark)]


def _quotes(text: str, places: Sequence[int]) -> list[Sign]:
    """Return the quotation marks and apostrophes at some places of a text."""
    roles, partner, opened = dict[int, str](), dict[int, int](), list[int]()
    depth, inner = dict[int, int](), dict[int, int]()  # inner: in which one with marks of the same kind
    open_of: dict[str, list[int]] = {DOUBLE: [], SINGLE: []}
    last = next((at for at in reversed(places) if _may_close(text, at)), -1)

    def kind(at: int) -> str:
        return _QUOTES.get(text[at], SINGLE)

    for at in places:
        same = open_of[kind(at)]
        is_open = bool(same)
        side = _side(text, at, is_open, roles, closes_later=last > at)
        if side is None:
            continue
        roles[at] = side
        if side == OPEN:
            depth[at] = len(opened)
            opened.append(at)
            if is_open:
                inner[at] = same[-1]
            same.append(at)
        elif side == CLOSE and is_open:
            begin = same[-1]
            while opened and opened[-1] >= begin:
                open_of[kind(opened.pop())].pop()
            partner[begin], partner[at] = at, begin
    out = []
    for at, side in roles.items():
        end, first = at + 1, at
        alone = at not in partner
        if side == OPEN and alone and text[at] in _APOSTROPHES - {"‘"} and _is_elision(text, at):
            side = APOSTROPHE
        if side == APOSTROPHE:
            out.append(Sign(APOSTROPHE, at, end, (at, end)))
            continue
        if side == OPEN:
            while end < len(text) and text[end] in _BLANKS:
                end += 1
        else:
            while first and text[first - 1] in _BLANKS:
                first -= 1
        is_empty = side == OPEN and (end == len(text) or partner.get(at) == end)
        is_empty = is_empty or (side == CLOSE and (not first or partner.get(at, -2) + 1 == first))
        begins = partner.get(at, at) if side == CLOSE else at
        outermost = not alone and not depth[begins]
        role = quote_role(_other(kind(at)) if inner.get(begins) in partner else kind(at), side)
        out.append(Sign(role, first, end, (at, at + 1), not alone, is_empty, outermost))
    return out


def _other(kind: str) -> str:
    return SINGLE if kind == DOUBLE else DOUBLE


def _is_elision(text: str, at: int) -> bool:
    """Tell whether a mark with letters behind it stands for what a word has lost, as in ’twas."""
    if text[at] != "'":
        return True
    while at and text[at - 1] in _BLANKS:
        at -= 1
    return at > 0 and text[at - 1].isalnum()


def _side(text: str, at: int, is_open: bool, roles: Mapping[int, str], closes_later: bool) -> str | None:
    """Tell whether a mark opens or closes a quotation, or is an apostrophe; None for a sign of a measure."""
    mark, before, after = text[at], text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    touches = (
        bool(before) and not before.isspace() and before not in _OPENING,
        bool(after) and not after.isspace() and after not in _ENDS and unicodedata.category(after) != "Pe",
    )
    if mark in _APOSTROPHES and before.isalpha() and not is_wide(before):
        if after.isalnum():
            return APOSTROPHE
        if not is_open or (before.lower() == "s" and closes_later):
            return APOSTROPHE
    if mark == "ʼ":
        return APOSTROPHE
    if mark in "\"'" and before.isdigit() and not is_open:
        return None
    if mark in "「」『』":
        return OPEN if mark in "「『" else CLOSE
    if touches[0] != touches[1]:
        return OPEN if touches[1] else CLOSE
    category = unicodedata.category(mark)
    by_itself = OPEN if category in ("Ps", "Pi") else CLOSE if category in ("Pe", "Pf") else None
    by_turns = CLOSE if is_open else OPEN
    if not touches[0]:
        return by_itself or by_turns
    if roles.get(at - 1) == OPEN:
        return OPEN
    return CLOSE if is_open else by_itself or OPEN


def _may_close(text: str, at: int) -> bool:
    """Tell whether a mark can close a single quotation."""
    return text[at] in _APOSTROPHES and not text[at - 1].isspace() and not text[at + 1 : at + 2].isalnum()


@dataclass(frozen=True)
class SignForms:
    """How a text writes signs.

    Attributes
    ----------
    forms : dict of str to str
        By role, the sign with the blanks that belong to it; before a sign these alone.
    outermost : str, optional
        `SINGLE` if quotations that stand in no other one never have double marks, as in British texts.
    unpaired : frozenset of str
        The sides of quotation marks that the text has without a partner where the source has none: quotations
        that go on in the next sentence.
    before_quotes : frozenset of str
        Words, in small letters, that a comma and then a quotation follow more often than that it ends there:
        *said*.
    """

    forms: Mapping[str, str] = field(default_factory=dict)
    outermost: str | None = None
    unpaired: frozenset[str] = frozenset()
    before_quotes: frozenset[str] = frozenset()

    def form(self, role: str) -> str | None:
        """Return the form of a sign in a role; None if none is known."""
        if self.outermost == SINGLE and role in _QUOTE_ROLES:
            kind, side = role.split(" ")
            role = quote_role(_other(kind), side)
        if role in self.forms:
            return self.forms[role]
        if role in _QUOTE_ROLES:
            return self._of_style(role)
        if role.startswith(SPACE) and not role.endswith("%"):
            others = Counter(form for other, form in self.forms.items() if other.startswith(SPACE))
            return max(others, key=lambda form: (others[form], form), default=None)
        return None

    def _of_style(self, role: str) -> str | None:
        """Return a quotation mark that belongs to those that are known."""
        known = {at: self.forms.get(other, "").strip(_BLANKS) for at, other in enumerate(_IN_STYLE)}
        fits = (
            (sum(style[at] == mark for at, mark in known.items()), -rank, style)
            for rank, style in enumerate(_STYLES)
            if all(mark in ("", style[at]) for at, mark in known.items())
        )
        agreed, _, style = max(fits, default=(0, 0, ""))
        if not agreed:
            return None
        kind, side = role.split(" ")
        other = self.forms.get(quote_role(kind, CLOSE if side == OPEN else OPEN), "")
        blanks = other.replace(other.strip(_BLANKS), "") if other else ""
        mark = style[_IN_STYLE.index(role)]
        return mark + blanks if side == OPEN else blanks + mark

    def write(
        self, text: str, places: Sequence[Span], words: Iterable[Span], *, like: str
    ) -> tuple[str, list[Span]]:
        """Return a translation with its signs in these forms, and where the parts at some places then stand.

        A quotation mark around nothing, or one without a partner that no text of the kind has, is left out if
        the source has no quotation marks: nobody has said where that quotation ends.

        Parameters
        ----------
        words : iterable of (int, int)
            See `signs_of`.
        like : str
            The source.
        """
        if not self.forms and _QUOTES.keys().isdisjoint(text):
            return text, list(places)
        signs = signs_of(text, words)
        quotes = [sign for sign in signs if sign.role in _QUOTE_ROLES]
        invented = set[Sign]()
        if quotes and not has_quotes(like):
            invented = {sign for sign in quotes if self._is_invented(sign)}
        edits = _Edits(text)
        for sign in signs:
            if sign in invented:
                begin = sign.begin
                if sign.end == len(text):
                    begin = len(text[:begin].rstrip(_BLANKS))
                edits.replace(begin, sign.end, "")
            elif (form := self.form(sign.role)) is not None:
                (begin, end), mark = sign.mark, form.strip(_BLANKS)
                if sign.role.startswith(SPACE):
                    edits.replace(sign.begin, sign.end, form)
                    continue
                before, _, after = form.partition(mark)
                edits.replace(sign.begin, begin, before)
                edits.replace(begin, end, mark)
                edits.replace(end, sign.end, after)
        return edits.text(), [edits.place(place) for place in places]

    def _is_invented(self, sign: Sign) -> bool:
        side = sign.role.split(" ")[1]
        return sign.is_empty or not (sign.is_paired or side in self.unpaired)


_IN_STYLE = tuple(quote_role(kind, side) for kind in (DOUBLE, SINGLE) for side in (OPEN, CLOSE))


class SignCounts:
    """Counts of how somebody writes signs, from which their `SignForms` follow."""

    def __init__(self) -> None:
        self._counts = dict[str, Counter[str]]()
        self._outermost, self._unpaired = Counter[str](), Counter[str]()
        self._before_quotes = Counter[str]()

    def add(self, text: str, words: Iterable[Span], *, like: str, times: int = 1) -> None:
        """Count the signs of a translation; -1 times counts them no more. Parameters: `SignForms.write`."""
        signs = signs_of(text, words)
        quotes = [sign for sign in signs if sign.role in _QUOTE_ROLES]
        has_none = bool(quotes) and not has_quotes(like)
        for sign in signs:
            self._counts.setdefault(sign.role, Counter())[text[sign.begin : sign.end]] += times
        for sign in quotes:
            kind, side = sign.role.split(" ")
            self._outermost[kind] += times * sign.is_outermost
            self._unpaired[side] += times * (has_none and not sign.is_paired)
            if word := _before_comma(text, sign.begin):
                self._before_quotes[word.lower()] += times if side == OPEN else -times

    def forms(self, before: SignForms) -> SignForms:
        """Return what the counts say; where they say nothing, the forms are those from before."""
        forms = dict(before.forms)
        for role, counts in self._counts.items():
            form, count = max(counts.items(), key=lambda item: item[::-1])
            if count > 0:
                forms[role] = form
        double, single = self._outermost[DOUBLE], self._outermost[SINGLE]
        outermost = DOUBLE if double > 0 else SINGLE if single > 0 else before.outermost
        unpaired = {side for side, count in self._unpaired.items() if count > 0}
        said = {word for word, count in self._before_quotes.items() if count > 0}
        silent = {word for word, count in self._before_quotes.items() if count < 0}
        return SignForms(forms, outermost, before.unpaired | unpaired, before.before_quotes - silent | said)


def _before_comma(text: str, at: int) -> str:
    """Return the word before a comma and blanks that end at a place; empty without it."""
    while at and text[at - 1] in _BLANKS:
        at -= 1
    end = at = at - 1
    if at < 0 or text[at] != ",":
        return ""
    while at and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at -= 1
    return text[at:end]


class _Edits:
    """Replacements in a text from left to right, and where its parts then stand."""

    def __init__(self, text: str) -> None:
        self._text, self._edits = text, list[tuple[int, int, str]]()
        self._longer = [0]  # by how much the text is longer after so many edits

    def replace(self, begin: int, end: int, new: str) -> None:
        """Replace a part of the text that begins where the one before has ended, or behind it."""
        reached = self._edits[-1][1] if self._edits else 0
        if begin >= reached and self._text[begin:end] != new:
            self._edits.append((begin, end, new))
            self._longer.append(self._longer[-1] + len(new) - (end - begin))

    def text(self) -> str:
        """Return the text with all replacements."""
        out, at = list[str](), 0
        for begin, end, new in self._edits:
            out += self._text[at:begin], new
            at = end
        return "".join([*out, self._text[at:]])

    def place(self, place: Span) -> Span:
        """Return where a part of the text then stands; what was put beside it is not of it."""
        begin, end = place
        before = bisect_right(self._edits, begin, key=lambda edit: edit[1])
        first = min(begin, self._edits[before][0]) if before < len(self._edits) else begin
        inside = bisect_left(self._edits, end, key=lambda edit: edit[0])
        moved = first + self._longer[before], end + self._longer[inside]
        return moved[0], max(moved)


assert all(len(style) == len(_IN_STYLE) for style in _STYLES)

"""The placeholders of programs' messages: what a translation must have as often as its source."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..profile import BUILT_IN

_NUMBER = r"(?:\*(?:\d{1,2}\$)?|\d{1,4})?"
_ARGUMENT = r"(?:\d{1,2}\$|\[\d{1,2}\]|\([^()]{1,60}\))?"
_SIZE = r"[hljztqLZw]{0,2}(?:<\w{1,20}>|[a-zA-Z@])"
_C_LIKE = rf"%%|%{_ARGUMENT}[-+ #0'Iv_,^!]{{0,6}}{_NUMBER}(?:\.{_NUMBER})?{_SIZE}"
_BRACES = r"\{\{|\}\}|\{[^{}]{0,200}(?:\{[^{}]{0,80}\}[^{}]{0,80}){0,9}\}"
_NUMBERED = r"%L?(?:\d{1,2}|n)|%%"
_TILDE = r"~(?:'.|[-+\d,#vV]){0,12}[:@]{0,2}[a-zA-Z%~&|*?$(){}\[\]^;/<>!_]"
_OF_FLAG = {
    "boost": rf"%\|[^|]{{1,40}}\||%\d{{1,2}}%|{_C_LIKE}",
    "c++": _BRACES,
    "csharp": _BRACES,
    "gcc-internal": rf"%[<>']|%[q+#wlH]{{1,5}}[a-zA-Z<>']|{_C_LIKE}",
    "java": rf"'[^']{{0,200}}'?|{_BRACES}",  # what stands in quotes is no placeholder
    "kde": _NUMBERED,
    "kde-kuit": _NUMBERED,
    "lisp": _TILDE,
    "object-pascal": rf"%\d{{1,2}}:-?{_NUMBER}(?:\.{_NUMBER})?[a-zA-Z]|{_C_LIKE}",
    "perl-brace": r"\{\w{1,60}\}",
    "php": rf"%(?:\d{{1,2}}\$)?(?:[-+0 ]|'[^\s]){{1,4}}\d{{0,4}}(?:\.\d{{0,4}})?[a-zA-Z]|{_C_LIKE}",
    "python-brace": _BRACES,
    "qt": _NUMBERED,
    "qt-plural": _NUMBERED,
    "ruby": rf"%\{{[^{{}}]{{1,60}}\}}|%<\w{{1,60}}>[-+ #0]{{0,4}}{_NUMBER}(?:\.\d{{1,4}})?[a-zA-Z]|{_C_LIKE}",
    "rust": _BRACES,
    "scheme": _TILDE,
    "sh": r"\$(?:\w{1,60}|\{[^{}]{1,60}\})",
    "smalltalk": r"%\d{1,2}%?|%%",
    "ycp": r"%\d{1,2}|%%",
}
ICU_BEGINS = r"\{\s{0,9}\w{1,60}\s{0,9},\s{0,9}(?:plural|select|selectordinal)\s{0,9},"
_ICU = rf"{ICU_BEGINS}(?:[^{{}}]|\{{(?:[^{{}}]|\{{[^{{}}]{{0,200}}\}}){{0,999}}\}}){{0,999}}\}}"
OF_PROGRAMS = re.compile(
    rf"{_ICU}|%(?:\d{{1,2}}\$)?@|%[a-zA-Z_][\w.-]{{1,60}}%|{BUILT_IN['printf']['format']}|#\{{\w{{1,60}}\}}"
    r"|\{\{[^{}\n]{1,200}\}\}|\{[^{}\s]{1,200}\}"
)
"""What texts of programs hold whose format does not say which placeholders they have."""

ANDROID = re.compile(rf'\\(?:u[0-9a-fA-F]{{4}}|[ntr@?#"\\])|"|{_C_LIKE}|\{{\w{{1,60}}\}}')
_NO_FORMAT = re.compile(r"(?:no|possible|impossible)-.*")


def placeholders_of(flags: Iterable[str]) -> re.Pattern[str] | None:
    """Return what a translation must have as often as its message, by the flags of the message.

    The formats of gettext that are not listed are like those of C.
    """
    formats = [flag.removesuffix("-format") for flag in sorted(flags) if flag.endswith("-format")]
    found = [_OF_FLAG.get(name, _C_LIKE) for name in formats if not _NO_FORMAT.fullmatch(name)]
    return re.compile("|".join(found)) if found else None


_WHOLE_NUMBER = re.compile(r"[diun}]$")


def number_in(singular: str, plural: str, placeholders: re.Pattern[str] | None) -> str:
    """Return the placeholder of a singular that is its number; empty if that is missing or unclear."""
    found, others = (
        [] if placeholders is None else placeholders.findall(text) for text in (singular, plural)
    )
    if set(others) - set(found):
        return ""
    numbers = [one for one in found if _WHOLE_NUMBER.search(one)]
    return found[0] if len(found) == 1 else numbers[0] if len(numbers) == 1 else ""

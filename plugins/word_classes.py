"""Word classes in the formats of mkcls and of Brown clustering."""

from __future__ import annotations

import re
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.lines import each_line

_MKCLS = "word class"
_BROWN = "bits word count"


def read_classes(path: Path | str) -> dict[str, str]:
    """Read the class of each word: mkcls's ``word class``, or Brown clusters' ``bits word count``.

    The first line shows the format: two columns, or three columns of which the first consists of 0 and 1 and
    the last is a number. Columns are separated by tabs or spaces; blank lines are ignored.

    Raises
    ------
    InputError
        The file is missing or empty, a line has another form, or a word has two classes.
    """
    classes: dict[str, str] = {}
    form = ""
    for number, line in enumerate(each_line(path), 1):
        columns = re.findall("[^ \t]+", line)
        if not columns:
            continue
        found = _form(columns)
        if not found or found != (form := form or found):
            expected = repr(form) if form else f"{_MKCLS!r} or {_BROWN!r}"
            raise InputError(f"expected {expected}, got {line[:80]!r}", path=path, line=number)
        word, name = (columns[1], columns[0]) if form == _BROWN else columns
        if classes.setdefault(word, name) != name:
            message = f"expected one class for {word!r}, got {classes[word]} and {name}"
            raise InputError(message, path=path, line=number)
    if not classes:
        raise InputError("expected word classes, got an empty file", path=path)
    return classes


def _form(columns: list[str]) -> str:
    if len(columns) == 2:
        return _MKCLS
    if len(columns) == 3 and re.fullmatch("[01]+", columns[0]) and re.fullmatch("[0-9]+", columns[2]):
        return _BROWN
    return ""

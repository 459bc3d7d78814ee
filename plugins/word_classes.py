"""Word classes as mkcls and Brown clustering write them."""

from __future__ import annotations

import re
from pathlib import Path

from .errors import InputError
from .lines import each_line

_MKCLS = "word class"
_BROWN = "bits word count"


def read_classes(path: Path | str) -> dict[str, str]:
    """Read a class for each word: mkcls's ``word class`` or the paths of Brown clusters, ``bits word count``.

    Which of the two a file is, its first line tells: two columns, or three of which the first is of 0 and 1
    and the last a number. Columns have tabs or spaces between them; blank lines are nothing.

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

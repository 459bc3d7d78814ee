"""What the readers of memories and glossaries share: endings, languages, the text of a cell."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from hopefear.base import InputError
from hopefear.base.lines import read_lines
from hopefear.base.texts import BLANK, split_words
from hopefear.base.unpacking import unpack

from ..languages import primary

Content = TypeVar("Content")

_TITLES = ("source", "target")
"""The first two cells of a table's header, if it has one."""


def ending_of(path: Path, endings: Collection[str]) -> str:
    """Return the ending of a file without that of its compression, in small letters."""
    name = re.sub(r"\.(gz|bz2|xz)$", "", path.name.lower())
    ending = name.rpartition(".")[2] if "." in name else ""
    if ending not in endings:
        raise InputError(f"expected a file with one of the endings {', '.join(endings)}", path=path)
    return ending


def content_of(path: Path) -> bytes:
    """Read a file, plain or compressed."""
    try:
        return unpack(path.read_bytes(), path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None


def table_rows(path: Path, columns: range) -> Iterator[tuple[str, list[str]]]:
    """Iterate over the rows of a table, with the place of each; the first two cells have text.

    A header with the titles ``source`` and ``target``, a first line that is a comment, and lines without text
    are left out.
    """
    for number, (where, line) in enumerate(read_lines(path)):
        if not line.strip(BLANK):
            continue
        cells = [" ".join(split_words(cell)) for cell in line.split("\t")]
        if number == 0 and len(cells) == 1 and line.startswith("#"):
            continue
        if number == 0 and tuple(cell.lower() for cell in cells[:2]) == _TITLES:
            continue
        if len(cells) not in columns or not cells[0] or not cells[1]:
            wanted = f"source{'<TAB>target' * (columns.start > 1)}{'[<TAB>note]' * (len(columns) > 1)}"
            raise InputError(f"expected {wanted}, got {line[:80]!r}", path=where)
        yield where, cells


def at_least_one(items: Iterator[Content], expected: str, path: Path) -> Iterator[Content]:
    """Iterate over what a file has; a file that has nothing is refused."""
    first = next(items, None)
    if first is None:
        raise InputError(f"expected {expected}", path=path)
    yield first
    yield from items


def in_a_line(text: str, where: str) -> str:
    """Return a text in one line."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("expected valid Unicode text", path=where) from None
    if "\0" in text:
        raise InputError("expected text, got a zero byte", path=where)
    return " ".join(split_words(text))


def same_language(first: str, second: str) -> bool:
    """Tell whether two codes are of one language, whatever region they name: ``es-MX`` and ``es`` are."""
    return primary(first) == primary(second)


def is_reversed(named: tuple[str, str], languages: tuple[str, str] | None) -> bool:
    """Tell whether a file of two languages has the system's source language as its target."""
    if languages is None:
        return False
    for turned in (False, True):
        wanted = languages[::-1] if turned else languages
        if all(not code or same_language(code, want) for code, want in zip(named, wanted, strict=True)):
            return turned
    got = " and ".join(code or "a language without a name" for code in named)
    raise InputError(f"expected texts in {languages[0]} and {languages[1]}, got {got}")


def two_languages(codes: Iterable[str]) -> tuple[str, str]:
    """Return the two languages of a file for a system of tokens: the first that it has is the source."""
    kinds: dict[str, str] = {}
    for code in codes:
        kinds.setdefault(primary(code), code)
    if len(kinds) != 2:
        got = ", ".join(kinds.values()) or "none"
        raise InputError(
            f"expected texts in two languages, source first, for a system without languages; got {got}"
        )
    source, target = kinds.values()
    return source, target


def in_languages(
    entries: Sequence[tuple[int, Mapping[str, Content]]], languages: tuple[str, str] | None, name: str
) -> Iterator[tuple[int, Content, Content]]:
    """Iterate over the entries that have both languages, maybe of another region; there must be one."""
    if languages is None or not entries:
        return
    empty = True
    for begin, sides in entries:
        source, target = (_of_language(sides, code) for code in languages)
        if source is not None and target is not None:
            empty = False
            yield begin, sides[source], sides[target]
    if empty:
        codes = {code or "no language" for _, sides in entries for code in sides}
        got = ", ".join(sorted(codes)[:9]) or "none"
        raise InputError(f"expected {name} in {languages[0]} and {languages[1]}, got {got}")


def _of_language(codes: Collection[str], wanted: str) -> str | None:
    """Return the code of a language: that which is wanted, else one of another region; None without one."""
    if wanted in codes:
        return wanted
    return next((code for code in codes if same_language(code, wanted)), None)

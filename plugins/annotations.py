"""Annotations of the input in files: trees, dependencies, tags, word classes, and those of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from hopefear.base import InputError
from hopefear.base.lines import each_line
from hopefear.base.stored import parse_json
from hopefear.base.texts import BLANK

from .conllu import DependencyParse, read_conllu
from .segment import Segment
from .trees import parse_tree
from .word_classes import read_classes
from .word_places import Misfit, WordPlaces

__all__ = ["UNKNOWN_CLASS", "Annotations", "annotate", "parse_tagged", "read_classes", "read_conllu"]

UNKNOWN_CLASS = "<unknown>"
"""The class of words that are not in a file of classes."""

_ITEM = rf"[^{BLANK}]+"
_ESCAPES = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}",
    "``": '"', "''": '"', r"\/": "/", r"\*": "*",
}  # fmt: skip
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPES)), re.IGNORECASE)

Item = TypeVar("Item")
Tagged = tuple[tuple[str, ...], tuple[str, ...]]
"""Words and their tags."""


class Annotations:
    """Files with a tree, a parse, or tags for each segment, and a file of word classes.

    Items belong to segments by index: the first item to the first segment. If an item has words, they must be
    the segment's words; differences in case, and in the treebanks' notation of brackets, quotes and slashes,
    are ignored. If the tokens of a segment were made of a sentence as written, an item may have other words
    of the same sentence: they are brought to the tokens, see `WordPlaces`. A file may have more items than
    there are segments.

    Parameters
    ----------
    trees : Path or str, optional
        Penn trees, one per line, see `parse_tree`. A segment's own tree takes precedence. A tree without
        words, which parsers write when they fail, fits every segment.
    conllu : Path or str, optional
        Dependencies and tags in CoNLL-U. Either its words or, with contractions, its tokens must be the
        segment's words. For a segment without words, a sentence that consists of comments only.
    tags : Path or str, optional
        ``word/TAG word/TAG``, or with ``_`` in place of every ``/``. These tags take precedence over those of
        `conllu`.
    classes : Path or str, optional
        Word classes, see `read_classes`; other words get `UNKNOWN_CLASS`.
    own : mapping of str to Path or str, optional
        Annotations of one's own by name: a text for each segment, one per line, or a JSON value if the
        file's name ends in ``.json`` or ``.jsonl``. A segment's own annotation takes precedence. `finish`
        refuses a file with more lines than there are segments.

    Raises
    ------
    InputError
        A file is missing, or the classes are malformed.
    """

    def __init__(
        self,
        *,
        trees: Path | str | None = None,
        conllu: Path | str | None = None,
        tags: Path | str | None = None,
        classes: Path | str | None = None,
        own: Mapping[str, Path | str] | None = None,
    ) -> None:
        self._trees = None if trees is None else _Column("tree", trees, enumerate(each_line(trees), 1))
        self._conllu = None if conllu is None else _Column("parse", conllu, read_conllu(conllu))
        self._tags = None if tags is None else _Column("tags", tags, _tagged_lines(tags, each_line(tags)))
        self._classes = None if classes is None else read_classes(classes)
        self._own = {
            name: _Column(f"annotation {name}", path, _values(path)) for name, path in (own or {}).items()
        }

    def __bool__(self) -> bool:
        """Tell whether there is any file."""
        files = (self._trees, self._conllu, self._tags, self._classes)
        return bool(self._own) or any(file is not None for file in files)

    def attach(self, segment: Segment) -> Segment:
        """Add annotations to a segment; segments come in the order of their indices.

        Raises
        ------
        InputError
            An item is malformed or missing, or its words are not the segment's; the error names file and
            line.
        """
        if self._trees is not None:
            segment = replace(segment, tree=_fitting_tree(segment, self._trees))
        if self._conllu is not None:
            parse = _fitting_parse(segment, self._conllu)
            segment = replace(segment, tags=parse.tags, dependencies=parse.heads)
        if self._tags is not None:
            words, tags = self._tags.item(segment)
            places = _matched(words, segment, "tagged words", self._tags.path, self._tags.line)
            segment = replace(segment, tags=tags if places is None else places.tags(tags))
        if self._classes is not None and segment.tokens is not None:
            classes = tuple(self._classes.get(token, UNKNOWN_CLASS) for token in segment.tokens)
            segment = replace(segment, classes=classes)
        if self._own:
            values = {name: column.item(segment) for name, column in self._own.items()}
            segment = replace(segment, annotations=values | dict(segment.annotations))
        return segment

    def finish(self) -> None:
        """Refuse files of annotations of one's own with items behind that of the last segment.

        Raises
        ------
        InputError
            A file has more lines than there were segments.
        """
        for column in self._own.values():
            column.finish()


def annotate(segments: Iterable[Segment], **files: Any) -> Iterator[Segment]:
    """Iterate over the segments with the annotations from the files of `Annotations`.

    Raises
    ------
    InputError
        At the call, if a file is missing; during the iteration, as in `Annotations.attach`.
    """
    return _annotated(segments, Annotations(**files))


def _annotated(segments: Iterable[Segment], annotations: Annotations) -> Iterator[Segment]:
    yield from map(annotations.attach, segments)
    annotations.finish()


def _values(path: Path | str) -> Iterator[tuple[int, Any]]:
    """Iterate over the lines of a file of annotations: texts, or JSON values."""
    is_json = str(path).endswith((".json", ".jsonl"))
    for number, line in enumerate(each_line(path), 1):
        text = line.rstrip("\r\n")
        if not is_json:
            yield number, text
            continue
        try:
            yield number, parse_json(text.encode())
        except ValueError as error:
            raise InputError(f"expected a JSON value: {error}", path=path, line=number) from None


def parse_tagged(
    line: str, *, separator: str = "/", path: Path | str | None = None, number: int | None = None
) -> Tagged:
    """Read words and tags of a line, split at the last separator of each item."""
    words, tags = [], []
    for item in re.findall(_ITEM, line):
        word, _, tag = item.rpartition(separator)
        if not word or not tag:
            raise InputError(f"expected word{separator}TAG, got {item!r}", path=path, line=number)
        words.append(word)
        tags.append(tag)
    return tuple(words), tuple(tags)


def tree_of_tokens(
    text: str, segment: Segment, *, path: Path | str | None = None, line: int | None = None
) -> str:
    """Return a tree of a segment's words, or of other words of its sentence as written, over its tokens."""
    tree = parse_tree(text, path=path, line=line)
    if not tree.tokens:
        return text
    places = _matched(tree.tokens, segment, "a tree", path, line)
    if places is None or segment.tokens is None:
        return text
    return places.tree(parse_tree(text, whole_labels=True), segment.tokens)


def _tagged_lines(path: Path | str, lines: Iterator[str]) -> Iterator[tuple[int, Tagged]]:
    separator = ""
    for number, line in enumerate(lines, 1):
        separator = separator or _separator(line)
        yield number, parse_tagged(line, separator=separator or "/", path=path, number=number)


def _separator(line: str) -> str:
    """Find the separator of a line's items; empty for a blank line."""
    items = re.findall(_ITEM, line)
    underlined = all("_" in item for item in items) and not all("/" in item for item in items)
    return ("_" if underlined else "/") if items else ""


class _Column(Generic[Item]):
    """The items of a file, taken in the order of the segments."""

    def __init__(self, what: str, path: Path | str, items: Iterator[tuple[int, Item]]) -> None:
        self.what = what
        self.path = path
        self.line = 0  # line of the last item
        self._items = items
        self._next = 0  # index of the segment whose item comes next

    def item(self, segment: Segment) -> Item:
        if segment.index < self._next:
            raise ValueError(f"segments must come in order: {segment.index} came after {self._next - 1}")
        while True:
            try:
                self.line, item = next(self._items)
            except StopIteration:
                message = f"expected the {self.what} of sentence {segment.number}, got the end of the file"
                raise InputError(message, path=self.path, line=self.line + 1) from None
            self._next += 1
            if self._next > segment.index:
                return item

    def finish(self) -> None:
        for line, _ in self._items:
            raise InputError(
                f"expected {self._next} lines, one a segment, got more", path=self.path, line=line
            )


def _fitting_tree(segment: Segment, column: _Column[str]) -> str:
    text = column.item(segment)
    if segment.tree is not None:
        return segment.tree
    return tree_of_tokens(text, segment, path=column.path, line=column.line)


def _fitting_parse(segment: Segment, column: _Column[DependencyParse]) -> DependencyParse:
    parse = column.item(segment)
    if parse.contractions and segment.tokens is not None and _difference(parse.words, segment.tokens):
        parse = parse.contracted()
    places = _matched(parse.words, segment, "a parse", column.path, column.line)
    return parse if places is None or segment.tokens is None else places.parse(parse, segment.tokens)


def _matched(
    words: Sequence[str], segment: Segment, what: str, path: Path | str | None, line: int | None
) -> WordPlaces | None:
    """Match words with the tokens of a segment; None if they are the tokens."""
    if segment.tokens is None:
        difference = ("nothing", f"{len(words)} words") if words else None
    else:
        difference = _difference(words, segment.tokens)
    if difference is None:
        return None
    if segment.written is not None:
        try:
            return WordPlaces.find(words, segment.written, _plain)
        except Misfit as misfit:
            difference = misfit.expected, misfit.got
    expected, got = difference
    where = f"lattice {segment.number}" if segment.tokens is None else f"sentence {segment.number}"
    message = f"{what}: expected {expected}, as in {where}, got {got}"
    raise InputError(message, path=path, line=line)


def _difference(words: Sequence[str], tokens: Sequence[str]) -> tuple[str, str] | None:
    """Describe the difference: what was expected and what was found."""
    if len(words) != len(tokens):
        return f"{len(tokens)} words", str(len(words))
    for number, (word, token) in enumerate(zip(words, tokens, strict=True), 1):
        if word != token and _plain(word) != _plain(token):
            return f"{token!r} as word {number}", repr(word)
    return None


def _plain(word: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPES[match.group().upper()], word).casefold()

"""Penn trees: ``(S (NP (PRP he)) (VP (VBD slept)))``, one per line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, NoReturn

from hopefear.base import InputError
from hopefear.base.texts import BLANK

_TOKEN = re.compile(rf"[()]|[^{BLANK}()]+")
_BRACKETS = {
    "-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"
}  # fmt: skip
_NULL = "-NONE-"


class Constituent(NamedTuple):
    """A labelled span [begin, end) of words."""

    label: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence's words and constituents.

    Attributes
    ----------
    tokens : tuple of str
        The words, with plain brackets: ``-LRB-`` becomes ``(``. Empty if the parser failed.
    constituents : tuple of Constituent
        The constituents, including parts of speech if the tree has them. Parents come before their children.
    """

    tokens: tuple[str, ...]
    constituents: tuple[Constituent, ...]


def parse_tree(
    text: str, *, path: Path | str | None = None, line: int | None = None, whole_labels: bool = False
) -> Tree:
    """Read one tree.

    Labels lose their functional tags and indices: ``NP-SBJ-1`` and ``NP=2`` become NP. The treebank's null
    elements (``-NONE-``) and constituents without other words are left out. A blank text, and ``()`` and
    ``(())``, which parsers write when they fail, give a tree without words.

    Parameters
    ----------
    text : str
        A bracketed tree.
    path, line : optional
        File and line of the text, for messages.
    whole_labels : bool
        Keep the functional tags and indices of labels.

    Raises
    ------
    InputError
        The text is not one tree; the message names the column, counted from 1.
    """
    return _parsed(text, path, line, whole_labels)


@lru_cache(maxsize=1024)  # several plugins read the same tree, and tuners read each tree repeatedly
def _parsed(text: str, path: Path | str | None, line: int | None, whole_labels: bool) -> Tree:
    def fail(offset: int, expected: str, got: str) -> NoReturn:
        raise InputError(f"column {offset + 1}: expected {expected}, got {got}", path=path, line=line)

    tokens: list[str] = []
    labels: list[str] = []  # of the constituents, in the order in which they begin
    begins: list[int] = []
    ends: list[int] = []
    unclosed: list[int] = []
    before = ""
    for match in _TOKEN.finditer(text):
        token = match.group()
        kind = token if token in "()" else "label" if before == "(" else "word"
        if not unclosed and (labels or kind != "("):
            expected = "the end of the line after the tree" if labels else "a tree that begins with ("
            fail(match.start(), expected, token)
        if kind == "(":
            unclosed.append(len(labels))
            labels.append("")
            begins.append(len(tokens))
            ends.append(0)
        elif kind == ")":
            if before == "label":
                fail(match.start(), f"a word or a constituent in ({labels[unclosed[-1]]}", token)
            ends[unclosed.pop()] = len(tokens)
        elif kind == "label":
            labels[unclosed[-1]] = token
        elif labels[unclosed[-1]] != _NULL:
            tokens.append(_BRACKETS.get(token, token))
        before = kind
    if unclosed:
        fail(len(text), f"{len(unclosed)} more )", "the end of the line")
    constituents = (
        Constituent(label if whole_labels else _category(label), begin, end)
        for label, begin, end in zip(labels, begins, ends, strict=True)
        if begin < end
    )
    return Tree(tuple(tokens), tuple(constituents))


def _category(label: str) -> str:
    if label.startswith("-"):  # labels such as -LRB- are kept whole
        return label
    return re.split("[-=]", label, maxsplit=1)[0] or label


def format_tree(tokens: Sequence[str], constituents: Iterable[Constituent]) -> str:
    """Write a tree in the form that `parse_tree` reads."""
    opening: list[list[str]] = [[] for _ in tokens]
    closing = [0] * len(tokens)
    for label, begin, end in constituents:
        opening[begin].append(f"({label} ")
        closing[end - 1] += 1
    return " ".join(
        "".join(opening[i]) + token.replace("(", "-LRB-").replace(")", "-RRB-") + ")" * closing[i]
        for i, token in enumerate(tokens)
    )

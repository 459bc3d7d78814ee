"""A line is split into words in one way, and no other way is left in the sources."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import CHECKOUT
from support.white_space import OF_WORDS

from hopefear.base.texts import first_word, join_words, split_lines, split_words, word_places

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGES = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["tool"]["scikit-build"]["wheel"][
    "packages"
]
AS_SACREBLEU = {"metrics/base.py"}
"""Metrics split texts as sacrebleu does, at every white space."""

OF_DOCUMENTS = "text/"
"""Readers of documents leave the white space around a text, of any kind, in the file."""


def bare_splits(source: str) -> list[int]:
    """Return the lines of calls that split a text at every white space, or at every line end, of Unicode."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        separators = [*node.args[:1], *(each.value for each in node.keywords if each.arg == "sep")]
        is_bare = not separators or (isinstance(separators[0], ast.Constant) and separators[0].value is None)
        is_constant = isinstance(node.func.value, ast.Constant)
        if node.func.attr == "splitlines" or (
            node.func.attr in ("split", "rsplit") and is_bare and not is_constant
        ):
            found.append(node.lineno)
    return found


def bare_strips(source: str) -> list[int]:
    """Return the lines of calls that take all white space of Unicode from the ends of a text."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("strip", "lstrip", "rstrip")
        and not node.args
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_white_space_of_words_is_stripped(package: str) -> None:
    folder = CHECKOUT / PACKAGES[package]
    wrong = [
        f"{path.relative_to(CHECKOUT)}:{line}"
        for path in folder.rglob("*.py")
        if not path.relative_to(folder).as_posix().startswith(OF_DOCUMENTS)
        for line in bare_strips(path.read_text("utf-8"))
    ]
    assert not wrong


def test_bare_strips_are_found() -> None:
    assert bare_strips("a.strip()\nb.strip(' ')\nc.lstrip().rstrip()\nd.strip(BLANK)") == [1, 3, 3]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_text_is_split_at_every_white_space(package: str) -> None:
    folder = CHECKOUT / PACKAGES[package]
    files = [path for path in folder.rglob("*.py") if path.relative_to(folder).as_posix() not in AS_SACREBLEU]
    wrong = [
        f"{path.relative_to(CHECKOUT)}:{line}"
        for path in files
        for line in bare_splits(path.read_text("utf-8"))
    ]
    assert files and not wrong


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("text.split()", [1]),
        ("a\ntext.split(None, 1)[0]", [2]),
        ("line.strip().rsplit(maxsplit=1)", [1]),
        ("text.split(sep=None)", [1]),
        ("text.splitlines()", [1]),
        ("text.split(' ')\n'a b'.split()\nre.split('b', text)", []),
    ],
)
def test_bare_splits_are_found(source: str, lines: list[int]) -> None:
    assert bare_splits(source) == lines


def test_the_page_splits_at_no_other_white_space() -> None:
    scripts = sorted(Path(CHECKOUT / "src/hopefear/live/server/page").glob("*.js"))
    wrong = [
        path.name
        for path in scripts
        if re.search(
            r"/[^/\n]*\\[sS][^/\n]*/[a-z]*\.|(split|replace|match|matchAll)\(/[^/\n]*\\[sS]",
            path.read_text("utf-8"),
        )
    ]
    assert scripts and not wrong


@given(st.lists(st.text(st.sampled_from([*OF_WORDS, "a", "é", "|"]), min_size=1)))
def test_words_are_joined_and_split(words: list[str]) -> None:
    line = join_words(words)
    assert split_words(line) == tuple(words)
    assert [line[begin:end] for begin, end in word_places(f"\t {line} ")] or not words
    assert split_words(line.replace(" ", "\t \r\n")) == tuple(words)
    assert split_lines("\n".join(words)) == words


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("", ("", "")),
        (" \t", ("", "")),
        ("a", ("a", "")),
        ("\ta  b\tc ", ("a", "b\tc")),
        ("a\u00a0b c", ("a\u00a0b", "c")),
    ],
)
def test_the_first_word_of_a_line(line: str, first: tuple[str, str]) -> None:
    assert first_word(line) == first


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a\r\nb\rc\n\nd", ["a", "b", "c", "", "d"]),
        ("a\u2028b\x0bc\x85", ["a\u2028b\x0bc\x85"]),
    ],
)
def test_a_text_is_split_at_its_line_ends_only(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines

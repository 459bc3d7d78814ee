"""Regular expressions of users that a line can hold up: another process tries each with hostile lines."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

SECONDS = 2
"""The processor time that an expression may take for lines of a thousand characters."""

_LENGTH = 1000
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_OF_CATEGORY = {"DIGIT": "1", "NOT_DIGIT": "a", "WORD": "a", "NOT_WORD": "-", "SPACE": " ", "NOT_SPACE": "a"}
_Parts = Sequence[tuple[object, Any]]
"""A parsed expression: operators with their arguments."""


def first_slow(patterns: Iterable[str]) -> str | None:
    """Return the first expression that takes too long; None if none does."""
    tried = list(patterns)
    if not tried:
        return None
    # Only the end of a process ends the search for a match.
    command = [sys.executable, "-I", "-S", __file__]
    done = subprocess.run(command, input=json.dumps(tried), capture_output=True, text=True)
    if done.returncode == 0:
        return None
    if done.returncode != -signal.SIGPROF:
        raise RuntimeError(f"regular expressions could not be tried: {done.stderr}")
    return tried[done.stdout.count("\n")]


def hostile_lines(parts: _Parts, before: str = "") -> Iterator[str]:
    """Iterate over lines of what each repetition matches, with an end that it does not match."""
    for operator, value in parts:
        name = str(operator)
        for inside in _inside(name, value):
            text = _matched(inside)
            if name in _REPEATS and text:
                yield before + text * (_LENGTH // len(text) + 1) + "\0"
            yield from hostile_lines(inside, before)
        before += _matched([(operator, value)])


def _inside(name: str, value: Any) -> list[_Parts]:
    if name == "BRANCH":
        return list(value[1])
    if name in _REPEATS:
        return [value[2]]
    return [value[-1]] if name == "SUBPATTERN" else [value] if name == "ATOMIC_GROUP" else []


def _matched(parts: _Parts) -> str:
    """Return a text that an expression matches, apart from what it says about the text beside it."""
    out = list[str]()
    for operator, value in parts:
        name = str(operator)
        if name == "LITERAL":
            out.append(chr(value))
        elif name == "NOT_LITERAL":
            out.append("b" if value == ord("a") else "a")
        elif name == "ANY":
            out.append("a")
        elif name == "IN":
            out.append(_member(value))
        elif inside := _inside(name, value):
            out.append(_matched(inside[0]) * (max(value[0], 1) if name in _REPEATS else 1))
    return "".join(out)


def _member(members: _Parts) -> str:
    """Return a character of a set."""
    if str(members[0][0]) != "NEGATE":
        name, value = str(members[0][0]), members[0][1]
        if name == "CATEGORY":
            return _OF_CATEGORY[str(value).removeprefix("CATEGORY_")]
        return chr(value[0] if name == "RANGE" else value)
    excluded = {_member([member]) for member in members[1:]}
    return next((character for character in "ab1 -.,<" if character not in excluded), "~")


def _try_all(patterns: Sequence[str]) -> None:
    """Say after each expression that it was tried; the process ends at the first that takes too long."""
    parser: Any = getattr(re, "_parser", None)
    if parser is None:  # Python 3.10
        import sre_parse as parser
    for pattern in patterns:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        compiled = re.compile(pattern, re.DOTALL)
        for line in hostile_lines(parser.parse(pattern, re.DOTALL)):
            for _ in compiled.finditer(line):
                pass
        sys.stdout.write("tried\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _try_all(json.load(sys.stdin))

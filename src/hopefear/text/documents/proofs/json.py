"""The proof of JSON: the same keys, values and placeholders, as Python's own reader sees them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator

from ..contract import Difference
from ..splices import EncodedText

_PLACEHOLDER = re.compile(r"\{[^{}\s]*\}|%[sd@]|\$t\([^()]*\)")
_PLURAL = re.compile(r"\s*\{\s*\w+\s*,")


class _Pairs(list[tuple[str, object]]):
    """The pairs of an object, those of a key that is there twice, too."""


def differences(original: bytes, written: bytes, named: Collection[str]) -> list[Difference]:
    """Compare two files: of what is no text nothing changes, and a text keeps its placeholders."""
    before = json.loads(EncodedText(original).text, object_pairs_hook=_Pairs)
    try:
        after = json.loads(EncodedText(written).text, object_pairs_hook=_Pairs)
    except ValueError as error:
        return [Difference(f"the written document is no JSON: {error}")]
    found = list[Difference]()
    for (path, old), (other, new) in zip(_walk(before, []), _walk(after, []), strict=False):
        if path != other or type(old) is not type(new) or (not isinstance(old, str) and old != new):
            return [*found, Difference(f"the document changes at {'.'.join(path)}")]
        if not isinstance(old, str) or not isinstance(new, str) or old == new or ".".join(path) in named:
            continue
        if any(key.startswith("@") for key in path):
            found.append(Difference(f"the value of {'.'.join(path)} is no text, and changes"))
        elif _placeholders(old) != _placeholders(new):
            found.append(Difference(f"{'.'.join(path)} has other placeholders than its source"))
    return found


def _placeholders(text: str) -> Counter[str]:
    """Count the placeholders of a text; of an ICU plural all outside the words of its branches."""
    if not _PLURAL.match(text):
        return Counter(_PLACEHOLDER.findall(text))
    depth, found = 0, Counter[str]()
    for character in text:
        depth -= character == "}"
        found[character] += depth != 2
        depth += character == "{"
    return +found


def _walk(value: object, path: list[str]) -> Iterator[tuple[list[str], object]]:
    if isinstance(value, _Pairs):
        yield path, len(value)
        for key, inside in value:
            yield from _walk(inside, [*path, key])
    elif isinstance(value, list):
        yield path, len(value)
        for index, inside in enumerate(value):
            yield from _walk(inside, [*path, str(index)])
    else:
        yield path, value

"""The proofs of texts of programs: Android's strings, RESX and Qt's ``.ts``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from ..contract import Difference, Unit
from .xml import Node, compare, same_marks

_ARGUMENT = re.compile(r"\{\d{1,3}[^{}]*\}")
_BARE = re.compile(r"(?<!\\)'")


def android(original: bytes, written: bytes, named: Collection[Unit]) -> list[Difference]:
    """Compare two files of strings: apostrophes are escaped, and inline elements are those of the source."""
    lines = {unit.line for unit in named}

    def changed(old: Node, new: Node) -> str:
        if old.attributes != new.attributes or (
            old.attributes.get("translatable") == "false" and old.content != new.content
        ):
            return "the text has other attributes, or is not to be translated"
        bare = _BARE.search(new.text()) and not _BARE.search(old.text())
        if bare and '"' not in re.sub(r'\\"', "", new.text()):
            return "an apostrophe is not escaped"
        return "" if old.line in lines else same_marks(old, new)

    return compare(original, written, lambda node: node.local in ("string", "item"), changed)


def resx(original: bytes, written: bytes, named: Collection[Unit]) -> list[Difference]:
    """Compare two RESX files: a text keeps the numbers of its arguments."""
    lines = {unit.line for unit in named}

    def changed(old: Node, new: Node) -> str:
        before, after = ([child.whole for child in node if child.local != "value"] for node in (old, new))
        if old.attributes != new.attributes or before != after:
            return "the text has other attributes"
        value = old.child("value")
        arguments = [Counter(_ARGUMENT.findall(node.text())) for node in (old, new)]
        if arguments[0] == arguments[1] or (value is not None and value.line in lines):
            return ""
        return "the text has other placeholders"

    return compare(
        original,
        written,
        lambda node: node.local == "data" and not {"type", "mimetype"} & node.attributes.keys(),
        changed,
    )


def qt(original: bytes, written: bytes) -> list[Difference]:
    """Compare two files of Qt: of a message only its translation changes."""

    def changed(old: Node, new: Node) -> str:
        if old.whole == new.whole:
            return ""
        before, after = old.child("translation"), new.child("translation")
        kept = [[child.whole for child in node if child.local != "translation"] for node in (old, new)]
        if old.attributes != new.attributes or kept[0] != kept[1] or after is None:
            return "the message has another source, identity or note"
        source = new.child("source")
        if source is None or (before is not None and before.content == after.content):
            return ""
        forms = [form for form in after if form.local == "numerusform"]
        if (old.attributes.get("numerus") == "yes") != bool(forms):
            return "the message has other plural forms"
        if after.attributes.get("type") == "unfinished":
            return ""
        return next(filter(None, (same_marks(source, one) for one in forms or [after])), "")

    return compare(original, written, lambda node: node.local == "message", changed, frozenset({"language"}))

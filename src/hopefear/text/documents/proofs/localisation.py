"""The proofs of XLIFF and of translation memories."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..contract import Difference, Unit
from .xml import Node, compare, same_marks

_UNITS = frozenset({"trans-unit", "segment"})
_STATES = frozenset({"state", "subState", "approved"})
_UNSURE = frozenset({"initial", "needs-review-translation"})


def xliff(original: bytes, written: bytes) -> list[Difference]:
    """Compare two XLIFF files; a target has the tags of its source, or a state that asks for a person."""
    return compare(
        original, written, _holds_a_target, _changed_unit, frozenset({"target-language", "trgLang"})
    )


def _holds_a_target(node: Node) -> bool:
    return node.local in _UNITS


def _changed_unit(old: Node, new: Node) -> str:
    before, after = old.child("target"), new.child("target")
    if _without_target(old) != _without_target(new):
        return "the unit has another source, identity or note"
    if before is not None and after is not None and before.content == after.content:
        same = _state(old, before) == _state(new, after) or old.local == "segment"
        return (
            "" if same or before.text().strip() else "the state of a translation changed that did not change"
        )
    if before is after is None:
        return ""
    if after is None:
        return "the unit has no target"
    if old.attributes.get("translate") == "no":
        return "the unit is not to be translated"
    if new.attributes.get("approved") == "yes" and after.text().strip():
        return "another translation is approved"
    source = new.child("seg-source") or new.child("source") or Node("", {}, None)
    if _state(new, after) in _UNSURE:
        return ""
    return same_marks(source, after) if after.text().strip() else "the unit has no translation any more"


def _state(unit: Node, target: Node) -> str | None:
    return target.attributes.get("state", unit.attributes.get("state"))


def _without_target(unit: Node) -> list[object]:
    """Return a unit without its target, white space between elements, and what says its state."""
    kept = {name: value for name, value in unit.attributes.items() if name not in _STATES}
    return [
        kept,
        *(child.whole for child in unit if child.local != "target"),
        *(child for child in unit.children if isinstance(child, str) and child.strip()),
    ]


def _segment(side: Node) -> Node:
    return side.child("seg") or side


def tmx(original: bytes, written: bytes, named: Collection[Unit]) -> list[Difference]:
    """Compare two memories; in each unit one translation may change or be added."""
    lines = {unit.line for unit in named}
    stated = re.search(rb"""<header[^>]*\ssrclang\s*=\s*["']([\w-]+)""", original)
    language = stated[1].decode().lower() if stated else None

    def changed(old: Node, new: Node) -> str:
        before, after = ([child.whole for child in unit] for unit in (old, new))
        gone = [child for child in old if child.whole not in after]
        come = [child for child in new if child.whole not in before]
        if old.attributes != new.attributes or len(gone) > 1 or len(come) > 1 or len(gone) > len(come):
            return "the unit has other translations or notes"
        if not come:
            return ""
        if come[0].local != "tuv" or (gone and gone[0].attributes != come[0].attributes):
            return "the unit has other translations or notes"
        if come[0].attributes.get("xml:lang", "").lower() == language:
            return "the unit has another source"
        notes = [[child.whole for child in one if child.local != "seg"] for one in (*gone, *come)]
        if gone and notes[0] != notes[1]:
            return "the unit has other translations or notes"
        sides = [one for one in new if one.local == "tuv"]
        others = [one for one in sides if one is not come[0]] or sides
        wrong = [same_marks(_segment(one), _segment(come[0])) for one in others]
        return "" if "" in wrong or old.line in lines else wrong[0]

    return compare(original, written, lambda node: node.local == "tu", changed)

"""The rooms' import arrows point one way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]

MAY_IMPORT: dict[str, set[str]] = {
    "base": set(),
    "metrics": set(),
    "parallel": {"base"},
    "decoder": {"base", "parallel"},
    "plugins": {"base", "decoder"},
    "feature_extractors": {"base", "plugins"},
    "grammars": {"base", "decoder", "parallel"},
    "cdec": {"base", "decoder", "plugins"},
    "tuners": {"base", "cdec", "decoder", "metrics", "parallel", "plugins"},
    "experiments": {
        "base",
        "cdec",
        "decoder",
        "feature_extractors",
        "grammars",
        "metrics",
        "parallel",
        "plugins",
        "tuners",
    },
    "hopefear": {
        "base",
        "cdec",
        "decoder",
        "experiments",
        "feature_extractors",
        "grammars",
        "metrics",
        "parallel",
        "plugins",
        "tuners",
    },
}
NATIVE = "_native"
"""The compiled core, which each room may import."""


def folder_of(room: str) -> Path:
    return CHECKOUT / ("front/hopefear" if room == "hopefear" else room)


def room_of(module: str) -> str:
    """`hopefear.plugins.registry` lives in `plugins`; what no room holds belongs to `hopefear` itself."""
    _, _, inside = module.partition(".")
    first = inside.partition(".")[0]
    return first if first in MAY_IMPORT or first == NATIVE else "hopefear"


def imported_modules(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Line and absolute name of each hopefear module that `source`, a module of `package`, imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*above, *filter(None, [node.module])])
            names = [f"{origin}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.partition(".")[0] == "hopefear")


def package_of(path: Path, room: str) -> str:
    inside = path.relative_to(folder_of(room)).parent.parts
    return ".".join(["hopefear", *([] if room == "hopefear" else [room]), *inside])


def rooms() -> list[str]:
    return [room for room in MAY_IMPORT if folder_of(room).is_dir()]


@pytest.mark.parametrize("room", rooms())
def test_room_imports_only_what_the_plan_allows(room: str) -> None:
    allowed = MAY_IMPORT[room] | {room, NATIVE}
    wrong = [
        f"{path.relative_to(CHECKOUT)}:{line}: {name}"
        for path in sorted(folder_of(room).rglob("*.py"))
        for line, name in imported_modules(path.read_text(encoding="utf-8"), package_of(path, room))
        if room_of(name) not in allowed
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("source", "package", "rooms_imported"),
    [
        ("import hopefear.base.errors", "hopefear.plugins", ["base"]),
        ("from hopefear import _native", "hopefear.decoder", ["_native"]),
        ("from hopefear import tuners, Decoder", "hopefear.plugins", ["tuners", "hopefear"]),
        ("from hopefear.metrics.bleu import Bleu", "hopefear.plugins", ["metrics"]),
        ("from . import registry", "hopefear.plugins", ["plugins"]),
        ("from .. import tuners", "hopefear.plugins", ["tuners"]),
        ("from ...metrics.bleu import Bleu", "hopefear.plugins.levels", ["metrics"]),
        ("def f():\n    from ..decoder import Weights", "hopefear.plugins", ["decoder"]),
        ("import numpy as np\nfrom scipy import sparse", "hopefear.plugins", []),
    ],
)
def test_imports_are_found(source: str, package: str, rooms_imported: list[str]) -> None:
    assert [room_of(name) for _, name in imported_modules(source, package)] == rooms_imported


def test_arrows_make_no_circle() -> None:
    placed: set[str] = set()
    while waiting := MAY_IMPORT.keys() - placed:
        ready = {room for room in waiting if MAY_IMPORT[room] <= placed}
        assert ready, f"circle among {sorted(waiting)}"
        placed |= ready

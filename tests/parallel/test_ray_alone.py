"""Ray is imported in `src/hopefear/parallel/ray/` and its tests only."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from support import CHECKOUT

WITH_RAY = (Path("src/hopefear/parallel/ray"), Path("tests/parallel/ray"))
NO_SOURCES = {"build", "dist"}


def imports_ray(source: str) -> bool:
    if not re.search(r"\bray\b", source):
        return False  # parsing takes longer
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        if any(name.partition(".")[0] == "ray" for name in names):
            return True
    return False


def test_only_the_implementation_on_ray_imports_ray() -> None:
    folders = [path for path in CHECKOUT.iterdir() if path.is_dir() and path.name[0] != "."]
    sources = [path for each in folders if each.name not in NO_SOURCES for path in each.rglob("*.py")]
    found = [path.relative_to(CHECKOUT) for path in sources if imports_ray(path.read_text("utf-8"))]
    assert {WITH_RAY[0] / "dispatch.py", WITH_RAY[1] / "test_connection.py"} <= set(found)
    assert [path for path in found if path.parent not in WITH_RAY] == []


@pytest.mark.parametrize(
    ("source", "imports"),
    [
        ("import os, ray.util", True),
        ("def f():\n    from ray import remote", True),
        ("from .ray import Connection", False),
        ("from hopefear.parallel.ray import Connection", False),
        ("import rayon", False),
    ],
)
def test_imports_of_ray_are_found(source: str, imports: bool) -> None:
    assert imports_ray(source) == imports

"""The packages' import arrows point down."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import CHECKOUT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
LAYERS: list[list[str]] = PROJECT["hopefear"]["layers"]
"""The packages, from the ground up: a package uses only packages of the layers below its own."""

LAYER = {package: layer for layer, packages in enumerate(LAYERS) for package in packages}
NATIVE = "_native"
"""The compiled core, which each package may import."""

IN_STRINGS = re.compile(
    r"\A(hopefear\.[\w.]+)(?::\w+)?\Z|^\s*(?:from|import)\s+(hopefear\.[\w.]+)", re.MULTILINE
)
"""A module or a class of a module, or the import statements of a program for another process."""


def folder_of(package: str) -> Path:
    packages = PROJECT["scikit-build"]["wheel"]["packages"]
    name = f"hopefear/{package}"
    return CHECKOUT / (packages["hopefear"] if package == "hopefear" else packages.get(name, f"src/{name}"))


def package_holding(module: str) -> str:
    """`hopefear.plugins.registry` lives in `plugins`; what no package holds belongs to `hopefear` itself."""
    first = module.partition(".")[2].partition(".")[0]
    return first if first in LAYER or first == NATIVE else "hopefear"


def is_module(name: str) -> bool:
    """Tell whether a package has the module; ``hopefear.lock`` is the name of a file."""
    first = folder_of("hopefear") / name.split(".")[1]
    return package_holding(name) != "hopefear" or first.is_dir() or first.with_suffix(".py").is_file()


def files_of(package: str) -> list[Path]:
    """Return the modules of the package; the folder of `hopefear` holds other packages, too."""
    found = sorted(folder_of(package).rglob("*.py"))
    return [path for path in found if package_holding(f"{package_of(path, package)}.{path.stem}") == package]


def modules_used(source: str, package: str) -> Iterator[tuple[int, str]]:
    """Line and absolute name of each hopefear module that `source`, a module of `package`, names.

    Strings count, apart from docstrings.
    """
    tree = ast.parse(source)
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*above, *filter(None, [node.module])])
            names = [f"{origin}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            names = list(filter(is_module, map("".join, IN_STRINGS.findall(node.value))))
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.partition(".")[0] == "hopefear")


def package_of(path: Path, package: str) -> str:
    inside = path.relative_to(folder_of(package)).parent.parts
    return ".".join(["hopefear", *([] if package == "hopefear" else [package]), *inside])


@pytest.mark.parametrize("package", LAYER)
def test_package_uses_only_layers_below(package: str) -> None:
    files = files_of(package)
    wrong = [
        f"{path.relative_to(CHECKOUT)}:{line}: {name}"
        for path in files
        for line, name in modules_used(path.read_text(encoding="utf-8"), package_of(path, package))
        if package_holding(name) not in (package, NATIVE) and LAYER[package_holding(name)] >= LAYER[package]
    ]
    assert files
    assert not wrong


def test_a_forest_does_not_know_how_it_is_drawn() -> None:
    """Views import forests, never the other way; the door of the package imports both."""
    files = [path for path in folder_of("decoder").glob("*.py") if path.name != "__init__.py"]
    used = [name for path in files for _, name in modules_used(path.read_text("utf-8"), "hopefear.decoder")]
    assert used and not [name for name in used if name.startswith("hopefear.decoder.views")]


PROGRAM = "PROGRAM = '''\nimport sys\nfrom hopefear.decoder.checking import answer\n'''"
DOCSTRINGS = '"""hopefear.tuners"""\ndef f():\n    "hopefear.cdec"'


@pytest.mark.parametrize(
    ("source", "package", "packages_used"),
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
        ('import_module("hopefear.tuners")', "hopefear.plugins", ["tuners"]),
        ('PATH = "hopefear.feature_extractors:Arity"', "hopefear.plugins", ["feature_extractors"]),
        ('start("hopefear.cli.run", "Work")', "hopefear.parallel.ray", ["hopefear"]),
        (PROGRAM, "hopefear.plugins", ["decoder"]),
        ('LOCK, KIND, TEXT = "hopefear.lock", "hopefear.oracles", "hopefear.cdec has"', "hopefear.base", []),
        (DOCSTRINGS, "hopefear.plugins", []),
    ],
)
def test_modules_are_found(source: str, package: str, packages_used: list[str]) -> None:
    assert [package_holding(name) for _, name in modules_used(source, package)] == packages_used

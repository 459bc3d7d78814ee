"""Each leaf can be taken off: everything else imports and translates without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import CHECKOUT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hopefear"]
LEAVES: dict[str, list[str]] = PROJECT["leaves"]

PROGRAM = """
import importlib, pkgutil, sys

leaf, *needing = sys.argv[1:]


class TakenOff:
    def find_spec(self, name, path=None, target=None):
        if name == leaf or name.startswith(leaf + "."):
            raise ImportError(f"{name} is taken off", name=name)


sys.meta_path.insert(0, TakenOff())
import hopefear

off = (leaf, *needing, "hopefear.__main__")
names = []


def walk(path, prefix):
    for module in pkgutil.iter_modules(path, prefix):
        if any(module.name == name or module.name.startswith(name + ".") for name in off):
            continue
        names.append(module.name)
        try:
            loaded = importlib.import_module(module.name)
        except ModuleNotFoundError as error:  # a library of an extra that is not installed
            assert not (error.name or "hopefear").startswith("hopefear")
            continue
        if module.ispkg:
            walk(loaded.__path__, module.name + ".")


walk(hopefear.__path__, "hopefear.")
assert len(names) > 300

from hopefear.cli import app
from hopefear.grammars.sample import sample_path

sample = sample_path()
decoder = hopefear.Decoder(sample / "cdec.ini", weights=sample / "weights.init")
print(decoder.translate("y dijo dios").viterbi())
app(["decode", "-c", str(sample / "cdec.ini"), "-w", str(sample / "weights.init"), "-i", "in"])
"""
"""Imports every module but a leaf and those that need it, and translates in Python and by command."""


@pytest.mark.parametrize("leaf", LEAVES)
def test_everything_else_works_without_a_leaf(leaf: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("y dijo dios\n", encoding="utf-8")
    modules = [f"hopefear.{name}" for name in (leaf, *LEAVES[leaf])]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, *modules],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    in_python, by_command = done.stdout.splitlines()
    assert in_python == by_command and in_python

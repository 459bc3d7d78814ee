"""Each leaf can be taken off: everything else imports and translates without it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support import CHECKOUT
from support.world import World

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hopefear"]
LEAVES: dict[str, list[str]] = PROJECT["leaves"]

PROGRAM = """
import importlib, json, os, pkgutil, sys

leaves = json.loads(sys.argv[1])
off = {name for leaf, needing in leaves.items() for name in (leaf, *needing)}


def is_off(module):
    parts = module.split(".")[1:]
    return any(".".join(parts[:end]) in off for end in range(1, len(parts) + 1))


class TakenOff:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("hopefear.") and is_off(name):
            raise ImportError(f"{name} is taken off", name=name)


def import_all(path, prefix):
    count = 0
    for module in pkgutil.iter_modules(path, prefix):
        if is_off(module.name) or module.name == "hopefear.__main__":
            continue
        count += 1
        try:
            loaded = importlib.import_module(module.name)
        except ModuleNotFoundError as error:  # a library of an extra that is not installed
            assert not (error.name or "hopefear").startswith("hopefear")
            continue
        if module.ispkg:
            count += import_all(loaded.__path__, module.name + ".")
    return count


sys.meta_path.insert(0, TakenOff())
import hopefear

import_all(hopefear.__path__, "hopefear.")
for leaf, needing in leaves.items():
    if process := os.fork():
        os.waitpid(process, 0)
        continue
    for stream in (sys.stdout, sys.stderr):
        os.dup2(os.open(leaf + stream.name, os.O_CREAT | os.O_WRONLY), stream.fileno())
    off = {leaf, *needing}
    assert import_all(hopefear.__path__, "hopefear.") > 300

    from hopefear.cli import app

    print(hopefear.Decoder("cdec.ini", weights="weights").translate("la casa").viterbi())
    app(["decode", "-c", "cdec.ini", "-w", "weights", "-i", "in"])
"""
"""Imports every module but the leaves and those that need one. Then a fork for each leaf imports all others
but those that need it, and translates in Python and by command."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which the program has written the output of each leaf's fork."""
    folder = tmp_path_factory.mktemp("leaves")
    World(weights={"p": -1}, files={"in": "la casa\n"}).write(folder)
    command = [sys.executable, "-W", "error", "-W", "ignore:.*multi-threaded", "-c", PROGRAM]
    subprocess.run([*command, json.dumps(LEAVES)], cwd=folder, check=True)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("leaf", LEAVES)
def test_everything_else_works_without_a_leaf(leaf: str, folder: Path) -> None:
    output, errors = ((folder / f"{leaf}<{name}>").read_text("utf-8") for name in ("stdout", "stderr"))
    assert output == "the house\nthe house\n", errors

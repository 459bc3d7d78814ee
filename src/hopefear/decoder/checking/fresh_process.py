"""A plugin made anew in another process, to see whether it says the same there."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopefear.base import PluginError
from hopefear.base.arguments import options_of
from hopefear.base.texts import BLANK, split_lines
from hopefear.plugins import Plugin, create

from .material import Derivations, Material, derivations

_PROGRAM = """
import pickle, sys
sys.path = pickle.load(sys.stdin.buffer)
from hopefear.decoder.checking.fresh_process import answer
answer()
"""
_SECONDS = 300


@dataclass(frozen=True)
class PluginRecipe:
    """How to make a plugin: of a cdec.ini line, or of a class and its constructor's arguments."""

    line: str = ""
    base: Path | None = None
    module: str = ""
    file: str = ""
    class_name: str = ""
    arguments: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, plugin: Plugin) -> PluginRecipe:
        """Read the recipe off an instance: a constructor only stores its arguments, under their names."""
        kind, name = type(plugin), type(plugin).__name__
        hint = "give check_plugin a cdec.ini line, or processes=False"
        if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__:
            raise PluginError(f"{name}: another process cannot import {kind.__qualname__}: {hint}")
        missing = [option for option in options_of(kind, name) if not hasattr(plugin, option)]
        if missing:
            raise PluginError(f"{name}: its constructor must store {missing[0]} under that name, or {hint}")
        arguments = tuple((option, getattr(plugin, option)) for option in options_of(kind, name))
        return cls(
            module=kind.__module__,
            file=inspect.getfile(kind),
            class_name=kind.__qualname__,
            arguments=arguments,
        )

    def make(self) -> Plugin:
        """Make the plugin."""
        if self.line:
            return create(self.line, base=self.base)
        attribute: Any = _load(self.module, self.file)
        for part in self.class_name.split("."):
            attribute = getattr(attribute, part)
        plugin: Plugin = attribute(**dict(self.arguments))
        return plugin


def _load(name: str, file: str) -> Any:
    """Import a module by name, or, as pytest does, from its file."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        spec = importlib.util.spec_from_file_location(name, file)
        if spec is None or spec.loader is None:
            raise
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module


def derivations_elsewhere(
    recipes: Sequence[PluginRecipe], material: Material, hash_seed: int
) -> list[Derivations]:
    """Decode the material with each plugin in a fresh process, with another seed of hashes of texts."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=pickle.dumps(sys.path) + pickle.dumps((recipes, material)),
        capture_output=True,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode:
        last = split_lines(done.stderr.decode(errors="replace").strip(BLANK))[-1:] or ["no message"]
        raise PluginError(f"a fresh process ended with exit status {done.returncode}: {last[0]}")
    answers: list[Derivations] = pickle.loads(done.stdout)
    return answers


def answer() -> None:
    """Do in the fresh process what was asked on standard input."""
    recipes, material = pickle.load(sys.stdin.buffer)
    output, sys.stdout = sys.stdout, sys.stderr  # a plugin may print
    decoders = [material.decoder(recipe.make()) for recipe in recipes]
    forests = (forest for decoder in decoders for forest in decoder.translate_all(material.segments))
    pickle.dump([derivations(forest) for forest in forests], output.buffer)

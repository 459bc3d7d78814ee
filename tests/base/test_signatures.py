"""Each public function refuses an argument of a wrong type by its name."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import hopefear
from hopefear import Decoder

PACKAGES = [
    "hopefear",
    "hopefear.cdec",
    "hopefear.cdec.bridge",
    "hopefear.decoder",
    "hopefear.decoder.checking",
    "hopefear.decoder.views",
    "hopefear.feature_extractors",
    "hopefear.grammars.conversion",
    "hopefear.live",
    "hopefear.live.server",
    "hopefear.metrics",
    "hopefear.plugins",
    "hopefear.text",
    "hopefear.text.documents",
    "hopefear.text.memory",
    "hopefear.tuners",
]
# scipy is imported late: an array of it has no type before.
ANYTHING = {
    "Any",
    "Plugin | str | Any",
    "object",
    "Value",
    "ArrayLike | csr_array",
    "ArrayLike | csr_array | None",
}


class Wrong:
    """No argument may be this."""


def functions(exported: Any) -> Iterator[Any]:
    if inspect.isfunction(exported):
        yield exported
    elif inspect.isclass(exported):
        for name, member in inspect.getmembers(exported):
            function = getattr(member, "__func__", member)
            if (not name.startswith("_") or name == "__init__") and inspect.isfunction(function):
                yield function


@pytest.mark.parametrize("package", PACKAGES)
def test_wrong_types_are_refused_by_name(package: str) -> None:
    module = import_module(package)
    accepted = []
    for name in module.__all__:
        for function in functions(getattr(module, name)):
            if package == "hopefear.feature_extractors" and function.__name__ != "__init__":
                continue  # the engine calls it
            if not function.__module__.startswith("hopefear."):
                continue
            for parameter in inspect.signature(function).parameters.values():
                if (
                    parameter.annotation in (parameter.empty, *ANYTHING)
                    or "*" in str(parameter)
                    or parameter.name in ("self", "cls")
                ):
                    continue
                try:
                    function(**{parameter.name: Wrong()})
                except (TypeError, ValueError) as error:
                    if f"expected {parameter.name} to be of type" in str(error):
                        continue
                    accepted.append(f"{function.__qualname__}({parameter}): {error}")
                else:
                    accepted.append(f"{function.__qualname__}({parameter})")
    assert not accepted, "\n".join(accepted)


def test_values_that_cannot_be_are_refused(tmp_path: Path) -> None:
    (tmp_path / "grammar").write_text("[X] ||| la ||| the ||| p=1\n")
    forest = Decoder(formalism="scfg", grammar=tmp_path / "grammar").translate("la la")
    for name, call in {
        "size": lambda: forest.kbest(-1),
        "n": lambda: forest.samples(-1),
        "k": lambda: forest.completions("the", -1),
        "typed": lambda: forest.complete("\0"),
    }.items():
        with pytest.raises(ValueError, match=f"expected {name} to be"):
            call()
    assert list(forest.kbest(0)) == []


@pytest.mark.slow
def test_assertions_only_tell_types() -> None:
    """Without them, as with ``python -O``, nothing else is accepted."""
    for path in Path(hopefear.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assert):
                told = ast.unparse(node.test)
                is_of_types = re.search(r" is not None|^isinstance\(|^pid == ", told)
                assert is_of_types or node.col_offset == 0, f"{path}:{node.lineno}: {told}"

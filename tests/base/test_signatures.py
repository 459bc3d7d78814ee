"""Each public function refuses an argument of a wrong type by its name."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopefear
from hopefear import Decoder
from hopefear.base.signatures import exported
from hopefear.decoder import combine
from hopefear.decoder.views import derivation_tree
from hopefear.metrics import Bleu, holm
from hopefear.plugins import create, span_index
from hopefear.text.documents import Document, tmx

PACKAGES = [
    "hopefear",
    "hopefear.cdec",
    "hopefear.cdec.bridge",
    "hopefear.decoder",
    "hopefear.decoder.checking",
    "hopefear.decoder.compiled",
    "hopefear.decoder.differentiable",
    "hopefear.decoder.views",
    "hopefear.experiments",
    "hopefear.feature_extractors",
    "hopefear.grammars.bitext",
    "hopefear.grammars.built",
    "hopefear.grammars.conversion",
    "hopefear.grammars.extractor",
    "hopefear.grammars.sample",
    "hopefear.live",
    "hopefear.live.server",
    "hopefear.metrics",
    "hopefear.neural",
    "hopefear.parallel",
    "hopefear.plugins",
    "hopefear.plugins.corpus",
    "hopefear.pycdec",
    "hopefear.pycdec.configobj",
    "hopefear.pycdec.sa",
    "hopefear.pycdec.score",
    "hopefear.reports",
    "hopefear.runs",
    "hopefear.text",
    "hopefear.text.documents",
    "hopefear.text.memory",
    "hopefear.tuners",
    "hopefear.tuners.catalogue",
    "hopefear.tuners.contract",
    "hopefear.tuners.joint",
    "hopefear.tuners.transformer",
]
# scipy is imported late: an array of it has no type before.
ANYTHING = {
    "Any",
    "Plugin | str | Any",
    "object",
    "Value",
    "ArrayLike | csr_array",
    "ArrayLike | csr_array | None",
    "Item",
}


OPERATORS = ("__init__", "__call__", "__getitem__", "__setitem__")


class Wrong:
    """No argument may be this."""


def functions(exported: Any) -> Iterator[Any]:
    if inspect.isfunction(exported) or inspect.ismethod(exported):
        yield exported
    elif inspect.isclass(exported):
        for name, member in inspect.getmembers(exported):
            function = getattr(member, "fset", None) or getattr(member, "__func__", member)
            if (not name.startswith("_") or name in OPERATORS) and inspect.isfunction(function):
                yield function


@pytest.mark.parametrize("package", PACKAGES)
def test_wrong_types_are_refused_by_name(package: str) -> None:
    if package == "hopefear.decoder.differentiable":
        pytest.importorskip("torch", reason="PyTorch is not installed")
    module = import_module(package)
    accepted = []
    for name in exported(module):
        for function in functions(getattr(module, name)):
            if package == "hopefear.feature_extractors" and function.__name__ != "__init__":
                continue  # the engine calls it
            if not function.__module__.startswith("hopefear.") or inspect.iscoroutinefunction(function):
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


MEMBERS: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (combine, {"systems": ["x"]}, "expected systems[0] to be of type Hypergraph | ScoredTexts, got str"),
    (
        Bleu().stats,
        {"hypothesis": "a", "references": ["b", ["c", 5]]},
        "references[1][1] to be of type str, got int",
    ),
    (
        Bleu().stats,
        {"hypothesis": "a", "references": {"b"}},
        "references to be of type Sequence[Sentence], got set",
    ),
    (
        Bleu().stats,
        {"hypothesis": "a", "references": np.array("b")},
        "Sequence[Sentence], got 0-dimensional array",
    ),
    (Bleu().compile, {"references": []}, "expected references to have at least 1, got []"),
    (
        Document.read("a.txt", b"a").translated,
        {"targets": {0: 1}},
        "expected targets[0] to be of type str, got int",
    ),
    (
        Document.read("a.txt", b"a").translated,
        {"targets": {"0": "a"}},
        "a key of targets to be of type int, got str",
    ),
    (create, {"line": "Plugin", "also": {1}}, "expected a member of also to be of type str, got int"),
    (
        tmx,
        {"pairs": [("a", "b")], "languages": ("es",)},
        "languages to be of type tuple[str, str], got tuple of length 1",
    ),
    (span_index, {"edges": []}, "expected edges to be of type EdgeBatch, got list"),
    (holm, {"p_values": iter([0.5])}, "expected p_values to be of type Sequence[float], got list_iterator"),
]


@pytest.mark.parametrize(("function", "arguments", "message"), MEMBERS)
def test_wrong_members_are_refused_by_their_name(
    function: Callable[..., Any], arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        function(**arguments)


def test_arrays_of_another_kind_are_refused(tmp_path: Path) -> None:
    (tmp_path / "grammar").write_text("[X] ||| la ||| the ||| p=1\n")
    decoder = Decoder(formalism="scfg", grammar=tmp_path / "grammar")
    forest = decoder.translate("la la")
    calls: list[Callable[[Any], object]] = [
        forest.features,
        forest.links,
        decoder.families,
        decoder.of_plugins,
    ]
    for wrong in (np.array([0.5]), ["a"], [[1], []]):
        for call in calls:
            with pytest.raises(TypeError, match=r"expected \w+ to be of type .*, got "):
                call(wrong)
    with pytest.raises(IndexError, match="expected an edge of this forest, got -1"):
        forest.rule(-1)
    with pytest.raises(ValueError, match="expected the edges of a derivation"):
        forest.links(forest.best()[:1])
    assert decoder.families([]) == []  # type: ignore[arg-type]
    assert decoder.of_plugins([]).size == 0  # type: ignore[arg-type]


def test_values_that_cannot_be_are_refused(tmp_path: Path) -> None:
    (tmp_path / "grammar").write_text("[X] ||| la ||| the ||| p=1\n")
    decoder = Decoder(formalism="scfg", grammar=tmp_path / "grammar")
    forest = decoder.translate("la la")
    for name, call in {
        "size": lambda: forest.kbest(-1),
        "n": lambda: forest.samples(-1),
        "k": lambda: forest.completions("the", -1),
        "typed": lambda: forest.complete("\0"),
        "scale": lambda: forest.samples(1, scale=float("nan")),
        "minimum": lambda: decoder.frequent_features(["la"], 0),
        "edge": lambda: forest.rule(1 << 63),
        "the edges": lambda: derivation_tree(forest, []),
    }.items():
        with pytest.raises(ValueError, match=f"expected {name} (to be|of a)"):
            call()
    for call in (forest.complete, lambda text: forest.completions(text, 1)):
        with pytest.raises(ValueError, match="typed must be valid Unicode text"):
            call("\ud800")
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

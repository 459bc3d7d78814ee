"""What plugins are shown is read-only: none can change what another one, or the decoder, works with."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import MethodType
from typing import Any

import numpy as np
import pytest
from support import world

from hopefear import (
    Decoder,
    EdgeFeatures,
    FeatureTable,
    InputError,
    Lattice,
    NgramFeatures,
    RuleFeatures,
    RuleStrings,
    Segment,
    StateFeatures,
    check_plugin,
    span_index,
)
from hopefear.cdec.bridge.batches import EdgeValues, RecordingEdges, Rules
from hopefear.decoder.checking.material import EmptyBatch
from hopefear.plugins import EdgeBatch, EdgeGroups, RuleBatch, StateBatch, span_numbers

SEGMENT = Segment("la casa de la casa roja", attributes={"said": "once"})


def properties(protocol: type) -> set[str]:
    kinds = (property, cached_property)
    return {name for name, value in vars(protocol).items() if isinstance(value, kinds) and name[0] != "_"}


def arrays_of(shown: Any, *protocols: type) -> dict[str, Any]:
    """Return all arrays that can be reached, by name, of parts and bases too."""
    found: dict[str, Any] = {}
    names = {*dir(shown)}.union(*map(properties, protocols))
    for name in sorted(name for name in names if not name.startswith("_")):
        value = getattr(shown, name)
        if isinstance(value, np.ndarray):
            found[name] = value
        elif name == "groups" and value is not shown:
            found |= {f"{name}.{inner}": array for inner, array in arrays_of(value).items()}
        elif isinstance(value, MethodType) and name == "feature_values":
            found[name] = value("p")
    if hasattr(shown, "feature_values"):
        found["feature_values"] = shown.feature_values("p")
    return found | {f"{name}.base": base for name, array in found.items() for base in bases_of(array)}


def bases_of(array: Any) -> Iterator[Any]:
    while isinstance(array := array.base, np.ndarray):
        yield array


def writable(arrays: dict[str, Any]) -> list[str]:
    """Try to write to each array, in both ways."""
    found = []
    for name, array in arrays.items():
        for write in (lambda a: a.__setitem__(Ellipsis, 1), lambda a: np.add(a, 1, out=a, casting="unsafe")):
            try:
                write(array)
            except ValueError:
                continue
            found.append(name)
    return found


class Seen:
    """Notes what it is shown, and what of it can be written to; stands beside a level."""

    def __init__(self) -> None:
        self.arrays: set[str] = set()
        self.writable: list[str] = []

    def look(self, shown: Any, *protocols: type) -> None:
        arrays = arrays_of(shown, *protocols)
        if isinstance(shown, EmptyBatch):
            return
        if EdgeBatch in protocols:
            arrays |= {"span_index()": span_index(shown), "span_numbers()": span_numbers(shown)}
        assert set().union(*map(properties, protocols)) - {
            "first_own_symbol",
            "vocabulary",
            "groups",
            "source_length",
        } <= {name.rpartition(".")[2] for name in arrays}
        self.arrays |= set(arrays)
        self.writable += writable(arrays)


class Rule(Seen, RuleFeatures):
    def fire(self, rules: Any) -> FeatureTable:
        self.look(rules, RuleBatch)
        return FeatureTable.empty(len(rules))


class Edge(Seen, EdgeFeatures):
    def rule_attributes(self, rules: Any) -> Any:
        self.look(rules, RuleBatch)
        self.given = np.arange(len(rules), dtype=np.int32)
        return self.given

    def fire(self, edges: Any, segment: Any) -> FeatureTable:
        self.given += 1  # the plugin's own; what it has said stays said
        self.look(edges, EdgeBatch)
        self.look(edges.groups, EdgeGroups)
        assert (edges.attribute < len(self.given)).all()
        with pytest.raises(TypeError):
            segment.attributes["said"] = "twice"
        with pytest.raises(AttributeError):
            segment.attributes = {}
        return FeatureTable.empty(len(edges))


class Ngram(Seen, NgramFeatures):
    def strings(self, rules: Any) -> RuleStrings:
        self.look(rules, RuleBatch)
        symbols = np.where(rules.target > 0, 0, rules.target - 1).astype(np.int32)
        return RuleStrings(("w",), rules.target_indptr, symbols)


class State(Seen, StateFeatures):
    def begin(self, rules: Any, segment: Any) -> None:
        self.look(rules, RuleBatch)

    def fire(self, edges: Any, sentence: Any) -> tuple[FeatureTable, Any]:
        self.look(edges, StateBatch)
        return FeatureTable.empty(len(edges)), np.zeros((len(edges), 1), np.int64)


@pytest.fixture
def grammar(tmp_path: Path) -> Path:
    (tmp_path / "grammar").write_text(world.COSTS)
    return tmp_path / "grammar"


@pytest.mark.parametrize(
    "plugin", [Rule(), Edge(), Ngram(), State()], ids=["rule", "edge", "n-gram", "state"]
)
def test_no_array_that_a_plugin_is_shown_can_be_written_to(grammar: Path, plugin: Any) -> None:
    Decoder(formalism="scfg", grammar=grammar, features=[plugin]).translate(SEGMENT)
    assert len(plugin.arrays) >= 9
    assert not plugin.writable


class OfLattice(EdgeFeatures):
    def fire(self, edges: Any, segment: Any) -> FeatureTable:
        with pytest.raises(TypeError):
            segment.lattice[0][0].features["LatticeCost_0"] = 5.0
        return FeatureTable.empty(len(edges))


def test_nor_the_costs_of_a_lattice(grammar: Path) -> None:
    decoder = Decoder(formalism="scfg", grammar=grammar, features=[OfLattice])
    lattice = Lattice(((("la", 0.5, 1), ("roja", 1.5, 1)),))
    assert decoder.translate(lattice).viterbi_features()["LatticeCost_0"] == 0.5
    assert pickle.loads(pickle.dumps(lattice)) == lattice


def test_nor_what_check_plugin_and_cdec_show() -> None:
    assert not writable(arrays_of(EmptyBatch(3, 2), RuleBatch, EdgeBatch, StateBatch, EdgeGroups))
    side = np.array([1, -1], np.int32)
    links = np.zeros((1, 2), np.int32)
    rules = Rules(0, 1, side, np.array([2, 0], np.int32), links, {"p": 1.0}, {1: "a", 2: "b"})
    edge = RecordingEdges(EdgeValues(0, 0, 1, (0, 2), np.array([1, 2], np.int16).tobytes()), 3)
    shown = {**arrays_of(rules, RuleBatch), **arrays_of(edge, EdgeBatch), "span_index()": span_index(edge)}
    assert {"nonterminals", "tail_span", "feature_values", "group"} <= shown.keys()
    assert not writable(shown)


class Moves(EdgeFeatures):
    """Writes to what all plugins are shown."""

    def fire(self, edges: Any, segment: Any) -> FeatureTable:
        edges.span[:] = 0
        return FeatureTable.empty(len(edges))


class Shifts(RuleFeatures):
    def fire(self, rules: Any) -> FeatureTable:
        values = rules.feature_values("p")
        values *= 2
        return FeatureTable.empty(len(rules))


@pytest.mark.parametrize("plugin", [Moves(), Shifts()])
def test_to_write_is_an_error_of_the_plugin(grammar: Path, plugin: Any) -> None:
    decoder = Decoder(formalism="scfg", grammar=grammar, features=[plugin, "SpanSize"])
    name = type(plugin).__name__
    with pytest.raises(InputError, match=rf"plugin {name} on sentence 1: failed: ValueError: .*read-only"):
        decoder.translate("la casa roja")
    with pytest.raises(InputError, match=rf"{name}: check answers: .*read-only"):
        check_plugin(plugin, processes=False)

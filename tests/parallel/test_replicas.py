"""What crosses the boundary of a process: replicas, features by name, results, and errors."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest
from support.other_process import (
    Lengths,
    SaysItself,
    elsewhere,
    fired,
    grammar_texts,
    of_folds,
    other_numbers,
    translated,
    two_values,
)
from support.world import World, write_parallel_text

from hopefear.base import InputError, ParseFailed
from hopefear.decoder import (
    Decoder,
    FeatureSelection,
    Hypotheses,
    Lattice,
    ScoredList,
    Segment,
    Weights,
    parse_line,
    read_config,
)
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.build import Recipe, build
from hopefear.grammars.extractor import GrammarExtractor
from hopefear.parallel import Named, WorkerDied
from hopefear.plugins import PluginError, create, known
from hopefear.plugins.corpus import BadLine


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


WORLD = World()


def test_the_very_objects_in_their_own_process(make_decoder: Callable[..., Decoder]) -> None:
    decoder = make_decoder({"p": 1.0})
    weights, same, alone = again((decoder.weights, decoder, decoder.weights))
    assert same is decoder
    assert weights is alone is decoder.weights


def test_a_replica_a_process(make_decoder: Callable[..., Decoder]) -> None:
    weights = Weights({"p": 1.0, "b": 2.0})
    decoders = [make_decoder(weights) for _ in range(2)]
    found = elsewhere(two_values, *map(pickle.dumps, (weights, *decoders)))
    assert found == [True] * 6


def test_a_decoder_elsewhere(make_decoder: Callable[..., Decoder]) -> None:
    weights = {"b": 0.5, "LLength": -0.25, "ALength": 1.0}
    selection = FeatureSelection(deny=("No*",))
    plugins = [Lengths("L"), Lengths("No"), SaysItself("A")]
    decoder = make_decoder(weights, *plugins, selection=selection)
    here = translated(decoder, weights, "casa la")
    assert "NoLength" not in here[0][1]
    there = elsewhere(translated, decoder, weights, "casa la")
    for (text, features), (same, others) in zip(here, there, strict=True):
        assert (text, features.pop("ALength")) == (same, others.pop("A!Length"))
        assert features == others


def test_features_that_a_frozen_selection_knows_are_known_elsewhere(
    make_decoder: Callable[..., Decoder],
) -> None:
    known = {"LLength": 0.0, "b": 1.0}
    plugins = [Lengths("L"), Lengths("New")]
    decoder = make_decoder(known, *plugins, selection=FeatureSelection(frozen=True))
    here = translated(decoder, known, "casa")
    assert "LLength" in here[0][1] and "NewLength" not in here[0][1]
    assert elsewhere(translated, decoder, {"b": 1.0}, "casa") == here


def test_segments_elsewhere(make_decoder: Callable[..., Decoder], tmp_path: Path) -> None:
    decoder = make_decoder({"b": 1.0})
    (tmp_path / "own").write_text("[X] ||| c ||| d ||| p=1\n")
    lattice = Lattice(((("casa", {"cost": 1.0}, 1), ("la", 2.0, 1)),))
    segment = parse_line(f'<seg id="7" parse="(S (X c))" grammar="{tmp_path / "own"}">c</seg> ||| d', index=3)
    segment = replace(segment, tags=("N",), dependencies=(0,), classes=("1",))
    assert again(segment) == segment
    assert again(segment).line == segment.line
    for source in (segment, Segment.from_input(lattice)):
        assert elsewhere(translated, decoder, {"b": 1.0}, source) == translated(decoder, {}, source)


def test_families_are_pickled_without_what_they_have_found_out(tmp_path: Path) -> None:
    table = tmp_path / "table"
    table.write_text("".join(f"{size} 1 2\n" for size in [*range(1, 10), "10+"]))
    needs = {"DistortionTable": f"table={table}", "StructuralDistortion": f"table={table}"}
    families = []
    for name in known():
        try:
            families.append(create(f"{name} {needs.get(name, '')}"))
        except PluginError:
            continue
    for family in families:
        family.__dict__["_found_out"] = Lock()  # such things cannot be pickled
    assert len(families) > 10
    assert elsewhere(fired, families) == fired(families)


def test_an_extractor_elsewhere(tmp_path: Path) -> None:
    write_parallel_text(tmp_path)
    bitext = Bitext.read(*(tmp_path / name for name in ("train.f", "train.e", "train.align")))
    extractor = GrammarExtractor(bitext, top=1, samples=7)
    tokens = (tmp_path / "test.f").read_text().split("\n")[0].split()
    assert elsewhere(grammar_texts, extractor, bitext, tokens) == (True, extractor.grammar(tokens).text())
    extractor.add(["a"], ["b"], [(0, 0)])
    with pytest.raises(InputError, match="a parallel text from files"):
        pickle.dumps(extractor)
    with pytest.raises(InputError, match="cannot be sent to another process"):
        pickle.dumps(Segment(("a",), rules=extractor.grammar(["a"])))


def test_decoders_of_folds_share_weights_and_parallel_text(tmp_path: Path) -> None:
    write_parallel_text(tmp_path)
    recipe = Recipe(
        source=tmp_path / "train.f",
        target=tmp_path / "train.e",
        alignment=tmp_path / "train.align",
        folds=3,
        order=2,
        discount_fallback=True,
    )
    system = build(recipe, tmp_path / "system")
    first = system.folds[0].decoder()
    others = [fold.decoder(weights=first.weights) for fold in system.folds[1:]]
    decoders, segment = [first, *others], next(iter(system.folds[0].segments))
    values = first.weights.nonzero()
    here = of_folds(decoders, values, segment)
    assert here[:2] == (1, 1)
    assert here[2][0] != here[2][1]  # the sentence itself is left out in the first fold
    assert elsewhere(of_folds, decoders, values, segment) == here


def test_features_by_name() -> None:
    weights = Weights({"q": 1.0, "ü": 2.0, "r": 1.0})
    named = Named.of(weights, np.array([2, 1, 1, 2], np.int32))
    assert elsewhere(other_numbers, named) == ([2, 1, 1, 2], {"mine": 3.0, "ü": 1.0, "r": 0.0})
    assert named.numbers(weights).tolist() == [2, 1, 1, 2]
    assert Named.of(weights, np.zeros(0, np.int32)).numbers(weights).tolist() == []


def test_lists_of_hypotheses(make_decoder: Callable[..., Decoder]) -> None:
    decoder = make_decoder({"b": 1.0})
    segment = parse_line("casa la ||| home the")
    found = decoder.translate(segment).best_translations(5)
    scored = ScoredList(found, np.ones((len(found), 3)), np.arange(len(found)) * 1.0, np.ones(len(found)))
    copy = again(Hypotheses(segment, scored, scored, scored))
    assert copy.segment == segment
    assert copy.best is copy.fear
    assert copy.best.texts == found.texts
    for name in ("indptr", "features", "values"):
        assert np.array_equal(getattr(copy.best.translations, name), getattr(found, name))


def test_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "cdec.ini").write_text("formalism=scfg\ngrammar=g\nk_best=3\nfeature_function2=WordPenalty\n")
    config = read_config(tmp_path / "cdec.ini")
    assert again(config) == config


@pytest.mark.parametrize(
    "error",
    [
        InputError("wrong", path="file", line=3),
        ParseFailed("no derivation", path="file"),
        PluginError("Name: no"),
        BadLine(InputError("wrong", path="in", line=2), 1, "text"),
        WorkerDied("died", times=2),
    ],
)
def test_errors_keep_what_they_say(error: Exception) -> None:
    copy = again(error)
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)

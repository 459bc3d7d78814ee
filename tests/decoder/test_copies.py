"""Copies of a forest keep every field but those that the copy is made to change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from hopefear import pycdec
from hopefear.decoder import BleuOracle, Confidence, Decoder, Hypergraph
from hopefear.decoder.reading import Reading
from hopefear.pycdec.handles import View

GRAMMAR = "[X] ||| a ||| red ||| f=1\n[X] ||| a ||| rose ||| f=0.5\n[X] ||| b ||| house ||| f=1\n"


def reweighted(forest: Hypergraph) -> Hypergraph:
    with forest.reweighted(forest.weights) as copy:
        return copy


COPIES: dict[str, tuple[Callable[[Hypergraph], Hypergraph], set[str]]] = {
    "consensus": (lambda forest: forest.consensus(), {"native"}),
    "completion": (lambda forest: forest.completer().after("ro").forest, {"native", "reading"}),
    "reweighted": (reweighted, {"evidence"}),  # its scores are the model's
    "oracle": (lambda forest: BleuOracle(["red house"], np.ones(10), 1.0).rescore(forest, 0.5), {"native"}),
    "pycdec's best": (lambda forest: pycdec.Hypergraph(forest).viterbi_forest().forest, {"native"}),
    "pycdec's handles": (lambda forest: View(forest).forest, set()),
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_keeps_every_field(name: str) -> None:
    decoder = Decoder(formalism="scfg", weights={"f": 1.0})
    values: dict[str, Any] = {
        "reading": Reading(),
        "models": [],
        "evidence": decoder.translate("a b a", GRAMMAR).native,
        "confidence": Confidence(scale=1.5),
        "whole": decoder.translate("a b", GRAMMAR),
    }
    forest = replace(decoder.translate("a b", GRAMMAR), **values)
    declared = {field.name for field in fields(forest) if field.init}
    assert declared == {"native", "weights", *values}
    copy, changed = COPIES[name]
    copied = copy(forest)
    assert copied is not forest
    for field in declared - changed:
        assert getattr(copied, field) is getattr(forest, field), field

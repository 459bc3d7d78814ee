"""What the tests of forests against brute force share."""

from __future__ import annotations

from hypothesis import settings

from hopefear.decoder import Decoder, Hypergraph, Lattice
from support import brute_force as bf

MOST = 400
"""Cases with more derivations are left out."""

deterministic = settings(derandomize=True, max_examples=80)


def decode(
    rules: list[bf.Rule], source: str | Lattice, weights: dict[str, float], **options: object
) -> Hypergraph:
    return Decoder(formalism="scfg", weights=weights, **options).translate(source, bf.grammar_text(rules))


def all_derivations(forest: Hypergraph) -> list[bf.Derivation]:
    return [
        bf.Derivation(tuple(forest.text(d).split()), frozenset(forest.features(d).items()))
        for d in forest.derivations(100 * MOST)
    ]

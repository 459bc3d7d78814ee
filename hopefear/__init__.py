"""hopefear: a decoder for translation grammars with plugins, hope and fear, and online tuners."""

from __future__ import annotations

from hopefear.decoder import Decoder, Hypergraph, InputError, Lattice, Segment, Weights, set_resolver
from hopefear.plugins import EdgeFeatures, FeatureTable, RuleFeatures, create

__all__ = [
    "Decoder",
    "EdgeFeatures",
    "FeatureTable",
    "Hypergraph",
    "InputError",
    "Lattice",
    "RuleFeatures",
    "Segment",
    "Weights",
]

_NATIVE_FUNCTIONS = ("KLanguageModel", "WordPenalty", "SourceWordPenalty", "ArityPenalty")

set_resolver(lambda name, arguments, base: create(name, arguments, base=base, also=_NATIVE_FUNCTIONS))

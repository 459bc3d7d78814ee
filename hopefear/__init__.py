"""hopefear: a decoder for translation grammars with plugins, hope and fear, and online tuners."""

from __future__ import annotations

from hopefear.decoder import Decoder, Hypergraph, InputError, Lattice, Segment, Weights, set_resolver
from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    NameTable,
    NgramFeatures,
    PluginError,
    RuleBatch,
    RuleFeatures,
    RuleStrings,
    StateBatch,
    StateFeatures,
    check_plugin,
    create,
    parse_tree,
    span_index,
)

__all__ = [
    "Decoder",
    "EdgeBatch",
    "EdgeFeatures",
    "FeatureTable",
    "Hypergraph",
    "InputError",
    "Lattice",
    "NameTable",
    "NgramFeatures",
    "PluginError",
    "RuleBatch",
    "RuleFeatures",
    "RuleStrings",
    "Segment",
    "StateBatch",
    "StateFeatures",
    "Weights",
    "check_plugin",
    "parse_tree",
    "span_index",
]

_NATIVE_FUNCTIONS = ("KLanguageModel", "WordPenalty", "SourceWordPenalty", "ArityPenalty")

set_resolver(lambda name, arguments, base: create(name, arguments, base=base, also=_NATIVE_FUNCTIONS))

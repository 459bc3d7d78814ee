"""hopefear: a decoder for translation grammars with plugins, hope and fear, and online tuners.

Metrics and tuners are imported when they are first asked for: they need scipy and sacrebleu, and a decoder
does not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hopefear.base import InputError
from hopefear.decoder import Decoder, FeatureSelection, Hypergraph, Lattice, Segment, Weights
from hopefear.decoder.checking import check_plugin
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
    parse_tree,
    span_index,
)
from hopefear.plugins.corpus import read_corpus

if TYPE_CHECKING:
    from hopefear.metrics import Aer, Bleu, BleuPlusOne, Cer, Chrf, Meteor, Metric, Nist, Ssk, Ter, Wer
    from hopefear.tuners import (
        AdaptiveMira,
        BatchMira,
        ForestMert,
        Hils,
        Hols,
        Mert,
        MinimumRisk,
        Mira,
        OnlineLargeMargin,
        ParallelAdaptiveMira,
        ParallelMira,
        ParallelSoftRamp,
        Pro,
        Rampion,
        SoftRamp,
        StructuralSvm,
        SummaryMira,
        TuningError,
        check_tuner,
    )

    __version__: str
else:

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            return import_module("importlib.metadata").version("hopefear")
        if name in __all__:
            for room in ("hopefear.metrics", "hopefear.tuners"):
                module = import_module(room)
                if name in module.__all__:
                    return globals().setdefault(name, getattr(module, name))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, "__version__"})


__all__ = [
    "AdaptiveMira",
    "Aer",
    "BatchMira",
    "Bleu",
    "BleuPlusOne",
    "Cer",
    "Chrf",
    "Decoder",
    "EdgeBatch",
    "EdgeFeatures",
    "FeatureSelection",
    "FeatureTable",
    "ForestMert",
    "Hils",
    "Hols",
    "Hypergraph",
    "InputError",
    "Lattice",
    "Mert",
    "Meteor",
    "Metric",
    "MinimumRisk",
    "Mira",
    "NameTable",
    "NgramFeatures",
    "Nist",
    "OnlineLargeMargin",
    "ParallelAdaptiveMira",
    "ParallelMira",
    "ParallelSoftRamp",
    "PluginError",
    "Pro",
    "Rampion",
    "RuleBatch",
    "RuleFeatures",
    "RuleStrings",
    "Segment",
    "SoftRamp",
    "Ssk",
    "StateBatch",
    "StateFeatures",
    "StructuralSvm",
    "SummaryMira",
    "Ter",
    "TuningError",
    "Weights",
    "Wer",
    "check_plugin",
    "check_tuner",
    "parse_tree",
    "read_corpus",
    "span_index",
]

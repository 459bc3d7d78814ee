"""hopefear: a decoder for translation grammars with plugins, hope and fear, and online tuners.

A package is imported when one of its names is first asked for: metrics and tuners need scipy and sacrebleu,
and a decoder does not; and the program hopefear begins with what may happen to it while it imports the rest.
"""

from __future__ import annotations

TYPE_CHECKING = False  # that of typing takes longer to import than all of this

if TYPE_CHECKING:
    from typing import Any

    from hopefear.base import InputError
    from hopefear.decoder import Decoder, FeatureSelection, Hypergraph, Lattice, Segment, Weights
    from hopefear.decoder.checking import check_plugin
    from hopefear.metrics import (
        Aer,
        Bleu,
        BleuPlusOne,
        Cer,
        CharacTer,
        Chrf,
        Ksmr,
        Meteor,
        Metric,
        Nist,
        Ribes,
        Ssk,
        Ter,
        Wer,
    )
    from hopefear.plugins import (
        CompiledStateFeatures,
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
    from hopefear.tuners import (
        AdaptiveMira,
        BatchMira,
        CrossValidated,
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
    _PACKAGES = ("base", "plugins", "plugins.corpus", "decoder", "decoder.checking", "metrics", "tuners")

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name == "__version__":
            return import_module("importlib.metadata").version("hopefear")
        if name in _PACKAGES:
            return import_module(f"hopefear.{name}")
        if name in __all__:
            checking = import_module("hopefear.base.signatures").checking
            for package in _PACKAGES:
                module = import_module(f"hopefear.{package}")
                if hasattr(module, name):
                    return globals().setdefault(name, checking(getattr(module, name)))
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
    "CharacTer",
    "Chrf",
    "CompiledStateFeatures",
    "CrossValidated",
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
    "Ksmr",
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
    "Ribes",
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

"""The engine: `Decoder`, `Hypergraph`, `Weights`, and cdec's files."""

from __future__ import annotations

from hopefear.base.signatures import check_exports
from hopefear.plugins import Arc, Lattice, RuleText, Segment, SentenceGrammar, parse_line

from . import views  # noqa: F401  (registers how notebooks draw a forest)
from .combination import ScoredTexts, combine
from .completion import Completer, Completions, NextWord, Unwanted
from .confidence import Confidence
from .config import Config, parse_config, read_config
from .consensus import Consensus, create_consensus
from .context import Context, ExtraScorer, GrammarSource
from .decoder import Decoder
from .distribution import Distribution, Quantity
from .feature_account import FamilyReport, Fired
from .forest import Forest
from .forest_arrays import Edges, Nodes
from .hypergraph import Hypergraph
from .hypotheses import Hypotheses, KBestList, ScoredList
from .in_context import DecoderInContext
from .kbest_sums import KBestSums, NumberedWords
from .line_search import ForestEnvelope, derivation_list, forest_envelope, sweep_lines
from .oracle import BleuOracle
from .plugin_features import FeatureError
from .reading import Derivation
from .selection import FeatureSelection
from .translator import Attempt, Delta, Translation, Translator, attempt
from .weights import Snapshot, Weights

__all__ = [
    "Arc",
    "Attempt",
    "BleuOracle",
    "Completer",
    "Completions",
    "Confidence",
    "Config",
    "Consensus",
    "Context",
    "Decoder",
    "DecoderInContext",
    "Delta",
    "Derivation",
    "Distribution",
    "Edges",
    "ExtraScorer",
    "FamilyReport",
    "FeatureError",
    "FeatureSelection",
    "Fired",
    "Forest",
    "ForestEnvelope",
    "GrammarSource",
    "Hypergraph",
    "Hypotheses",
    "KBestList",
    "KBestSums",
    "Lattice",
    "NextWord",
    "Nodes",
    "NumberedWords",
    "Quantity",
    "RuleText",
    "ScoredList",
    "ScoredTexts",
    "Segment",
    "SentenceGrammar",
    "Snapshot",
    "Translation",
    "Translator",
    "Unwanted",
    "Weights",
    "attempt",
    "combine",
    "create_consensus",
    "derivation_list",
    "forest_envelope",
    "parse_config",
    "parse_line",
    "read_config",
    "sweep_lines",
]

check_exports(__name__)

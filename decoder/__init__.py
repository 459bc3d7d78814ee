"""The engine: `Decoder`, `Hypergraph`, `Weights`, and cdec's files."""

from __future__ import annotations

from hopefear.plugins import Arc, Lattice, RuleText, Segment, SentenceGrammar, parse_line

from .config import Config, parse_config, read_config
from .decoder import Decoder, Delta
from .feature_account import FamilyReport
from .features import FeatureError
from .hypergraph import Derivation, Edges, Hypergraph, Nodes
from .hypotheses import Hypotheses, ScoredList
from .line_search import ForestEnvelope, derivation_list, forest_envelope, sweep_lines
from .oracle import BleuOracle, KBestList, KBestSource, best_translations
from .selection import FeatureSelection
from .weights import Weights

__all__ = [
    "Arc",
    "BleuOracle",
    "Config",
    "Decoder",
    "Delta",
    "Derivation",
    "Edges",
    "FamilyReport",
    "FeatureError",
    "FeatureSelection",
    "ForestEnvelope",
    "Hypergraph",
    "Hypotheses",
    "KBestList",
    "KBestSource",
    "Lattice",
    "Nodes",
    "RuleText",
    "ScoredList",
    "Segment",
    "SentenceGrammar",
    "Weights",
    "best_translations",
    "derivation_list",
    "forest_envelope",
    "parse_config",
    "parse_line",
    "read_config",
    "sweep_lines",
]

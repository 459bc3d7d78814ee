"""The engine: `Decoder`, `Hypergraph`, `Weights`, and cdec's files."""

from __future__ import annotations

from .config import Config, parse_config, read_config
from .decoder import Decoder, map_in_order
from .errors import InputError, InvalidConfig, ParseFailed
from .features import FeatureError
from .hypergraph import Derivation, Edges, Hypergraph, Nodes, RuleText
from .lattice import Arc, Lattice
from .oracle import BleuOracle, KBestList, best_translations
from .rescoring import set_resolver
from .segment import Segment, parse_line
from .weights import Weights

__all__ = [
    "Arc",
    "BleuOracle",
    "Config",
    "Decoder",
    "Derivation",
    "Edges",
    "FeatureError",
    "Hypergraph",
    "InputError",
    "InvalidConfig",
    "KBestList",
    "Lattice",
    "Nodes",
    "ParseFailed",
    "RuleText",
    "Segment",
    "Weights",
    "best_translations",
    "map_in_order",
    "parse_config",
    "parse_line",
    "read_config",
    "set_resolver",
]

"""The engine: `Decoder`, `Hypergraph`, `Weights`, and cdec's files."""

from __future__ import annotations

from ._native import (
    KeyIndex,
    PairNames,
    SequenceTable,
    WordTexts,
    edge_uses,
    find_wrong_name,
    name_fault,
    name_part_fault,
)
from .cdec_process import CdecProcess
from .cdec_translation import CdecCannot, CdecTranslation
from .config import Config, parse_config, read_config
from .decoder import Decoder
from .errors import InputError, InvalidConfig, ParseFailed, failure
from .executor import Actor, Executor, Serial, Threads, WorkerDied, in_threads
from .feature_account import FamilyReport
from .features import FeatureError
from .hypergraph import Derivation, Edges, Hypergraph, Nodes, RuleText
from .hypotheses import Hypotheses, ScoredList
from .lattice import Arc, Lattice
from .line_search import ForestEnvelope, derivation_list, forest_envelope, sweep_lines
from .live_weights import LiveWeights
from .oracle import BleuOracle, KBestList, KBestSource, best_translations
from .rescoring import set_resolver
from .segment import Segment, parse_line
from .selection import FeatureSelection
from .sentence_grammar import SentenceGrammar
from .weights import Weights

__all__ = [
    "Actor",
    "Arc",
    "BleuOracle",
    "CdecCannot",
    "CdecProcess",
    "CdecTranslation",
    "Config",
    "Decoder",
    "Derivation",
    "Edges",
    "Executor",
    "FamilyReport",
    "FeatureError",
    "FeatureSelection",
    "ForestEnvelope",
    "Hypergraph",
    "Hypotheses",
    "InputError",
    "InvalidConfig",
    "KBestList",
    "KBestSource",
    "KeyIndex",
    "Lattice",
    "LiveWeights",
    "Nodes",
    "PairNames",
    "ParseFailed",
    "RuleText",
    "ScoredList",
    "Segment",
    "SentenceGrammar",
    "SequenceTable",
    "Serial",
    "Threads",
    "Weights",
    "WordTexts",
    "WorkerDied",
    "best_translations",
    "derivation_list",
    "edge_uses",
    "failure",
    "find_wrong_name",
    "forest_envelope",
    "in_threads",
    "name_fault",
    "name_part_fault",
    "parse_config",
    "parse_line",
    "read_config",
    "set_resolver",
    "sweep_lines",
]

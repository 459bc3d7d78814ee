"""The names of cdec's extension module ``cdec._cdec``, some of which scripts find only there."""

from __future__ import annotations

from hopefear.base import InvalidConfig, ParseFailed
from hopefear.pycdec.decoder import Decoder, set_silent
from hopefear.pycdec.handles import HypergraphEdge, HypergraphNode
from hopefear.pycdec.hypergraph import Hypergraph, Lattice
from hopefear.pycdec.rules import NT, Grammar, MRule, NTRef, TextGrammar, TRule
from hopefear.pycdec.score import (
    BLEU,
    CER,
    QCRI,
    SSK,
    TER,
    Candidate,
    CandidateSet,
    Metric,
    Scorer,
    SegmentEvaluator,
    SufficientStats,
)
from hopefear.pycdec.vectors import DenseVector, SparseVector

__all__ = [
    "BLEU",
    "CER",
    "NT",
    "QCRI",
    "SSK",
    "TER",
    "Candidate",
    "CandidateSet",
    "Decoder",
    "DenseVector",
    "Grammar",
    "Hypergraph",
    "HypergraphEdge",
    "HypergraphNode",
    "InvalidConfig",
    "Lattice",
    "MRule",
    "Metric",
    "NTRef",
    "ParseFailed",
    "Scorer",
    "SegmentEvaluator",
    "SparseVector",
    "SufficientStats",
    "TRule",
    "TextGrammar",
    "set_silent",
]

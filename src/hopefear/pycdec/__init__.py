"""pycdec's interface for Python 3.

A pycdec script runs if its import line is replaced by ``import hopefear.pycdec as cdec``. Text is str;
functions that took bytes in pycdec also take UTF-8 bytes. Docstrings name the differences from pycdec.
"""

from __future__ import annotations

from hopefear.base import InvalidConfig, ParseFailed
from hopefear.base.signatures import check_exports
from hopefear.pycdec import _cdec, score
from hopefear.pycdec.decoder import Decoder, set_silent
from hopefear.pycdec.handles import HypergraphEdge, HypergraphNode
from hopefear.pycdec.hypergraph import Hypergraph, Lattice
from hopefear.pycdec.rules import NT, Grammar, MRule, NTRef, TextGrammar, TRule
from hopefear.pycdec.vectors import DenseVector, SparseVector

__all__ = [
    "NT",
    "Decoder",
    "DenseVector",
    "Grammar",
    "Hypergraph",
    "HypergraphEdge",
    "HypergraphNode",
    "InvalidConfig",
    "Lattice",
    "MRule",
    "NTRef",
    "ParseFailed",
    "SparseVector",
    "TRule",
    "TextGrammar",
    "_cdec",
    "score",
    "set_silent",
]

check_exports(__name__)

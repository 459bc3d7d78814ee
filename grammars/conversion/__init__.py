"""Systems of Moses and Joshua, turned into systems of cdec with equal model scores; their hypergraphs."""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .convert import convert, read_system
from .hypergraphs import read_hypergraph
from .rules import ForeignRule
from .system import LanguageModel, RuleTable, System

__all__ = ["ForeignRule", "LanguageModel", "RuleTable", "System", "convert", "read_hypergraph", "read_system"]

check_exports(__name__)

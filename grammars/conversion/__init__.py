"""Systems of Moses and Joshua, turned into systems of cdec with equal model scores; their hypergraphs."""

from __future__ import annotations

from .convert import convert, read_system
from .hypergraphs import read_hypergraph
from .rules import Rule
from .system import LanguageModel, System, Table

__all__ = ["LanguageModel", "Rule", "System", "Table", "convert", "read_hypergraph", "read_system"]

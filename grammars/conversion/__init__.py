"""Systems of Moses and Joshua, turned into systems of cdec with equal model scores."""

from __future__ import annotations

from .convert import convert, read_system
from .rules import Rule
from .system import LanguageModel, System, Table

__all__ = ["LanguageModel", "Rule", "System", "Table", "convert", "read_system"]

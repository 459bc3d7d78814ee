"""The contract of plugins: feature levels, their arguments and answers, the input, the registry."""

from __future__ import annotations

from hopefear._native import name_fault
from hopefear.base import InputError, PluginError
from hopefear.base.signatures import check_exports

from .annotations import Annotations, annotate, read_classes
from .batches import EdgeBatch, EdgeGroups, RuleBatch, StateBatch, span_index, span_numbers
from .compiled_state import CompiledStateFeatures
from .growth import growing
from .lattice import Arc, Lattice
from .levels import (
    EdgeFeatures,
    ListFeatures,
    NextSubword,
    NgramFeatures,
    Plugin,
    RuleFeatures,
    StateFeatures,
)
from .names import NameForm, NameTable, PairNames, WordNames
from .registry import check_class, create, features, find, known, register
from .segment import Segment, parse_line
from .sentence_grammar import RuleText, SentenceGrammar
from .strings import RuleStrings
from .table import FeatureTable
from .tokens import TokenType, WordTable
from .trees import Constituent, Tree, parse_tree

__all__ = [
    "Annotations",
    "Arc",
    "CompiledStateFeatures",
    "Constituent",
    "EdgeBatch",
    "EdgeFeatures",
    "EdgeGroups",
    "FeatureTable",
    "InputError",
    "Lattice",
    "ListFeatures",
    "NameForm",
    "NameTable",
    "NextSubword",
    "NgramFeatures",
    "PairNames",
    "Plugin",
    "PluginError",
    "RuleBatch",
    "RuleFeatures",
    "RuleStrings",
    "RuleText",
    "Segment",
    "SentenceGrammar",
    "StateBatch",
    "StateFeatures",
    "TokenType",
    "Tree",
    "WordNames",
    "WordTable",
    "annotate",
    "check_class",
    "create",
    "features",
    "find",
    "growing",
    "known",
    "name_fault",
    "parse_line",
    "parse_tree",
    "read_classes",
    "register",
    "span_index",
    "span_numbers",
]

check_exports(__name__)

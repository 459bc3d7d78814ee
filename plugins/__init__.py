"""What a plugin is: feature levels, oracle hooks, the registry."""

from __future__ import annotations

from hopefear._native import name_fault
from hopefear.base import InputError
from hopefear.decoder import Hypotheses, ScoredList
from hopefear.decoder.growing import growing

from .annotations import Annotations, annotate, read_classes
from .batches import EdgeBatch, EdgeGroups, RuleBatch, Segment, StateBatch, span_index, span_numbers
from .checking import check_plugin
from .errors import PluginError
from .levels import EdgeFeatures, NgramFeatures, Plugin, RuleFeatures, StateFeatures, check_attributes
from .names import NameTable, PairNames
from .oracles import Oracle, SearchSpace, create_metric, create_oracle, known_metrics, known_oracles
from .registry import check_class, create, find, known, level_of, register
from .strings import RuleStrings
from .table import FeatureTable
from .tokens import TokenType, WordTable
from .trees import Constituent, Tree, parse_tree

__all__ = [
    "Annotations",
    "Constituent",
    "EdgeBatch",
    "EdgeFeatures",
    "EdgeGroups",
    "FeatureTable",
    "Hypotheses",
    "InputError",
    "NameTable",
    "NgramFeatures",
    "Oracle",
    "PairNames",
    "Plugin",
    "PluginError",
    "RuleBatch",
    "RuleFeatures",
    "RuleStrings",
    "ScoredList",
    "SearchSpace",
    "Segment",
    "StateBatch",
    "StateFeatures",
    "TokenType",
    "Tree",
    "WordTable",
    "annotate",
    "check_attributes",
    "check_class",
    "check_plugin",
    "create",
    "create_metric",
    "create_oracle",
    "find",
    "growing",
    "known",
    "known_metrics",
    "known_oracles",
    "level_of",
    "name_fault",
    "parse_tree",
    "read_classes",
    "register",
    "span_index",
    "span_numbers",
]

"""What a plugin is: feature levels, oracle hooks, the registry."""

from __future__ import annotations

from .batches import EdgeBatch, RuleBatch, Segment, span_index
from .errors import InputError, PluginError
from .levels import EdgeFeatures, Plugin, RuleFeatures, check_attributes
from .registry import check_class, create, find, known, register
from .table import FeatureTable
from .trees import Constituent, Tree, parse_tree

__all__ = [
    "Constituent",
    "EdgeBatch",
    "EdgeFeatures",
    "FeatureTable",
    "InputError",
    "Plugin",
    "PluginError",
    "RuleBatch",
    "RuleFeatures",
    "Segment",
    "Tree",
    "check_attributes",
    "check_class",
    "create",
    "find",
    "known",
    "parse_tree",
    "register",
    "span_index",
]

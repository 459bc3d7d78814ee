"""The feature families, one module each. ``pyproject.toml`` gives each its name in a cdec.ini."""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .arity import Arity
from .cdec_syntax import (
    ParseMatchFeatures,
    SoftSyntaxFeatures,
    SoftSyntaxFeaturesMindist,
    SourceSyntaxFeatures,
    SourceSyntaxFeatures2,
)
from .cmr_reordering import CMRReordering
from .combined import Bins, GrammarFeature, Product
from .deletion import Deletion
from .hierarchical import Hierarchical
from .hierarchical_rules import HierarchicalRules
from .insertion import Insertion
from .lexical import LexicalFeatures
from .lexical_rules import LexicalTranslationTrigger, RuleContextFeatures, WordPairFeatures
from .rule_bigrams import RuleSourceBigrams, RuleTargetBigrams
from .rule_counts import RuleCounts
from .rule_indicators import RuleIndicators
from .rule_lengths import RuleLengths
from .rule_owners import RuleOwners
from .rule_shape import RuleShape
from .soft_syntax import SoftSyntax
from .source_path import SourcePath
from .span_boundary import SpanBoundary
from .span_size import LexicalSpanSize, SpanSize
from .structural_distortion import StructuralDistortion
from .target_ngrams import AllNgrams, TargetBigrams, TargetNgrams
from .transformer import Transformer
from .word_pair_bigrams import WordPairBigrams
from .word_pairs import WordPairs
from .word_sets import InputIndicator, NonLatinCount, OutputIndicator, WordSet

__all__ = [
    "AllNgrams",
    "Arity",
    "Bins",
    "CMRReordering",
    "Deletion",
    "GrammarFeature",
    "Hierarchical",
    "HierarchicalRules",
    "InputIndicator",
    "Insertion",
    "LexicalFeatures",
    "LexicalSpanSize",
    "LexicalTranslationTrigger",
    "NonLatinCount",
    "OutputIndicator",
    "ParseMatchFeatures",
    "Product",
    "RuleContextFeatures",
    "RuleCounts",
    "RuleIndicators",
    "RuleLengths",
    "RuleOwners",
    "RuleShape",
    "RuleSourceBigrams",
    "RuleTargetBigrams",
    "SoftSyntax",
    "SoftSyntaxFeatures",
    "SoftSyntaxFeaturesMindist",
    "SourcePath",
    "SourceSyntaxFeatures",
    "SourceSyntaxFeatures2",
    "SpanBoundary",
    "SpanSize",
    "StructuralDistortion",
    "TargetBigrams",
    "TargetNgrams",
    "Transformer",
    "WordPairBigrams",
    "WordPairFeatures",
    "WordPairs",
    "WordSet",
]

CDEC_NAMES = {
    "ArityPenalty": "Arity",
    "CMR2008ReorderingFeatures": "CMRReordering",
    "NgramFeatures": "AllNgrams",
    "RuleIdentityFeatures": "RuleIndicators",
    "RuleShape2": "RuleShape",
    "RuleSourceBigramFeatures": "RuleSourceBigrams",
    "RuleTargetBigramFeatures": "RuleTargetBigrams",
    "SourcePathFeatures": "SourcePath",
    "SourceSpanSizeFeatures": "LexicalSpanSize",
    "SpanFeatures": "SpanBoundary",
}
"""cdec's feature functions that have another name here; ``pyproject.toml`` lists them too."""

check_exports(__name__, methods=False)  # the engine calls them

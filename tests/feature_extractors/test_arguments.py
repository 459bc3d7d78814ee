"""Arguments and inputs that feature families refuse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.families import OF_MODELS, line_of, write_needed
from support.plugin_batches import Edges, Rules, Sentence, fired, spelled

from hopefear.base import InputError
from hopefear.feature_extractors import (
    Hierarchical,
    HierarchicalRules,
    Insertion,
    LexicalFeatures,
    RuleCounts,
    RuleOwners,
    RuleSourceBigrams,
    SoftSyntax,
    SourcePath,
    SpanBoundary,
    StructuralDistortion,
    WordPairs,
)
from hopefear.plugins import EdgeFeatures, NgramFeatures, PluginError, RuleFeatures, create, known

REFUSED = """\
Arity most=-1: Arity: most must be 0 or more, got -1
Hierarchical function_words=f: Hierarchical: function_words needs heads to be content
Hierarchical heads=content function_words=missing: missing: cannot be read
HierarchicalRules types=class:missing: missing: cannot be read
RuleCounts bins=0: bins must be 1 to 50, got 0
RuleIndicators bits=64: RuleIndicators: bits must be 0 to 63, got 64
RuleIndicators prefix='a b': RuleIndicators: prefix must not contain white space, got 'a b'
RuleLengths most=0: most must be 1 or more, got 0
RuleOwners owners='a b': RuleOwners: owners must be a sequence of names, got
RuleOwners owners=a=1: RuleOwners: owners must be a sequence of names, got
RuleShape prefix_size=-1: prefix_size must be 0 or more, got -1
RuleShape prefix_size=3: prefix_size needs a file of word classes
SoftSyntax labels='N P': SoftSyntax: labels must be a sequence of labels
SoftSyntax trees=missing.trees: missing.trees: cannot be read: No such file
StructuralDistortion granularity=coarse table=missing: missing: cannot be read: No such file
StructuralDistortion granularity=coarse: StructuralDistortion: granularity coarse needs a table
StructuralDistortion table=table: StructuralDistortion: only granularity coarse takes a table
TargetNgrams order=0: TargetNgrams: order must be 1 to 5, got 0
TargetNgrams order=6: TargetNgrams: order must be 1 to 5, got 6
WordPairs source_types=prefix: expected the same types of source and target words, or combine all
"""


@pytest.mark.parametrize("line", REFUSED.splitlines())
def test_arguments_are_checked(line: str) -> None:
    plugin, _, message = line.partition(": ")
    with pytest.raises((PluginError, InputError), match=re.escape(message)):
        create(plugin).prepare()


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        (Hierarchical, {"combine": "some"}, "combine must be same or all, got 'some'"),
        (Hierarchical, {"heads": "last"}, "heads must be dependencies or content, got 'last'"),
        (HierarchicalRules, {"combine": "some"}, "combine must be same or all, got 'some'"),
        (LexicalFeatures, {"target_types": ()}, "token types: expected one or more"),
        (RuleCounts, {"counts": "CountEF"}, "counts must be a sequence of names"),
        (RuleOwners, {"owners": "name"}, "owners must be a sequence of names, got"),
        (RuleOwners, {"owners": ("",)}, "owners must be a sequence of names, got"),
        (RuleSourceBigrams, {"types": ("stem",)}, "token types"),
        (SoftSyntax, {"boundaries": "both"}, "boundaries must be single, double or pairs, got 'both'"),
        (SoftSyntax, {"granularity": "medium"}, "granularity must be fine or coarse, got 'medium'"),
        (SoftSyntax, {"labels": ()}, "labels must be a sequence of labels, got ()"),
        (SoftSyntax, {"labels": "NP"}, "labels must be a sequence of labels, got 'NP'"),
        (StructuralDistortion, {"granularity": "fair"}, "granularity must be fine or coarse, got 'fair'"),
        (WordPairs, {"combine": "some"}, "combine must be same or all, got 'some'"),
        (WordPairs, {"types": ()}, "token types: expected one or more"),
    ],
)
def test_what_a_line_cannot_say_is_refused(kind: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PluginError, match=re.escape(message)):
        kind(**arguments).prepare()


@pytest.mark.parametrize("kind", [Hierarchical, Insertion, SoftSyntax, SourcePath, SpanBoundary])
def test_a_lattice_is_refused(kind: Any) -> None:
    message = rf"^dev\.en:1: {kind.__name__}: expected a sentence, got a lattice: sentence 4"
    with pytest.raises(InputError, match=message):
        kind().fire(Edges(1, []), Sentence(None, id=3))


@pytest.mark.parametrize("name", [name for name in known() if name not in OF_MODELS])
def test_nothing_fires_on_no_rules_and_no_edges(name: str, tmp_path: Path) -> None:
    plugin = create(line_of(name), base=write_needed(tmp_path))
    plugin.prepare()
    if isinstance(plugin, NgramFeatures):
        assert spelled(plugin) == []
    elif isinstance(plugin, RuleFeatures):
        assert fired(plugin, Rules()) == []
    elif isinstance(plugin, EdgeFeatures):
        assert len(plugin.rule_attributes(Rules())) == 0
        sentence = Sentence(("a", "b"), "(NP a b)", dependencies=(0, 1))
        assert fired(plugin, Edges(2, []), sentence) == []

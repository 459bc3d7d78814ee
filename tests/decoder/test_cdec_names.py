"""Every feature function of cdec is in the reference: by its name, as that of a family, or refused."""

from __future__ import annotations

import pytest
from support.cdec_answers import LINES
from support.reference_pages import rows, sections

from hopefear.cli.names import ENGINE
from hopefear.decoder.cdec_functions import EXTERNAL, REFUSED
from hopefear.decoder.rescoring import ENGINE_FUNCTIONS
from hopefear.feature_extractors import CDEC_NAMES
from hopefear.plugins import find

CDEC = frozenset(
    """
ArityPenalty BLEUModel BlunsomSynchronousParseHack CMR2008ReorderingFeatures CSplit_BasicFeatures
CSplit_ReverseCharLM ConstReorderFeature External Fertility IdentityCycleDetector InputIndicator
KLanguageModel LanguageModel LexNullJump LexicalFeatures LexicalPairIndicator LexicalTranslationTrigger
NewJump NgramFeatures NonLatinCount OutputIndicator ParseMatchFeatures RelativeSentencePosition
RuleContextFeatures RuleIdentityFeatures RuleShape RuleShape2 RuleSourceBigramFeatures
RuleTargetBigramFeatures SoftSynFeature SoftSyntaxFeatures SoftSyntaxFeaturesMindist SourceBigram
SourcePathFeatures SourceSpanSizeFeatures SourceSyntaxFeatures SourceSyntaxFeatures2 SourceWordPenalty
SpanFeatures Tagger_BigramIndicator WordPairFeatures WordPenalty WordSet
""".split()  # noqa: SIM905
)
"""The functions that cdec registers."""

COMPARED_ELSEWHERE = {"External", "KLanguageModel"}
"""With cdec's own answers in other tests."""


@pytest.mark.parametrize("name", sorted(CDEC))
def test_the_reference_has_all_of_cdecs_functions(name: str) -> None:
    shown = rows(sections("families")["cdec's feature functions"])
    if name in REFUSED:
        assert shown[name] == [f"refused: {REFUSED[name]}".replace("|", "\\|")]
    elif name in CDEC_NAMES:
        assert shown[name] == [f"[`{CDEC_NAMES[name]}`](#{CDEC_NAMES[name].lower()})"]
        assert find(name) is find(CDEC_NAMES[name])
    else:
        assert name == EXTERNAL or (name in ENGINE_FUNCTIONS) == (name in {entry.name for entry in ENGINE})
        assert name in shown or name in sections("families")


def test_what_is_available_has_answers_of_cdec() -> None:
    compared = {line.split()[0] for lines in LINES.values() for line in lines}
    assert compared == CDEC - REFUSED.keys() - COMPARED_ELSEWHERE
    assert REFUSED.keys() < CDEC

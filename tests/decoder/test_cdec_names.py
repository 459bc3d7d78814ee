"""Every feature function of cdec has a row in docs/use/plugins.md, made from the lists here."""

from __future__ import annotations

from support import CHECKOUT
from support.cdec_answers import LINES

from hopefear.decoder.cdec_functions import EXTERNAL, REFUSED
from hopefear.decoder.rescoring import ENGINE_FUNCTIONS
from hopefear.feature_extractors import CDEC_NAMES
from hopefear.plugins import find

# The functions that cdec registers, and the arguments that it reads.
CDEC = {
    "ArityPenalty": "`MOST`",
    "BLEUModel": "",
    "BlunsomSynchronousParseHack": "",
    "CMR2008ReorderingFeatures": "",
    "CSplit_BasicFeatures": "",
    "CSplit_ReverseCharLM": "",
    "ConstReorderFeature": "",
    "External": "`libhopefear_bridge.so --config plugins.ini`",
    "Fertility": "",
    "IdentityCycleDetector": "",
    "InputIndicator": "",
    "KLanguageModel": "`[-x] [-n NAME] [-m MAP] MODEL`",
    "LanguageModel": "",
    "LexNullJump": "",
    "LexicalFeatures": "`0 or 1` for translations, insertions, deletions",
    "LexicalPairIndicator": "",
    "LexicalTranslationTrigger": "`FILE`",
    "NewJump": "",
    "NgramFeatures": "`-o N -n NAME -U P -B P -T P -4 P -5 P -S SEPARATOR -c CLUSTERS -x`",
    "NonLatinCount": "",
    "OutputIndicator": "",
    "ParseMatchFeatures": "`b`, `l`, `e` or `r`",
    "RelativeSentencePosition": "",
    "RuleContextFeatures": "`-t TEMPLATE`",
    "RuleIdentityFeatures": "",
    "RuleShape": "",
    "RuleShape2": "`-e CLASSES -f CLASSES -p SIZE`",
    "RuleSourceBigramFeatures": "",
    "RuleTargetBigramFeatures": "",
    "SoftSynFeature": "",
    "SoftSyntaxFeatures": "`NP2 VP_ S+ PP-`",
    "SoftSyntaxFeaturesMindist": "`NP2 VP_ S+ PP-`",
    "SourceBigram": "",
    "SourcePathFeatures": "",
    "SourceSpanSizeFeatures": "",
    "SourceSyntaxFeatures": "`FILE` of the names that fire",
    "SourceSyntaxFeatures2": "`FILE` of the names that fire",
    "SourceWordPenalty": "",
    "SpanFeatures": "`CLASSES VALUES`",
    "Tagger_BigramIndicator": "",
    "WordPairFeatures": "`TABLE`",
    "WordPenalty": "",
    "WordSet": "`-v WORDS -N NAME --oov`",
}

COMPARED_ELSEWHERE = {"External", "KLanguageModel"}
"""With cdec's own answers in other tests."""


def row(name: str, arguments: str) -> str:
    if name in REFUSED:
        reason = REFUSED[name].replace("|", "\\|")
        return f"| `{name}` | refused: {reason} | |"
    if name in ENGINE_FUNCTIONS:
        kind = "the engine's own"
    elif name == EXTERNAL:
        kind = "the plugins of `plugins.ini`; other libraries are refused"
    else:
        kind = f"`{CDEC_NAMES.get(name, name)}`"
        assert find(name) is find(CDEC_NAMES.get(name, name))
    return f"| `{name}` | {kind} | {arguments} |"


def test_the_page_has_all_of_cdecs_functions() -> None:
    rows = [row(name, arguments) for name, arguments in CDEC.items()]
    table = "\n".join(["| cdec's name | here | arguments |", "|---|---|---|", *rows])
    page = (CHECKOUT / "docs" / "use" / "plugins.md").read_text("utf-8")
    assert f"\n{table}\n\n" in page, f"put this table into docs/use/plugins.md:\n{table}"


def test_what_is_available_has_answers_of_cdec() -> None:
    compared = {line.split()[0] for lines in LINES.values() for line in lines}
    assert compared == CDEC.keys() - REFUSED.keys() - COMPARED_ELSEWHERE
    assert REFUSED.keys() < CDEC.keys()

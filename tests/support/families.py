"""The lines of all built-in families, with the arguments that some need."""

from __future__ import annotations

from pathlib import Path

from hopefear.plugins import known

_FILES = {
    "needed.words": "the\nhouse\n",
    "needed.pairs": "casa ||| house ||| pair=0.5\nla ||| the ||| pair=1 article=2\n",
    "needed.triggers": "one two\n" * 50,
}
_ARGUMENTS = {
    "Bins": '"GrammarFeature CountEF" --bounds 0.5,1',
    "GrammarFeature": "CountEF",
    "LexicalTranslationTrigger": "needed.triggers",
    "Product": "Arity SpanSize",
    "RuleContextFeatures": "-t C:%x[-1]_%x[0]_%y[0]",
    "SoftSyntaxFeatures": "NP2 VP_ S+ PP-",
    "SoftSyntaxFeaturesMindist": "NP2 VP_ S+ PP-",
    "WordPairFeatures": "needed.pairs",
    "WordSet": "-v needed.words -N Known",
}


OF_MODELS = ("Transformer",)
"""Families that need a model, with tests of their own."""


def line_of(name: str) -> str:
    """The line of a family; its files are those of `write_needed`."""
    return f"{name} {_ARGUMENTS.get(name, '')}".strip()


def lines() -> list[str]:
    return [line_of(name) for name in known() if name not in OF_MODELS]


def write_needed(folder: Path) -> Path:
    for name, text in _FILES.items():
        (folder / name).write_text(text, "utf-8")
    return folder

"""What users add to an extractor: features of rules, annotations of sentences, configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hopefear.base import ForeignCode, PluginError
from hopefear.pycdec.sa.rules import FeatureContext

Feature = Callable[[FeatureContext], float]
Annotator = Callable[[Sequence[str]], Any]
Configure = Callable[[Mapping[str, Any]], object]

features: list[Feature] = []
annotators: dict[str, Annotator] = {}
configurations: list[Configure] = []


def feature(fn: Feature) -> Feature:
    """Let extractors that are made from now on score each rule with a function; its name is the feature's."""
    features.append(fn)
    return fn


def annotator(fn: Annotator) -> Annotator:
    """Let a function annotate each sentence; the result is ``ctx.meta[name of the function]``."""
    annotators[fn.__name__] = fn
    return fn


def configure(fn: Configure) -> Configure:
    """Let a function see the configuration of each extractor that is made from now on."""
    configurations.append(fn)
    return fn


def annotate(sentence: Sequence[str]) -> dict[str, Any]:
    """Return what the annotators give for a sentence, by their names.

    Raises
    ------
    PluginError
        An annotator raised an error.
    """
    meta = {}
    for name, fn in annotators.items():
        with foreign(fn):
            meta[name] = fn(sentence)
    return meta


def foreign(fn: Callable[..., Any]) -> ForeignCode:
    """Make the context in which a function of a user runs."""
    return ForeignCode(fn.__module__, lambda failure: PluginError(f"{fn.__name__}: {failure}"))

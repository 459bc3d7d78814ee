"""A small case that HOLS learns: sparse features are needed for what the references say."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from hopefear import Decoder, Segment
from hopefear.decoder import Weights
from hopefear.feature_extractors import RuleIndicators
from hopefear.metrics import Bleu
from hopefear.plugins import EdgeBatch, EdgeFeatures, FeatureTable
from hopefear.tuners.hols.loss_gradient import GradientTask
from support import world

FEATURES = {
    "the": "Good=1 Bad=1",
    "her": "Good=1.5",
    "house": "Good=1",
    "home": "Good=1.2 Bad=0.3",
    "green": "Good=1 Bad=0.2",
    "raw": "Good=1.1",
    "is": "Good=1",
    "are": "Good=0.5 Bad=1",
    "green house": "Good=1",
}
GRAMMAR = world.grammar(
    "la", "casa", "verde", "es", "casa verde", features=lambda _, target: FEATURES[target]
)
PAIRS = [
    ("la casa verde es la casa", "the green house is the house"),
    ("casa verde es casa verde", "green house is green house"),
    ("la casa es verde", "the house is green"),
    ("casa es la casa verde", "house is the green house"),
    ("la casa verde es verde", "the green house is green"),
    ("es la casa verde", "is the green house"),
    ("la casa es la casa", "the house is the house"),
    ("verde es la casa verde", "green is the green house"),
]
CORPUS = world.corpus(*PAIRS)
START = {"Good": 1.0, "Bad": -0.5, "WordPenalty": 0.1, "Glue": 0.05}
SMOOTHED = Bleu(smoothing="add-one")


def write_grammar(folder: Path) -> Path:
    path = folder / "grammar"
    path.write_text(GRAMMAR)
    return path


def make_decoder(
    grammar: Path, weights: Weights | dict[str, float] | None = None, *more: EdgeFeatures
) -> Decoder:
    return Decoder(
        formalism="scfg",
        grammar=grammar,
        feature_function="WordPenalty",
        weights=dict(START) if weights is None else weights,
        features=[RuleIndicators(), *more],
    )


def in_other_numbers(task: Any, values: dict[str, float], item: Any) -> Any:
    """Do a task of this process in another one, where other features come first."""
    decoder = task.decoders[0] if isinstance(task, GradientTask) else task.translate.decoder
    for name in ("R:X:es:is", "R:X:la:her", "Other"):
        decoder.weights.id(name)
    decoder.weights.update(values)
    return task(item)


class DiesOnce(EdgeFeatures):
    """Ends the process on each sentence that there is a file for, which is gone then."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Fire nothing."""
        mark = self.folder / str(segment.id)
        if mark.exists():
            mark.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return FeatureTable.empty(len(edges))

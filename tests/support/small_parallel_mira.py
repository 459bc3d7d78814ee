"""A small corpus whose features come up while it is translated, and runs of parallel MIRA on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hopefear.decoder import Decoder, Segment
from hopefear.parallel import Executor
from hopefear.plugins import EdgeBatch, EdgeFeatures, FeatureTable
from hopefear.tuners import ParallelMira
from support import world
from support.world import RIGHT, WORDS


def features(source: str, target: str) -> str:
    """Let the right words have a feature each."""
    return f"Right=0.7 {target}=1" if target == RIGHT[source] else "Wrong=1.3"


GRAMMAR = world.grammar(*RIGHT, features=features) + "".join(
    world.rule(f"{a[0]} {b[0]}", f"{b[1]} {a[1]}", "Swap=1") for a in WORDS for b in WORDS
)


class Spans(EdgeFeatures):
    """Features that come up while sentences are translated."""

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Name span and sentence."""
        spans = edges.span.tolist()
        return FeatureTable.from_pairs(
            len(spans),
            [(i, f"{segment.tokens[begin]}:{end - begin}") for i, (begin, end) in enumerate(spans)],
        )


def make_corpus(count: int = 23) -> list[Segment]:
    rng = np.random.default_rng(3)
    out = []
    for i in range(count):
        words = [WORDS[j][0] for j in rng.integers(0, 4, rng.integers(1, 6))]
        references = (" ".join(RIGHT[word] for word in words),)
        out.append(Segment(tuple(words), id=f"s{i}", index=i, references=references))
    return out


CORPUS = make_corpus()


def small_decoder(path: Path) -> Decoder:
    """Make a decoder; the grammar is written to the path."""
    path.write_text(GRAMMAR)
    return Decoder(
        formalism="scfg", grammar=path, weights={"Wrong": 0.05, "Right": -0.05}, features=[Spans()]
    )


Learned = tuple[dict[str, float], list[Any]]


def learn(
    decoder: Decoder, executor: Executor | None = None, corpus: list[Segment] = CORPUS, **settings: Any
) -> tuple[ParallelMira, Learned]:
    """Return the tuner, and what must be the same."""
    fit = {key: settings.pop(key) for key in ("checkpoint", "resume", "on_update") if key in settings}
    tuner = ParallelMira.paper(**{"C": 0.1, "passes": 2, "workers": 3, "snapshot_every": 4, **settings})
    tuner.executor = executor
    tuner.fit(decoder, corpus, **fit)
    records = [(x.score, x.pseudo_score, x.updates, x.skipped, x.message_bytes) for x in tuner.passes_]
    return tuner, (tuner.weights_, records)

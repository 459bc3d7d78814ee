"""A run of HOLS goes on with the texts that it began with only."""

from __future__ import annotations

from pathlib import Path

import pytest

from hopefear import Decoder, InputError, Segment
from hopefear.feature_extractors import RuleIndicators
from hopefear.grammars.sample import sample_path
from hopefear.plugins.corpus import read_corpus
from hopefear.tuners import Fold, Hols

SAMPLE = sample_path()
CORPUS = sorted(read_corpus(SAMPLE / "dev.es", [SAMPLE / "dev.en.0"]), key=lambda one: len(one.tokens))[:9]


class Text(list[Segment]):
    """Segments of a text of which there are several."""

    def __init__(self, segments: list[Segment], fingerprint: str) -> None:
        super().__init__(segments)
        self.fingerprint = fingerprint


def learn(checkpoint: Path, *fingerprints: str, resume: bool = False) -> dict[str, float]:
    decoder = Decoder(SAMPLE / "cdec.ini", weights=SAMPLE / "weights.init", features=[RuleIndicators()])
    parts = [CORPUS[:2], CORPUS[2:4]]
    training = [Fold(decoder, Text(part, name)) for part, name in zip(parts, fingerprints, strict=True)]
    tuner = Hols(k=5, line_search_passes=1, line_search_k=3, restarts=1)
    given = {"training": training, "held_out": Fold(decoder, CORPUS[4:6])}
    tuner.fit(decoder, CORPUS[6:], **given, checkpoint=checkpoint, resume=resume)
    return tuner.weights_


def test_other_texts_of_the_same_length_are_refused(tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    learned = learn(checkpoint, "a", "b")
    for other in (("a", "c"), ("b", "a")):
        with pytest.raises(InputError, match=r"expected texts=.*, as in the checkpoint, got "):
            learn(checkpoint, *other, resume=True)
    assert learn(checkpoint, "a", "b", resume=True) == learned

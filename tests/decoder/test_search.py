"""Cube pruning against exhaustive search, and against cdec's scores at the same pop limit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hopefear.decoder import Decoder, Hypergraph, read_config

TUNED = "weights.tuned"


def decoder(folder: Path, pop_limit: int) -> Decoder:
    """Load a decoder; it searches in full where the limit is 0."""
    config = read_config(folder / "cdec.ini")
    for settings in config.passes:
        settings.pop_limit = pop_limit
        settings.strategy = "cube_pruning" if pop_limit else "full"
    return Decoder(config, weights=folder / TUNED)


def unique_scores(forest: Hypergraph, k: int) -> list[float]:
    return [forest.score(derivation) for derivation in forest.derivations(k, unique=True)]


@pytest.fixture(scope="module")
def japanese(shared: Path) -> tuple[Decoder, Decoder, list[str]]:
    folder = shared / "data/tanaka/ja-en"
    lines = (shared / "data/tanaka/dev.ja").read_text("utf-8").splitlines()
    return decoder(folder, 200), decoder(folder, 0), lines


@pytest.mark.parametrize("pass_through", [None, -100.0])
def test_lists_of_short_sentences_are_complete(
    japanese: tuple[Decoder, Decoder, list[str]], pass_through: float | None
) -> None:
    pruned, full, lines = japanese
    for each in (pruned, full):
        each.weights.read(each.config.base / TUNED)
        if pass_through is not None:
            each.weights["PassThrough"] = pass_through
    for line in [" ".join(line.split()[-length:]) for line in lines[:6] for length in (2, 3)]:
        found, every = (unique_scores(each.translate(line), 20) for each in (pruned, full))
        assert found == pytest.approx(every, abs=1e-4), line


def test_the_scale_of_the_weights_does_not_matter(japanese: tuple[Decoder, Decoder, list[str]]) -> None:
    pruned, _, lines = japanese
    texts = []
    for scale in (1.0, 0.125, 8.0):
        pruned.weights.read(pruned.config.base / TUNED)
        pruned.weights.array[:] *= scale
        texts.append([pruned.translate(line).best_translations(3).texts for line in lines[:5]])
    assert texts[0] == texts[1] == texts[2]


@pytest.mark.parametrize("direction", ["ja-en", "en-ja"])
def test_scores_are_at_least_cdecs_at_a_low_limit(shared: Path, direction: str) -> None:
    golden = json.loads((shared / f"golden/frontier/tanaka-{direction}.json").read_text("utf-8"))
    source = shared / f"data/tanaka/dev.{direction[:2]}"
    cdec = golden["pop_limits"]["10"]["scores"][:100]
    pruned = decoder(shared / "data/tanaka" / direction, 10)
    lines = source.read_text("utf-8").splitlines()[: len(cdec)]
    ours = [pruned.translate(line).viterbi_score() for line in lines]
    assert sum(ours) >= sum(cdec)
    better, worse = (sum(sign * (o - c) > 1e-3 for o, c in zip(ours, cdec, strict=True)) for sign in (1, -1))
    assert better > worse

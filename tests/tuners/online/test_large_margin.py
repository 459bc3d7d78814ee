"""Online large-margin training: its updates, its oracles, its checkpoints."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from support import world
from support.small_pools import dense_list
from support.world import World

from hopefear import Decoder, InputError
from hopefear.base.arrays import Floats
from hopefear.metrics import Bleu
from hopefear.tuners import OnlineLargeMargin, read_checkpoint, write_checkpoint
from hopefear.tuners.solvers import Pairs, pair_update

CORPUS = world.corpus(
    ("la casa verde es verde", "the green house is green"),
    ("la casa es la casa", "the house is the house"),
    ("casa verde es casa verde", "green house is green house"),
)
WORLD = World(
    world.grammar("la", "casa", "verde", "es", "casa verde"),
    lines=["feature_function=WordPenalty"],
    weights=world.PHRASES.weights,
)


def random_sentences(seed: int, m: int, k: int) -> tuple[list[tuple[Floats, Floats, Floats]], Floats]:
    rng = np.random.default_rng(seed)
    sentences = [
        (rng.normal(size=(m, 4)), rng.normal(size=(k, 4)), rng.uniform(-0.5, 2, (m, k))) for _ in range(2)
    ]
    return sentences, rng.normal(size=4)


def changed(
    sentences: list[tuple[Floats, Floats, Floats]],
    w: Floats,
    rule: str,
    size: float,
) -> Floats:
    pairs = Pairs.of([(dense_list(a), dense_list(b), loss) for a, b, loss in sentences])
    step = pair_update(pairs, w, rule, size)
    out = w.copy()
    out[step.features] += step.change
    return out


@pytest.mark.parametrize("seed", range(8))
def test_the_margin_rule_solves_its_problem(seed: int) -> None:
    sentences, start = random_sentences(seed, 3, 2)
    C = (0.05, 0.5)[seed % 2]
    deltas, losses = [], []
    for oracles, others, loss in sentences:
        for i, j in product(range(3), range(2)):
            if loss[i, j] > 0:
                deltas.append(oracles[i] - others[j])
                losses.append(loss[i, j])
    delta, limits = np.array(deltas), np.array(losses)

    def cost(w: Floats) -> float:
        return float(0.5 * np.sum((w - start) ** 2) + C * np.maximum(limits - delta @ w, 0).sum())

    n = len(limits)
    conditions = {"type": "ineq", "fun": lambda x: delta @ x[:4] + x[4:] - limits}
    best = minimize(
        lambda x: 0.5 * np.sum((x[:4] - start) ** 2) + C * x[4:].sum(),
        np.concatenate((start, np.maximum(limits - delta @ start, 0))),
        method="SLSQP",
        bounds=[(None, None)] * 4 + [(0, None)] * n,
        constraints=conditions,
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert best.success
    found = changed(sentences, start, "margin", C)
    assert cost(found) == pytest.approx(best.fun, abs=1e-4)
    np.testing.assert_allclose(found, best.x[:4], atol=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_one_pair_has_the_closed_forms(seed: int) -> None:
    rng = np.random.default_rng(seed)
    oracle, other, w, loss = rng.normal(size=4), rng.normal(size=4), rng.normal(size=4), rng.uniform(0.1, 2)
    delta, C = oracle - other, 0.1
    margin = delta @ w
    sentences = [(oracle[None], other[None], np.array([[loss]]))]
    closed = max(0.0, min(C, (loss - margin) / (delta @ delta)))
    np.testing.assert_allclose(changed(sentences, w, "margin", C), w + closed * delta, atol=1e-6)
    np.testing.assert_allclose(changed(sentences, w, "perceptron", 1.0), w + (margin <= 0) * delta)
    np.testing.assert_allclose(
        changed(sentences, w, "sgd", 0.1), w + 0.1 * loss * max(0.0, 1 - margin) * delta
    )


def test_pairs_without_a_loss_teach_nothing() -> None:
    w = np.ones(4)
    sentences = [(np.zeros((1, 4)), np.ones((2, 4)), np.array([[0.0, -1.0]]))]
    for rule in ("margin", "perceptron", "sgd"):
        np.testing.assert_array_equal(changed(sentences, w, rule, 1.0), w)


def test_oracles_are_the_best_that_any_pass_found(tmp_path: Path) -> None:
    """By enumeration: what the n-best lists were, and the document of the first oracles of now."""
    ones = WORLD.rules.count("=1")  # other values, so that no two translations score the same
    parts = WORLD.rules.split("=1")
    (tmp_path / "grammar").write_text(
        "".join(f"{parts[i]}={1 + 0.01 * 1.37**i}" for i in range(ones)) + parts[-1]
    )
    decoder = Decoder(
        formalism="scfg", grammar=tmp_path / "grammar", weights={"Wrong": 0.5, "Right": -0.53, "Swap": 0.1}
    )
    tuner = OnlineLargeMargin(m=2, k=1, nbest=3, C=0.1)
    seen: dict[int, set[str]] = {segment.index: set() for segment in CORPUS}
    first: dict[int, str] = {}

    def document(index: int, text: str) -> float:
        metric = Bleu(smoothing="floor")
        texts = {**first, index: text}
        return metric.score(sum(metric.stats(texts[i], CORPUS[i].references) for i in texts))

    for segment in CORPUS * 4:
        forest = decoder.translate(segment)
        scores: dict[str, float] = {}
        for derivation in forest.derivations(10_000):
            text = forest.text(derivation)
            scores[text] = max(scores.get(text, -np.inf), forest.score(derivation))
        seen[segment.index].update(sorted(scores, key=lambda text: -scores[text])[:3])
        found = tuner.hypotheses(decoder, forest, segment)
        hope = found.hope
        assert len(found.best) == 1
        wanted = sorted((document(segment.index, text) for text in seen[segment.index]), reverse=True)[:2]
        assert set(hope.texts) <= seen[segment.index]
        np.testing.assert_allclose([document(segment.index, text) for text in hope.texts], wanted)
        tuner.partial_fit(decoder, forest, segment)
        first[segment.index] = hope.texts[0]
        # The others are forgotten, as in the paper, where O has m of each sentence.
        seen[segment.index] = set(hope.texts)


def test_a_damaged_state_is_refused(decoder: Decoder, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    OnlineLargeMargin(passes=1, m=3, k=4).fit(decoder, CORPUS, checkpoint=path)
    for name in ("memory.texts", "memory.values"):
        damaged = read_checkpoint(path)
        damaged["arrays"][name] = damaged["arrays"][name][:0]
        with pytest.raises(InputError, match="the state of an online tuner"):
            write_checkpoint(tmp_path / "damaged", damaged)
            OnlineLargeMargin(passes=2, m=3, k=4).fit(
                decoder, CORPUS, checkpoint=tmp_path / "damaged", resume=True
            )


def test_an_id_that_comes_twice_is_refused(decoder: Decoder) -> None:
    with pytest.raises(InputError, match=r"different id for each segment.*got 0 twice"):
        OnlineLargeMargin().fit(decoder, [CORPUS[0], CORPUS[0]])

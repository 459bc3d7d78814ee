"""Metrics of pycdec: statistics in its order, scores from 0 to 1."""

from __future__ import annotations

import math

import pytest

import hopefear.pycdec as cdec
from hopefear.metrics import Nist
from hopefear.pycdec.score import AER, BLEU, CER, METEOR, NIST, QCRI, SSK, TER, WER, Metric, Scorer


def test_bleu_statistics_score_and_detail() -> None:
    stats = BLEU("a b c d e").evaluate("a b c d f g")
    # matches, n-grams, length, reference length
    assert list(stats) == [4, 3, 2, 1, 6, 5, 4, 3, 6, 5]
    assert stats.score == pytest.approx((4 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)
    assert stats.detail == "IBM_BLEU = 50.81, 66.7|60.0|50.0|33.3 (brev=1.000)"
    assert (len(stats), stats[9]) == (10, 5)
    with pytest.raises(IndexError):
        stats[10]


def test_bleu_of_few_matches_has_a_floor() -> None:
    stats = BLEU("a b c d e f").evaluate("a b x")
    expected = (2 / 3 * 1 / 2 * 0.01) ** (1 / 3) * math.exp(1 - 6 / 3)  # no 4-grams to count
    assert stats.score == pytest.approx(expected)
    assert stats.detail.endswith("(brev=0.368)")


def test_statistics_add_up() -> None:
    evaluator = BLEU(["a b c d e", "a b c x"])
    hypotheses = ["a b c d", "x a b c", "e"]
    parts = [evaluator.evaluate(hypothesis) for hypothesis in hypotheses]
    total = sum(parts)
    assert list(total) == [sum(column) for column in zip(*parts, strict=True)]
    running = evaluator.evaluate(hypotheses[0])
    running += parts[1]
    assert list(running) == list(parts[0] + parts[1])
    assert list(parts[0]) != list(running)
    with pytest.raises(TypeError):
        parts[0] + 1


@pytest.mark.parametrize(("metric", "perfect"), [(BLEU, 1), (TER, 0), (CER, 0), (SSK, 1)])
def test_perfect_hypotheses(metric: Scorer, perfect: float) -> None:
    assert metric("a b c d e f").evaluate("a b c d e f").score == pytest.approx(perfect)


def test_error_rates_and_qcri() -> None:
    assert TER("a b c d").evaluate("a b c x").score == pytest.approx(1 / 4)
    assert CER("abcd").evaluate("abxd").score == pytest.approx(1 / 4)
    precisions = (4 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25
    ground = (1 / 7 * 1 / 6 * 1 / 5 * 1 / 4) ** 0.25
    assert QCRI("a b c d e").evaluate("a b c d f g").score == pytest.approx(precisions - ground)


def test_names() -> None:
    assert str(BLEU) == "IBM_BLEU"
    assert str(Scorer("ter")) == "TER"
    with pytest.raises(ValueError, match="IBM_BLEU"):
        Scorer("ROUGE")


class Recall(Metric):
    """Words of the first reference that are found."""

    def evaluate(self, hyp: str, refs: list[str]) -> list[float]:
        words = refs[0].split()
        return [sum(word in hyp.split() for word in words), len(words)]

    def score(self, stats: list[float]) -> float:
        return stats[0] / stats[1]


def test_metric_in_python() -> None:
    evaluator = Recall()([" a  b", "c"])
    stats = evaluator.evaluate("b x\n")
    assert list(stats) == [1, 2]
    assert stats.score == 0.5
    assert sum([stats, evaluator.evaluate("a b")]).score == 0.75
    assert stats.detail == "Recall=0.5"


def test_candidate_set_keeps_what_differs() -> None:
    decoder = cdec.Decoder(formalism="scfg")
    decoder.weights = {"p": 1.0}
    rules = "[X] ||| a ||| x ||| p=3\n[X] ||| a ||| y ||| p=2\n[X] ||| a ||| x ||| p=1\n"
    forest = decoder.translate("a", grammar=rules)
    candidates = BLEU("x").candidate_set()
    candidates.add_kbest(forest, 2)
    assert [(c.words, c.fmap["p"]) for c in candidates] == [("x", 3), ("y", 2)]
    candidates.add_kbest(forest, 10)
    assert [(c.words, c.fmap["p"], c.score == 1) for c in candidates] == [
        ("x", 3, True),
        ("y", 2, False),
        ("x", 1, True),
    ]
    assert len(candidates) == 3
    assert candidates[2].words == "x"
    with pytest.raises(IndexError):
        candidates[3]


def test_metrics_that_pycdec_lacks() -> None:
    assert AER("0-0 1-1 2-2").evaluate("0-0 1-2 2-1").score == pytest.approx(2 / 3)
    assert WER("a b c d").evaluate("b a c d").score == pytest.approx(2 / 4)
    references = [["the cat sat on the mat", "a cat was on the mat"], ["a dog barks"]]
    with pytest.raises(ValueError, match="for_corpus"):
        NIST(references[0])
    nist = NIST.for_corpus(references)
    total = nist(references[0]).evaluate("the cat sat on mat") + nist(references[1]).evaluate("a dog")
    expected = Nist().score(Nist().corpus_stats(["the cat sat on mat", "a dog"], references).sum(axis=0))
    assert total.score == pytest.approx(expected)
    assert total.detail == f"NIST={expected:g}"


def test_meteor() -> None:
    score = pytest.importorskip("nltk.translate.meteor_score")

    class NoSynonyms:
        def synsets(self, word):
            return []

    expected = score.single_meteor_score(["the", "cats", "sat"], ["a", "cat", "sat"], wordnet=NoSynonyms())
    assert METEOR("the cats sat").evaluate("a cat sat").score == pytest.approx(expected)


def test_a_sum_of_metrics() -> None:
    combined = Scorer("COMB:TER=-0.5;IBM_BLEU=0.5")
    hypotheses, references = ["a b c d x", "e f g h"], ["a b c d e", "e f g h i"]
    parts = zip(hypotheses, references, strict=True)
    total = sum(combined(reference).evaluate(hypothesis) for hypothesis, reference in parts)
    parts = list(zip(hypotheses, references, strict=True))
    ter = sum(TER(reference).evaluate(hypothesis) for hypothesis, reference in parts)
    bleu = sum(BLEU(reference).evaluate(hypothesis) for hypothesis, reference in parts)
    assert total.score == pytest.approx(-0.5 * ter.score + 0.5 * bleu.score)
    assert len(total) == len(ter) + len(bleu)
    assert total.detail.endswith(f"{ter.detail} {bleu.detail}")
    for wrong, message in (
        ("COMB:TER=x", "expected a metric and its weight"),
        ("COMB:PER=1", "unknown metric"),
    ):
        with pytest.raises(ValueError, match=message):
            Scorer(wrong)

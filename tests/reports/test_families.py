"""What families of features are worth."""

from __future__ import annotations

import json
import math
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from support.world import World

from hopefear import Decoder, Segment
from hopefear.base import InputError
from hopefear.decoder import Hypotheses
from hopefear.feature_extractors import RuleIndicators
from hopefear.metrics import Bleu, Metric, Nist, Ter
from hopefear.reports import family_table, rank_families, read_families, write_families
from hopefear.tuners import Mira

CORPUS = [
    Segment("la casa roja", references=("the red house",)),
    Segment("la casa", references=("the house",)),
    Segment("la roja", references=("the red",)),
]


WORLD = World(weights={"p": 0.1, "a": 0.2}, plugins=[RuleIndicators])


def test_families_are_ranked_by_what_is_lost(decoder: Decoder) -> None:
    mira = Mira.paper(passes=3, C=1).fit(decoder, CORPUS)
    assert mira.weights_
    weights = decoder.weights.array.copy()
    families = rank_families(decoder, CORPUS, None, Mock())
    assert decoder.weights.array.tolist() == weights.tolist()
    assert {"RuleIndicators", "p"} <= {one.family for one in families}
    losses = [one.loss[0] for one in families]
    assert losses == sorted(losses, reverse=True)
    own = [name for name in decoder.weights.nonzero() if name.startswith("R:")]
    rules = next(one for one in families if one.family == "RuleIndicators")
    assert rules.weights == len(own)
    assert rules.mass == pytest.approx(sum(abs(decoder.weights[name]) for name in own))
    complete = [decoder.translate(one).viterbi() for one in CORPUS]
    hope_above = [one.hope.model[0] > one.fear.model[0] for one in hypotheses(decoder)]
    fixed = hypotheses(decoder)
    for name in own:
        decoder.weights[name] = 0.0
    without = [decoder.translate(one).viterbi() for one in CORPUS]
    metric = Bleu()
    score = [
        metric.score(metric.corpus_stats(texts, [one.references for one in CORPUS]).sum(0))
        for texts in (complete, without)
    ]
    assert rules.score == pytest.approx(score[1])
    assert rules.loss[0] == pytest.approx(score[0] - score[1])
    array = decoder.weights.array
    still = [one.hope.translations.scores(array)[0] > one.fear.translations.scores(array)[0] for one in fixed]
    assert rules.decides == pytest.approx(np.mean(np.not_equal(hope_above, still)))


def test_some_families_in_threads(decoder: Decoder) -> None:
    told: list[str] = []
    Mira.paper(passes=3, C=1).fit(decoder, CORPUS)
    everything = rank_families(decoder, CORPUS)
    chosen = rank_families(
        decoder, CORPUS, only=["Rule*"], threads=2, on_family=lambda worth: told.append(worth.family)
    )
    assert chosen == [one for one in everything if one.family == "RuleIndicators"]
    assert told == ["RuleIndicators"]
    with pytest.raises(InputError, match=r"like No. or x, got Glue, RuleIndicators, a, b, p"):
        rank_families(decoder, CORPUS, only=["No*", "x"])


@pytest.mark.parametrize("metric", [Ter(), Nist()])
def test_what_is_lost_by_other_metrics_is_what_gets_worse(decoder: Decoder, metric: Metric) -> None:
    Mira.paper(passes=3, C=1).fit(decoder, CORPUS)
    of_corpus = metric.for_corpus([one.references for one in CORPUS])
    weights = decoder.weights.array.copy()

    def score() -> float:
        texts = [decoder.translate(one).viterbi() for one in CORPUS]
        return of_corpus.score(of_corpus.corpus_stats(texts, [one.references for one in CORPUS]).sum(axis=0))

    complete, losses = score(), {}
    for one in rank_families(decoder, CORPUS, metric, Mock()):
        for name, _ in decoder.weights:
            if name == one.family or (one.family == "RuleIndicators" and name.startswith("R:")):
                decoder.weights[name] = 0.0
        assert one.score == pytest.approx(score())
        worse = one.score - complete if isinstance(metric, Ter) else complete - one.score
        assert one.loss[0] == pytest.approx(worse) and one.loss[1] <= one.loss[0] <= one.loss[2]
        losses[one.family] = one.loss[0]
        decoder.weights.replace(weights)
    assert max(losses.values()) > 0 and [*losses.values()] == sorted(losses.values(), reverse=True)


def hypotheses(decoder: Decoder) -> list[Hypotheses]:
    mira = Mira.paper()
    return [mira.hypotheses(decoder, decoder.translate(one), one) for one in CORPUS]


def test_written_and_read(decoder: Decoder, tmp_path: Path) -> None:
    families = rank_families(decoder, CORPUS, None, Mock())
    assert read_families(tmp_path) == []
    write_families(tmp_path, families)
    assert read_families(tmp_path) == families
    assert len(family_table(families)) == len(families)
    row = json.loads((tmp_path / "families.json").read_text())[0]
    for content in (
        "{}x",
        "[1]",
        json.dumps([row | {"loss": [1.0, 2.0, math.nan]}]),
        json.dumps([row | {"family": 1}]),
        '[{"family": 1}]',
        '[{"loss": [1, 2]}]',
    ):
        (tmp_path / "families.json").write_text(content)
        with pytest.raises(InputError, match=r"families\.json: expected a file that hopefear features wrote"):
            read_families(tmp_path)

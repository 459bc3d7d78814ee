from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from support.small_session import LESSONS, adapting_decoder, history_of, lesson, session_of, teach

from hopefear.base import InputError
from hopefear.decoder import Decoder, Segment, read_config
from hopefear.live import Corrected, LiveSession, Shown
from hopefear.live.experts import (
    ADAPTED,
    ALPHA,
    ALPHA_OF_DOCUMENT,
    CERTAIN,
    ESTIMATED,
    ETA,
    EXPERTS,
    LEARNED,
    PRIOR,
    RIDGE,
    UNTOUCHED,
    Experts,
    evidence,
)
from hopefear.metrics import Ter
from hopefear.tuners import Mira


def corrected(number, costs, document=None, evidence=None):
    shown = None if document is None else Shown("", place=(document, 0))
    segment = Segment("a", references=("b",))
    return Corrected(number, 0.0, segment, shown=shown, costs=costs, evidence=evidence or {})


def test_trust_is_that_of_the_fixed_share_forecaster():
    experts = Experts()
    streams = [(dict(zip(EXPERTS, costs, strict=True)), document) for costs, document in (
        ((3, 3, 1, 0), None), ((0, 0, 4, 2), None), ((5, 6, 5, 1), 1), ((2, 2, 2, 2), 1), ((1, 0, 3, 9), 2),
    )]  # fmt: skip
    trust, latest = dict(PRIOR), None
    for number, (costs, document) in enumerate(streams, 1):
        experts.read(corrected(number, costs, document))
        share = ALPHA if document == latest else ALPHA_OF_DOCUMENT
        latest = document
        of = {**costs, ESTIMATED: costs[CERTAIN]}  # without evidence
        trust = {name: trust[name] * math.exp(-ETA * of[name]) for name in trust}
        total = sum(trust.values())
        trust = {name: (1 - share) * trust[name] / total + share * PRIOR[name] for name in trust}
        assert experts.trust == pytest.approx(trust)
        best = max(trust, key=trust.get)
        assert experts.best({}) == (CERTAIN if best == ESTIMATED else best)


def test_estimates_are_those_of_ridge_regression():
    """Against the normal equations; the cost of what is estimated counts as that of a forecaster."""
    experts, draw = Experts(), random.Random(3)
    rows, edits, weights, lost = [], [], [], dict.fromkeys(PRIOR, 0.0)
    for number in range(1, 60):
        known = {
            name: (1.0, d := draw.randint(1, 9), d**0.5, *(draw.uniform(-3, 3) for _ in range(5)))
            for name in (ADAPTED, LEARNED)
            if draw.random() < 0.7
        }
        estimates = {CERTAIN: 0.0}
        if known and rows:
            a, y, w = np.array(rows), np.array(edits), np.diag(weights)
            model = np.linalg.solve(a.T @ w @ a + RIDGE * np.eye(8), a.T @ w @ y)
            estimates |= {name: float(model @ values) for name, values in known.items()}
        chosen = min(estimates, key=estimates.get)
        assert experts.estimated(known) == chosen
        costs = {name: float(draw.randint(0, 9)) for name in EXPERTS}
        experts.read(corrected(number, costs, evidence=known))
        for name in PRIOR:
            lost[name] += costs[chosen if name == ESTIMATED else name]
        for name, values in known.items():
            rows.append(values)
            edits.append(costs[name] - costs[CERTAIN])
            weights.append(1 / values[1])
    assert experts.trust[min(lost, key=lost.get)] > 0.9


def test_evidence_compares_translations_with_that_of_the_first_expert():
    texts = {CERTAIN: "a b c d", UNTOUCHED: "a b c d", ADAPTED: "a x c d e", LEARNED: "y"}
    scores = {CERTAIN: (0, 1, -5), UNTOUCHED: (0, 1, -5), ADAPTED: (2, 1.5, -6), LEARNED: (1, 1, math.inf)}
    # The edits of "a x c d e" are 2, 2, 0 and 5, those of the first 0, 0, 2 and 4.
    assert evidence(texts, scores) == {ADAPTED: (1, 2, 1.4142, 1, 0.75, 2, 0.5, -1)}
    assert evidence(dict.fromkeys(EXPERTS, "a"), scores) == {}


@pytest.mark.parametrize("known", [{"nobody": (1,) * 8}, {ADAPTED: (1, 2)}, {ADAPTED: (1, 0, *(0,) * 6)}])
def test_evidence_that_cannot_be_is_refused(known):
    with pytest.raises(InputError, match="expected 8 numbers of evidence"):
        corrected(1, dict.fromkeys(EXPERTS, 1.0), evidence=known)


def test_a_correction_of_which_no_cost_is_known_changes_no_trust():
    experts = Experts()
    experts.read(corrected(1, {}))
    assert experts.trust == pytest.approx(PRIOR)


def test_the_costs_of_a_correction_are_the_edits_of_each_expert(ini):
    session = session_of(adapting_decoder(ini), expert=None)
    history = history_of(session)
    for line in LESSONS:
        answer = session.answer(lesson(line))
        assert answer.expert == session.experts.best(answer.evidence)
        assert answer.forest.viterbi() == answer.texts[answer.expert]
        session.correct(lesson(line))
        target = lesson(line).references[0]
        edits = {name: Ter().stats(text, [target])[0] for name, text in answer.texts.items()}
        assert history[-1][1].costs == edits and edits.keys() == {*EXPERTS}
        assert history[-1][1].evidence == answer.evidence


def test_the_untouched_expert_is_the_system_without_corrections(ini):
    session, system = session_of(adapting_decoder(ini), expert=None), adapting_decoder(ini)
    plain = Decoder(read_config(ini), weights=dict(system.weights.nonzero()))
    for line in LESSONS * 2:
        texts = session.answer(lesson(line)).texts
        assert texts[UNTOUCHED] == plain.translate(lesson(line)).viterbi()
        session.correct(lesson(line))


def test_a_word_that_the_system_does_not_know_is_used_at_once_and_other_rules_when_they_have_saved_work(ini):
    session = session_of(adapting_decoder(ini), expert=None)
    session.correct(lesson("la casa es zorgulo ||| the house is dragon"))
    answer = session.answer(lesson("zorgulo es verde"))
    assert answer.expert == CERTAIN and "dragon" in answer.forest.viterbi()
    assert "zorgulo" in answer.texts[UNTOUCHED]
    words = {"la": "the", "casa": "building", "es": "is", "muy": "very", "verde": "green"}
    sentences = [one for one in permutations(words, 3) if "casa" in one]  # no two of them are close
    for one in sentences[:-1]:
        session.answer(lesson(" ".join(one)))
        session.correct(lesson(f"{' '.join(one)} ||| {' '.join(map(words.get, one))}"))
    answer = session.answer(lesson(" ".join(sentences[-1])))
    assert answer.expert in (ADAPTED, LEARNED)
    assert "building" in answer.forest.viterbi().split()
    assert "building" not in answer.texts[CERTAIN].split()


def test_a_sentence_that_was_corrected_comes_back_as_it_was_corrected(ini):
    session = session_of(adapting_decoder(ini), expert=None)
    session.correct(lesson("la casa es muy verde ||| my home is ever so green"))
    answer = session.answer(lesson("la casa es muy verde"))
    assert answer.expert == CERTAIN and answer.forest.viterbi() == "my home is ever so green"
    assert answer.texts[UNTOUCHED] != answer.texts[CERTAIN]


def test_an_expert_can_be_shown_always(ini):
    for name in EXPERTS:
        session = session_of(adapting_decoder(ini), expert=name)
        teach(session, LESSONS)
        assert session.answer(lesson(LESSONS[0])).expert == name
    with pytest.raises(ValueError, match="one of certain, untouched, adapted, learned, got 'all'"):
        LiveSession(adapting_decoder(ini), Mira(), expert="all")


def test_a_resumed_session_trusts_the_same_experts(ini):
    whole = session_of(adapting_decoder(ini), expert=None)
    history = history_of(whole)
    teach(whole, LESSONS[:3])
    state, past = whole.get_state(), list(history)
    teach(whole, LESSONS[3:])
    resumed = session_of(adapting_decoder(ini), expert=None, clock=lambda: 1003.0)
    assert resumed.resume(state, history) == len(LESSONS) - 3
    assert resumed.experts.trust == whole.experts.trust
    assert [replace(event, time=0.0) for _, event in past] == [
        replace(event, time=0.0) for _, event in history[:3]
    ]
    for line in LESSONS:
        one, other = resumed.answer(lesson(line)), whole.answer(lesson(line))
        assert (one.expert, one.texts) == (other.expert, other.texts)

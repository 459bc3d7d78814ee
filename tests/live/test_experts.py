from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import pytest
from support.sessions import PAIRS, adapting_decoder, example, history_of, session_of, teach

from hopefear.decoder import Decoder, Segment, read_config
from hopefear.live import Corrected, LiveSession, Shown
from hopefear.live.experts import (
    ADAPTED,
    ALPHA,
    ALPHA_OF_DOCUMENT,
    CERTAIN,
    ETA,
    LEARNED,
    PRIOR,
    UNTOUCHED,
    Experts,
)
from hopefear.live.part import Effect
from hopefear.metrics import Ter
from hopefear.tuners import Mira


def corrected(number, costs, document=None):
    shown = None if document is None else Shown("", place=(document, 0))
    return Corrected(number, 0.0, Segment("a", references=("b",)), shown=shown, costs=costs)


def test_trust_is_that_of_the_fixed_share_forecaster():
    experts = Experts()
    streams = [(dict(zip(PRIOR, costs, strict=True)), document) for costs, document in (
        ((3, 3, 1, 0), None), ((0, 0, 4, 2), None), ((5, 6, 5, 1), 1), ((2, 2, 2, 2), 1), ((1, 0, 3, 9), 2),
    )]  # fmt: skip
    trust, latest = dict(PRIOR), None
    for number, (costs, document) in enumerate(streams, 1):
        experts.apply(Effect(corrected(number, costs, document)))
        share = ALPHA if document == latest else ALPHA_OF_DOCUMENT
        latest = document
        trust = {name: trust[name] * math.exp(-ETA * costs[name]) for name in trust}
        total = sum(trust.values())
        trust = {name: (1 - share) * trust[name] / total + share * PRIOR[name] for name in trust}
        assert experts.trust == pytest.approx(trust)
        assert experts.best_for(dict.fromkeys(PRIOR, 0)) == max(trust, key=trust.get)


def test_a_translation_that_is_far_too_long_is_not_shown():
    experts = Experts()
    for number in range(20):
        experts.apply(Effect(corrected(number, {**dict.fromkeys(PRIOR, 3), LEARNED: 0})))
    lengths = dict.fromkeys(PRIOR, 10)
    assert experts.best_for(dict.fromkeys(PRIOR, 0)) == LEARNED == experts.best_for(lengths)
    trust = experts.trust
    for words in (20, 25, 30, 60, 100):
        # For any correction of 0 to 10 words, what it costs more than the untouched translation at least.
        more = min(max(words - m, 0) - max(10, m) for m in range(11))
        expected = {name: trust[name] * math.exp(-ETA * max(more, 0) * (name == LEARNED)) for name in trust}
        assert experts.best_for({**lengths, LEARNED: words}) == max(expected, key=expected.get)
    assert experts.best_for({**lengths, LEARNED: 100}) != LEARNED
    assert experts.best_for({**dict.fromkeys(PRIOR, 0), LEARNED: 9}) == LEARNED, (
        "there is no other translation"
    )


def test_a_correction_of_which_no_cost_is_known_changes_no_trust():
    experts = Experts()
    experts.apply(Effect(corrected(1, {})))
    assert experts.trust == pytest.approx(PRIOR)


def test_the_costs_of_a_correction_are_the_edits_of_each_expert(ini):
    session = session_of(adapting_decoder(ini), expert=None)
    history = history_of(session)
    for line in PAIRS:
        answer = session.answer(example(line))
        assert answer.expert == session.parts.experts.best_for(dict.fromkeys(PRIOR, 0))
        assert answer.forest.viterbi() == answer.texts[answer.expert]
        session.correct(example(line))
        target = example(line).references[0]
        edits = {name: Ter().stats(text, [target])[0] for name, text in answer.texts.items()}
        assert history[-1][1].costs == edits and edits.keys() == PRIOR.keys()


def test_the_untouched_expert_is_the_system_without_corrections(ini):
    session, system = session_of(adapting_decoder(ini), expert=None), adapting_decoder(ini)
    plain = Decoder(read_config(ini), weights=dict(system.weights.nonzero()))
    for line in PAIRS * 2:
        texts = session.answer(example(line)).texts
        assert texts[UNTOUCHED] == plain.translate(example(line)).viterbi()
        session.correct(example(line))


def test_a_word_that_the_system_does_not_know_is_used_at_once_and_other_rules_when_they_have_saved_work(ini):
    session = session_of(adapting_decoder(ini), expert=None)
    session.correct(example("la casa es zorgulo ||| the house is dragon"))
    answer = session.answer(example("zorgulo es verde"))
    assert answer.expert == CERTAIN and "dragon" in answer.forest.viterbi()
    assert "zorgulo" in answer.texts[UNTOUCHED]
    words = {"la": "the", "casa": "building", "es": "is", "muy": "very", "verde": "green"}
    sentences = [one for one in permutations(words, 3) if "casa" in one]  # no two of them are close
    for one in sentences[:-1]:
        session.answer(example(" ".join(one)))
        session.correct(example(f"{' '.join(one)} ||| {' '.join(map(words.get, one))}"))
    answer = session.answer(example(" ".join(sentences[-1])))
    assert answer.expert in (ADAPTED, LEARNED)
    assert "building" in answer.forest.viterbi().split()
    assert "building" not in answer.texts[CERTAIN].split()


def test_a_sentence_that_was_corrected_comes_back_as_it_was_corrected(ini):
    session = session_of(adapting_decoder(ini), expert=None)
    session.correct(example("la casa es muy verde ||| my home is ever so green"))
    answer = session.answer(example("la casa es muy verde"))
    assert answer.expert == CERTAIN and answer.forest.viterbi() == "my home is ever so green"
    assert answer.texts[UNTOUCHED] != answer.texts[CERTAIN]


def test_an_expert_can_be_shown_always(ini):
    for name in PRIOR:
        session = session_of(adapting_decoder(ini), expert=name)
        teach(session, PAIRS)
        assert session.answer(example(PAIRS[0])).expert == name
    with pytest.raises(ValueError, match="one of certain, untouched, adapted, learned, got 'all'"):
        LiveSession(adapting_decoder(ini), Mira.paper(), expert="all")


def test_a_resumed_session_trusts_the_same_experts(ini):
    whole = session_of(adapting_decoder(ini), expert=None)
    history = history_of(whole)
    teach(whole, PAIRS[:3])
    state, past = whole.get_state(), list(history)
    teach(whole, PAIRS[3:])
    resumed = session_of(adapting_decoder(ini), expert=None, clock=lambda: 1003.0)
    assert resumed.resume(state, history) == len(PAIRS) - 3
    assert resumed.parts.experts.trust == whole.parts.experts.trust
    assert [replace(event, time=0.0) for _, event in past] == [
        replace(event, time=0.0) for _, event in history[:3]
    ]
    for line in PAIRS:
        one, other = resumed.answer(example(line)), whole.answer(example(line))
        assert (one.expert, one.texts) == (other.expert, other.texts)

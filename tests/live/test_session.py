from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from support.brute_force_extraction import Limits, brute_force
from support.brute_force_model import scores
from support.command import call
from support.sessions import (
    DRAGON,
    PAIRS,
    RESTORED,
    VOTES,
    WITHDRAWN,
    adapting_decoder,
    example,
    history_of,
    session_of,
    teach,
)
from support.world import write_parallel_text

from hopefear import _native
from hopefear.base import InputError
from hopefear.decoder import Lattice, Segment, create_consensus, read_config
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import (
    CDEC_FEATURES,
    POST_EDIT_NEW,
    POST_EDIT_ONLY,
    POST_EDIT_SHARE,
    POST_EDIT_SUPPORT,
)
from hopefear.live import (
    POST_EDIT_MODEL,
    AdaptingDecoder,
    Corrected,
    Forget,
    LiveSession,
    RuleRestored,
    RuleSides,
    RuleWithdrawn,
    Shown,
    Withdrawn,
)
from hopefear.live.corrections_model import DISCOUNT, ORDER, SHARE
from hopefear.tuners import Mira
from hopefear.tuners.catalogue import known_learners, make_learner


def weights_of(session):
    session.translate(example("la casa"))
    return dict(session.weights.nonzero())


def test_an_unknown_word_is_known_after_one_correction(ini):
    session = session_of(adapting_decoder(ini))
    segment = example("la casa es zorgulo ||| the house is dragon")
    assert "zorgulo" in session.translate(segment).viterbi()
    change = session.correct(segment)
    assert (3, 3) in change.correction.links
    assert change.update is not None and change.error is None
    assert session.translate(example("zorgulo es verde")).viterbi() == "dragon is green"
    learned = {(rule.source, rule.target) for rule in session.learned_rules(example("zorgulo"))}
    assert (("zorgulo",), ("dragon",)) in learned


def test_a_consensus_is_shown_and_the_model_learns(tmp_path):
    decoder = adapting_decoder(VOTES.write(tmp_path), weights={"p": 1.0})
    for expert in ("learned", None):
        session = session_of(decoder, expert=expert, consensus=create_consensus("linear"))
        answer = session.answer(example("a"))
        assert session.translate(example("a")).viterbi() == answer.shown.viterbi() == "w x"
        assert answer.forest.viterbi() == answer.learning.viterbi() == "u v"
        assert expert or answer.untouched == "w x"
        event = session.accept(example("a ||| u v"))
        assert event.shown.text == "w x"
        assert expert or set(event.costs.values()) == {2.0}  # what was shown costs, not the model's best


def test_what_an_expert_is_never_to_have_does_not_count_in_confidence(ini):
    answers = []
    for lines in (["zorgulo ||| dragon"], ["zorgulo ||| dragon", "la casa ||| the palace"]):
        session = session_of(adapting_decoder(ini), expert=None)
        teach(session, lines)
        answers.append(session.answer(example("casa zorgulo")))
    one, other = answers
    assert one.expert == other.expert == "certain"
    assert one.forest.npaths < other.forest.npaths
    assert one.shown.word_confidence() == pytest.approx(other.shown.word_confidence())
    for each in answers:  # it is of the same decoder, with the models of which a completion asks
        assert each.shown.weights is each.forest.weights
        assert each.shown.models == each.forest.models


def test_an_expert_without_anything_of_corrections_has_the_forest_of_the_untouched_system(ini):
    session = session_of(adapting_decoder(ini), expert=None)
    session.correct(example("la casa ||| the palace"))
    answer = session.answer(example("casa la"))
    session = session_of(adapting_decoder(ini), expert="untouched")
    untouched = session.translate(example("casa la"))
    assert answer.expert in ("certain", "untouched")
    assert list(answer.forest.kbest(100)) == list(untouched.kbest(100))
    assert answer.learning.npaths > untouched.npaths


def test_only_what_is_asked_for_learns(ini):
    for rules, model in ((True, False), (False, True), (False, False)):
        session = session_of(adapting_decoder(ini, rules=rules, model=model))
        session.correct(example("la casa es zorgulo ||| the house is dragon"))
        forest = session.translate(example("zorgulo es verde"))
        assert ("dragon" in forest.viterbi()) == rules
        assert (POST_EDIT_MODEL in next(forest.kbest_features(1))) == model


def test_the_weights_learn_from_the_translation_before_rules_and_model(ini):
    """The step of the weights is that of a session in which nothing else learns."""
    both, alone = (session_of(adapting_decoder(ini, rules=on, model=on)) for on in (True, False))
    first = example(PAIRS[1])
    one, other = both.correct(first).update, alone.correct(first).update
    assert one is not None and other is not None
    assert (one.change, one.loss, one.hinge) == (other.change, other.loss, other.hinge)


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    """Return the folder of a system that was built."""
    folder = tmp_path_factory.mktemp("system")
    write_parallel_text(folder, 30)
    build = "build -s train.f -t train.e -a train.align -i test.f -o system --discount-fallback --order 2"
    done = call(build.split(), b"", folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_a_prepared_sentence_is_translated_as_any_other(system):
    lines = ["veo la casa dorada ||| i see the golden house", "veo la mesa dorada ||| i see the golden table"]
    shown = []
    for prepares in (False, True):
        decoder = AdaptingDecoder(read_config(system / "system/cdec.ini"), rules=True, model=True, weights={})
        session = session_of(decoder)
        for line in lines:
            if prepares:
                session.prepare(example(lines[-1]))
                session.foresee(example(lines[-1]))
            answer = session.answer(example(line))
            shown.append([*answer.shown.kbest(5), answer.shown.viterbi_score(), answer.texts])
            session.correct(example(line))
        lattice = Segment.from_input("((('la',0,1),),)")  # it has no rules
        assert session.prepare(lattice) is session.foresee(lattice) is None
    assert shown[:2] == shown[2:]


def test_rules_of_a_built_text_stay_and_corrections_add_to_them(system):
    decoder = AdaptingDecoder(read_config(system / "system/cdec.ini"), rules=True, model=True, weights={})
    session = session_of(decoder)
    text = [
        (source.split(), target.split(), [tuple(map(int, link.split("-"))) for link in links.split()])
        for source, target, links in zip(
            *((system / f"train.{side}").read_text().splitlines() for side in ("f", "e", "align")),
            strict=True,
        )
    ]
    examples = [
        "veo la casa dorada ||| i see the golden house",
        "tengo la mesa roja ||| i have the red table",
    ]
    for line in examples:
        change = session.correct(example(line))
        text.append((list(change.correction.source), list(change.correction.target), change.correction.links))
    tokens = ["veo", "la", "mesa", "dorada"]
    before = brute_force(text[:-2], tokens, Limits())
    expected = brute_force(text, tokens, Limits(), len(text) - 2)
    got = {}
    for rule in session.text.grammar(tuple(tokens)):
        sides = (
            tuple(s if isinstance(s, str) else f"[X,{s if isinstance(s, int) else s[1]}]" for s in side)
            for side in (rule.source, rule.target)
        )
        got[tuple(sides)] = rule.features
    assert got.keys() == expected.keys()
    for rule, (features, _) in expected.items():
        values = before[rule][0] if rule in before else features
        known = {name: values[name] for name in CDEC_FEATURES}
        assert {name: got[rule][name] for name in known} == pytest.approx(known, abs=1e-5)
        assert got[rule][POST_EDIT_SUPPORT] == features[POST_EDIT_SUPPORT]
        is_new = "dorada" in rule[0]  # which the text does not have
        assert got[rule][POST_EDIT_NEW] == (rule not in before and is_new)
        assert got[rule][POST_EDIT_ONLY] == (rule not in before and not is_new)
    for source in {source for source, _ in got}:
        alike = [rule for rule in got if rule[0] == source]
        own = {rule: pairs_of(expected, rule) - pairs_of(before, rule) for rule in alike}
        for rule in alike:
            share = own[rule] / sum(own.values()) if sum(own.values()) else None
            values = (before if rule in before else expected)[rule][0]
            ratio = 1.0 if share is None else 0.5 + 0.5 * share * 10 ** values["EgivenFCoherent"]
            assert got[rule][POST_EDIT_SHARE] == pytest.approx(math.log10(ratio), abs=1e-5)
    supported = {rule for rule, features in got.items() if features[POST_EDIT_SUPPORT]}
    assert (("dorada",), ("golden",)) in supported
    assert 0 < len(supported) < len(got)
    # The rules of the decoder are these: the grammar of the configuration is not read.
    assert session.translate(example("veo la mesa dorada")).viterbi() == "i see the golden table"
    assert decoder.config.grammars == []
    assert decoder.unmatched_weights() == []


def pairs_of(rules, rule):
    """Return how often a rule was extracted."""
    return round(10 ** rules[rule][0]["CountEF"] - 1) if rule in rules else 0


def test_the_model_is_that_of_the_corrected_text(ini):
    session = session_of(adapting_decoder(ini))
    teach(session, PAIRS)
    text = [example(line).references[0].split() for line in PAIRS]
    sentence = ["the", "green", "dragon", "is", "a", "house"]
    own = scores(text, sentence, lambda word: 1e-5, order=ORDER, discount=DISCOUNT, continuation=True)
    expected = [math.log10(1 - SHARE + SHARE * 10**score) for score in own]
    assert session.parts.model.native.scores(sentence) == pytest.approx(expected, abs=1e-5)


def test_forests_of_an_answer_get_the_weights_of_their_session_also_after_another_one(ini):
    decoder, segment = adapting_decoder(ini), example("la casa es muy verde")
    one, other = (session_of(decoder) for _ in range(2))
    teach(one, PAIRS)
    score = one.answer(segment).learning.viterbi_score()
    assert other.answer(segment).learning.viterbi_score() < score - 1
    forest = one.answer(segment).learning
    forest.reweight()
    assert forest.viterbi_score() == pytest.approx(score, abs=1e-5)


def test_sessions_of_one_decoder_know_nothing_of_each_other(ini):
    decoder = adapting_decoder(ini)
    first, second = session_of(decoder), session_of(decoder)
    lines = [PAIRS[:4], PAIRS[2:][::-1]]
    for one, other in zip(*lines, strict=True):
        teach(first, [one])
        teach(second, [other])
    for session, own in zip((first, second), lines, strict=True):
        alone = session_of(adapting_decoder(ini))
        teach(alone, own)
        assert weights_of(session) == weights_of(alone)
        for line in PAIRS:
            assert session.translate(example(line)).viterbi() == alone.translate(example(line)).viterbi()


def in_force(session):
    """Return what is in force of a session, without the times."""
    ledger = session.active
    corrections = [replace(one, time=0.0) for one in ledger.corrections.values()]
    return corrections, ledger.withdrawn, ledger.accepted


@pytest.mark.parametrize("learner", known_learners())
def test_a_resumed_session_equals_one_that_was_never_ended(ini, learner):
    whole = session_of(adapting_decoder(ini))
    whole.tuner = make_learner(learner)
    history = history_of(whole)
    teach(whole, PAIRS[:3])
    state, past = whole.get_state(), list(history)
    facts, arrays = json.loads(json.dumps(state["facts"])), {n: a.copy() for n, a in state["arrays"].items()}
    rest = teach(whole, PAIRS[3:])
    resumed = session_of(adapting_decoder(ini), clock=lambda: 1003.0)
    resumed.tuner = make_learner(learner)
    assert resumed.resume({"facts": facts, "arrays": arrays}, past) == 0
    assert teach(resumed, PAIRS[3:]) == rest
    assert weights_of(resumed) == weights_of(whole)
    one, other = resumed.get_state(), whole.get_state()
    for name, array in other["arrays"].items():
        assert np.array_equal(one["arrays"][name], array), name
    assert in_force(resumed) == in_force(whole)


@pytest.mark.parametrize(
    ("forget", "kept"),
    [(Forget(most=2), [5, 6]), (Forget(seconds=3), [3, 4, 5, 6]), (Forget(most=3, seconds=1), [5, 6])],
)
def test_what_is_forgotten_was_never_there(ini, forget, kept):
    session = session_of(adapting_decoder(ini), forget=forget)
    teach(session, PAIRS)
    assert list(session.active.corrections) == kept
    decoder = adapting_decoder(ini)
    others = session_of(decoder, weights=decoder.weights.sibling(np.zeros(0)))
    for line in (PAIRS[number - 1] for number in kept):
        others.correct(example(line))
    words = ["el", "zorgulo", "es", "muy", "verde"]
    assert session.parts.model.native.scores(words) == pytest.approx(
        others.parts.model.native.scores(words), abs=1e-6
    )
    links = [list(correction.links) for correction in session.active.corrections.values()]
    text = [
        (correction.source, correction.target, link)
        for correction, link in zip(session.active.corrections.values(), links, strict=True)
    ]
    found = {(rule.source, rule.target) for rule in session.text.grammar(tuple(words))}
    extractor = session.decoder.text.extractor
    expected = type(extractor)(Bitext.from_pairs(text), features=extractor.features).grammar(words)
    assert found == {(rule.source, rule.target) for rule in expected}


def test_a_correction_can_be_withdrawn(ini):
    session = session_of(adapting_decoder(ini))
    teach(session, PAIRS[3:4])
    assert session.learned_rules(example("zorgulo"))
    session.take(Withdrawn(1))
    assert not session.learned_rules(example("zorgulo"))
    assert "zorgulo" in session.translate(example("zorgulo")).viterbi()
    with pytest.raises(KeyError):
        session.take(Withdrawn(1))


def says(session, line):
    return session.translate(example(line)).viterbi()


def test_a_rule_is_withdrawn_and_used_again(ini):
    session = session_of(adapting_decoder(ini))
    session.correct(example(PAIRS[3]))
    before = weights_of(session), session.parts.model.native.scores(["dragon"])
    session.take(WITHDRAWN)
    assert "zorgulo" in says(session, "zorgulo es verde") and "zorgulo" in says(session, "la casa es zorgulo")
    assert (weights_of(session), session.parts.model.native.scores(["dragon"])) == before
    session.correct(example(PAIRS[2]))  # which would teach it again
    assert "zorgulo" in says(session, "zorgulo")
    assert DRAGON not in map(RuleSides.of, session.learned_rules(example("el zorgulo")))
    assert RuleSides(("el",), ("the",)) in map(RuleSides.of, session.learned_rules(example("el zorgulo")))
    session.take(RESTORED)
    assert says(session, "zorgulo") == "dragon"


def test_what_the_system_has_is_not_withdrawn(ini):
    session = session_of(adapting_decoder(ini))
    session.correct(example(PAIRS[0]))
    session.take(RuleWithdrawn("es", "is"))
    assert says(session, "la casa es verde").split()[2] == "is"


def test_rules_that_cannot_be_withdrawn_or_restored(ini):
    session = session_of(adapting_decoder(ini))
    session.correct(example(PAIRS[3]))
    for rule in (("zorgulo", "house"), ("muy", "very")):
        for kind in (RuleWithdrawn, RuleRestored):
            with pytest.raises(KeyError):
                session.take(kind(*rule))
    gap = RuleWithdrawn("es [X,1]", "is [X,1]")
    session.take(gap)
    with pytest.raises(KeyError):
        session.take(gap)
    with pytest.raises(KeyError):
        session_of(adapting_decoder(ini, rules=False)).take(WITHDRAWN)


def test_rules_are_withdrawn_for_one_session(ini):
    decoder = adapting_decoder(ini)
    first, second = session_of(decoder), session_of(decoder)
    for session in (first, second):
        session.correct(example(PAIRS[3]))
    first.take(WITHDRAWN)
    assert (says(first, "zorgulo"), says(second, "zorgulo")) == ("zorgulo", "dragon")
    for _ in range(120):  # the text of corrections begins anew
        second.correct(example("la casa ||| the house"))
        second.take(Withdrawn(second.active.accepted))
    assert (says(first, "zorgulo"), says(second, "zorgulo")) == ("zorgulo", "dragon")


def test_a_withdrawn_rule_is_forgotten_with_the_last_correction_that_may_give_it(ini):
    session = session_of(adapting_decoder(ini), forget=Forget(most=2))
    session.correct(example(PAIRS[3]))
    session.take(WITHDRAWN)
    session.correct(example(PAIRS[2]))
    for kept in (True, False):
        session.correct(example(PAIRS[0]))
        assert (DRAGON in session.active.withdrawn) == kept
    session.correct(example("zorgulo ||| dragon"))
    assert says(session, "zorgulo") == "dragon"


@pytest.mark.parametrize(
    "text", [("", ""), ("el [X,2]", "the [X,2]"), ("el [X,1]", "the"), ("el", "[X,1] the"), ("el", "\ud800")]
)
def test_no_sides_of_a_rule(text):
    with pytest.raises(InputError, match="expected the sides of a rule"):
        RuleSides.parse(*text)


def test_memory_for_ngrams_is_bounded_when_corrections_are_forgotten(ini, monkeypatch):
    made = []
    model = _native.GrowingModel
    monkeypatch.setattr(_native, "GrowingModel", lambda **given: made.append(given) or model(**given))
    session = session_of(adapting_decoder(ini, rules=False), forget=Forget(most=2))
    for i in range(12):
        session.correct(example(f"la casa ||| the w{i} house"))
    assert len(made) > 3  # begun anew after every few corrections
    assert session.parts.model.native.scores(["w11"])[0] > session.parts.model.native.scores(["w3"])[0]


def test_what_cannot_be_learned_from(ini):
    session = session_of(adapting_decoder(ini))
    with pytest.raises(InputError, match="expected a reference"):
        session.correct(example("la casa"))
    lattice = Segment.from_input(Lattice.from_plf("((('la',0,1),),)")).with_references(("the",))
    with pytest.raises(InputError, match="got a lattice"):
        session.correct(lattice)
    for tokens, reference in ((("la", "\ud800"), "the"), (("la",), "the \ud800"), (("la casa",), "x")):
        with pytest.raises(InputError, match="valid Unicode text"):
            session.correct(Segment(tokens, references=(reference,)))
    assert session.active.accepted == 0
    long = Segment(("la",) * 1024, references=("the " * 5,))
    change = session.correct(long)
    assert "more than 1023 words" in str(change.error)
    assert change.correction.links == ()
    with pytest.raises(InputError, match="another process"):
        pickle.dumps(session.decoder)


def test_rules_are_learned_where_there_is_no_translation(ini):
    (ini.parent / "cdec.ini").write_text(ini.read_text().replace("add_pass_through_rules=true\n", ""))
    session = session_of(adapting_decoder(ini))
    change = session.correct(example("zorgulo ||| dragon"))
    assert (change.update, change.error) == (None, None)
    assert session.translate(example("zorgulo")).viterbi() == "dragon"


def test_a_failed_update_does_not_keep_rules_from_being_learned(ini):
    decoder = adapting_decoder(ini)
    weights = decoder.weights.sibling(np.zeros(0))
    weights["WordPenalty"] = 1e308
    session = session_of(decoder, weights=weights)
    change = session.correct(example("la casa es zorgulo ||| the house is dragon"))
    assert "WordPenalty has the weight 1e+308" in str(change.error)
    assert session.learned_rules(example("zorgulo"))


def test_states_that_do_not_fit(ini):
    session = session_of(adapting_decoder(ini))
    history = history_of(session)
    teach(session, PAIRS[:2])
    state = session.get_state()
    other = session_of(adapting_decoder(ini, model=False))
    with pytest.raises(InputError, match="expected a session that adapts rules of 0 sentence pairs, got"):
        other.resume(state, history)
    for change, message in (
        (
            {"events": None},
            "the state of a session; missing or wrong: events: expected a whole number, got nothing",
        ),
        ({"events": -1}, "the state of a session; missing or wrong: expected events to be at least 0"),
        ({"events": 10**400}, "the state of a session; missing or wrong: "),
        ({"events": 3}, "expected the 3 events of the session, got 2"),
    ):
        facts = {**state["facts"], "session": {**state["facts"]["session"], **change}}
        with pytest.raises(InputError, match=message):
            session_of(adapting_decoder(ini)).resume({**state, "facts": facts}, history)
    other = LiveSession(adapting_decoder(ini), Mira.paper(C=0.5))
    with pytest.raises(InputError, match=r"C=0\.1"):
        other.resume(state, history)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (Corrected(5, 0.0, example(PAIRS[0])), "expected correction 6, got 5"),
        (Corrected(6, 0.0, example(PAIRS[0]), forgets=(7,)), "7"),
        (Withdrawn(1), "1"),
        (WITHDRAWN, "dragon"),
        (RuleRestored("el", "the"), "the"),
    ],
)
@pytest.mark.parametrize("saved", [0, 8])
def test_events_that_do_not_follow(ini, event, message, saved):
    session = session_of(adapting_decoder(ini))
    state, history = session.get_state(), history_of(session)
    teach(session, PAIRS[:5])
    session.take(Withdrawn(1))
    session.take(WITHDRAWN)
    history.append(("log:8", event))
    state["facts"]["session"]["events"] = saved
    with pytest.raises(InputError, match=f"log:8: the event does not follow on those before it: .*{message}"):
        session_of(adapting_decoder(ini)).resume(state, history)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("5000", Forget(most=5000)), ("30d", Forget(seconds=2592000.0)), ("12h", Forget(seconds=43200.0))],
)
def test_what_to_forget_as_text(text, expected):
    assert Forget.parse(text) == expected


@pytest.mark.parametrize("text", ["", "0", "-1", "3w", "d", "1.5h", "0d"])
def test_wrong_text_of_what_to_forget(text):
    with pytest.raises(InputError, match="expected a number of corrections"):
        Forget.parse(text)


def test_a_correction_that_is_withdrawn_takes_its_change_of_the_weights_with_it(ini):
    session = session_of(adapting_decoder(ini))
    teach(session, PAIRS[:4])
    before = weights_of(session)
    session.correct(example(PAIRS[4]))
    learned = weights_of(session)
    session.take(Withdrawn(5))
    found = weights_of(session)
    names = {*before, *learned}
    known, changed, back = ({n: one.get(n, 0.0) for n in names} for one in (before, learned, found))
    assert back == pytest.approx(known, abs=1e-12)
    assert changed != pytest.approx(known, abs=1e-3)


def test_a_correction_that_replaces_another_takes_its_change_of_the_weights_with_it(ini):
    session = session_of(adapting_decoder(ini))
    before = weights_of(session)
    session.correct(example(PAIRS[0]))
    assert weights_of(session) != before
    # A correction that says what is said already teaches no weights.
    said = session.translate(example("casa")).viterbi()
    session.correct(example(f"casa ||| {said}"), Shown("", replaces=1))
    found = weights_of(session)
    names = {*found, *before}
    wanted = pytest.approx({name: before.get(name, 0.0) for name in names}, abs=1e-12)
    assert {name: found.get(name, 0.0) for name in names} == wanted


def test_a_resumed_session_takes_back_what_was_learned_before_its_state(ini):
    whole = session_of(adapting_decoder(ini))
    history = history_of(whole)
    teach(whole, PAIRS[:4])
    state = json.loads(json.dumps(whole.get_state()["facts"])), whole.get_state()["arrays"]
    whole.take(Withdrawn(2))
    teach(whole, PAIRS[4:])
    resumed = session_of(adapting_decoder(ini), clock=lambda: 1003.0)
    resumed.resume({"facts": state[0], "arrays": {n: a.copy() for n, a in state[1].items()}}, history)
    assert weights_of(resumed) == weights_of(whole)

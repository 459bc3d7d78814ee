from __future__ import annotations

import copy
import json
import pickle
from itertools import count

import numpy as np
import pytest
from support.brute_force_extraction import Limits, brute_force
from support.brute_force_model import scores
from support.command import call
from support.small_parallel_text import write_parallel_text
from support.small_session import LESSONS, adapting_decoder, lesson, write_system

from hopefear import _native
from hopefear.base import InputError
from hopefear.decoder import Lattice, Segment, read_config
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import CDEC_FEATURES, POST_EDIT_SUPPORT
from hopefear.live import POST_EDIT_MODEL, AdaptingDecoder, Forget, LiveSession, RuleSides
from hopefear.tuners import Mira
from hopefear.tuners.catalogue import known_learners, make_learner


@pytest.fixture
def ini(tmp_path):
    return write_system(tmp_path)


def session_of(decoder, **options):
    times = count(1000)
    return LiveSession(decoder, Mira(C=0.1), **{"clock": lambda: float(next(times)), **options})


def teach(session, lines):
    """Translate and correct; give the translations before each correction."""
    out = []
    for index, line in enumerate(lines):
        segment = lesson(line, index)
        forest = session.translate(segment)
        out.append(forest.viterbi())
        session.correct(segment, forest)
    return out


def weights_of(session):
    session.translate(lesson("la casa"))
    return dict(session.decoder.weights.nonzero())


def test_an_unknown_word_is_known_after_one_correction(ini):
    session = session_of(adapting_decoder(ini))
    segment = lesson("la casa es zorgulo ||| the house is dragon")
    assert "zorgulo" in session.translate(segment).viterbi()
    change = session.correct(segment)
    assert (3, 3) in change.correction.links
    assert change.update is not None and change.error is None
    assert session.translate(lesson("zorgulo es verde")).viterbi() == "dragon is green"
    learned = {(rule.source, rule.target) for rule in session.learned_rules(lesson("zorgulo"))}
    assert (("zorgulo",), ("dragon",)) in learned


def test_only_what_is_asked_for_learns(ini):
    for rules, model in ((True, False), (False, True), (False, False)):
        session = session_of(adapting_decoder(ini, rules=rules, model=model))
        session.correct(lesson("la casa es zorgulo ||| the house is dragon"))
        forest = session.translate(lesson("zorgulo es verde"))
        assert ("dragon" in forest.viterbi()) == rules
        assert (POST_EDIT_MODEL in next(forest.kbest_features(1))) == model


def test_the_weights_learn_from_the_translation_before_rules_and_model(ini):
    """The step of the weights is that of a session in which nothing else learns."""
    both, alone = (session_of(adapting_decoder(ini, rules=on, model=on)) for on in (True, False))
    first = lesson(LESSONS[1])
    one, other = both.correct(first).update, alone.correct(first).update
    assert one is not None and other is not None
    assert (one.change, one.loss, one.hinge) == (other.change, other.loss, other.hinge)


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    """Give the folder of a system that was built."""
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
                session.prepare(lesson(lines[-1]))
            forest = session.translate(lesson(line))
            shown.append([*forest.kbest(5), forest.viterbi_score()])
            session.correct(lesson(line), forest)
        assert session.prepare(Segment.from_input("((('la',0,1),),)")) is None  # a lattice has no rules
    assert shown[:2] == shown[2:]


def test_counts_of_a_built_text_and_of_corrections_are_added_up(system):
    decoder = AdaptingDecoder(read_config(system / "system/cdec.ini"), rules=True, model=True, weights={})
    session = session_of(decoder)
    text = [
        (source.split(), target.split(), [tuple(map(int, link.split("-"))) for link in links.split()])
        for source, target, links in zip(
            *((system / f"train.{side}").read_text().splitlines() for side in ("f", "e", "align")),
            strict=True,
        )
    ]
    lessons = ["veo la casa dorada ||| i see the golden house", "tengo la mesa roja ||| i have the red table"]
    for line in lessons:
        change = session.correct(lesson(line))
        text.append((list(change.correction.source), list(change.correction.target), change.correction.links))
    tokens = ["veo", "la", "mesa", "dorada"]
    expected = brute_force(text, tokens, Limits(), len(text) - 2)
    names = [*CDEC_FEATURES, POST_EDIT_SUPPORT]
    got = {}
    for rule in session._text.grammar(tuple(tokens)):
        sides = (
            tuple(s if isinstance(s, str) else f"[X,{s if isinstance(s, int) else s[1]}]" for s in side)
            for side in (rule.source, rule.target)
        )
        got[tuple(sides)] = rule.features
    assert got.keys() == expected.keys()
    for rule, (features, _) in expected.items():
        assert got[rule] == pytest.approx({name: features[name] for name in names}, abs=1e-5)
    supported = {rule for rule, features in got.items() if features[POST_EDIT_SUPPORT]}
    assert (("dorada",), ("golden",)) in supported
    assert 0 < len(supported) < len(got)
    # The rules of the decoder are these: the grammar of the configuration is not read.
    assert session.translate(lesson("veo la mesa dorada")).viterbi() == "i see the golden table"
    assert decoder.config.grammars == []
    assert decoder.unmatched_weights() == []


def test_the_model_is_that_of_the_corrected_text(ini):
    session = session_of(adapting_decoder(ini))
    teach(session, LESSONS)
    text = [lesson(line).references[0].split() for line in LESSONS]
    sentence = ["the", "green", "dragon", "is", "a", "house"]
    expected = scores(text, sentence, lambda word: 1e-5, order=3, discount=0.9, continuation=True)
    assert session._model.scores(sentence) == pytest.approx(expected, abs=1e-5)


def test_sessions_of_one_decoder_know_nothing_of_each_other(ini):
    decoder = adapting_decoder(ini)
    first, second = session_of(decoder), session_of(decoder)
    lines = [LESSONS[:4], LESSONS[2:][::-1]]
    for one, other in zip(*lines, strict=True):
        teach(first, [one])
        teach(second, [other])
    for session, own in zip((first, second), lines, strict=True):
        alone = session_of(adapting_decoder(ini))
        teach(alone, own)
        assert weights_of(session) == weights_of(alone)
        for line in LESSONS:
            assert session.translate(lesson(line)).viterbi() == alone.translate(lesson(line)).viterbi()


@pytest.mark.parametrize("learner", known_learners())
def test_a_resumed_session_equals_one_that_was_never_ended(ini, learner):
    whole = session_of(adapting_decoder(ini))
    whole.tuner = make_learner(learner)
    teach(whole, LESSONS[:3])
    state = json.loads(json.dumps(whole.get_state()["facts"])), whole.get_state()["arrays"]
    rest = teach(whole, LESSONS[3:])
    resumed = LiveSession(adapting_decoder(ini), make_learner(learner), clock=lambda: 1003.0)
    resumed.set_state({"facts": state[0], "arrays": {name: a.copy() for name, a in state[1].items()}})
    assert teach(resumed, LESSONS[3:]) == rest
    assert weights_of(resumed) == weights_of(whole)
    one, other = resumed.get_state(), whole.get_state()
    for name, array in other["arrays"].items():
        assert np.array_equal(one["arrays"][name], array), name
    saved = [copy.deepcopy(state["facts"]["session"]["corrections"]) for state in (one, other)]
    for correction in (*saved[0], *saved[1]):
        del correction["time"]
    assert saved[0] == saved[1]


@pytest.mark.parametrize(
    ("forget", "kept"),
    [(Forget(most=2), [5, 6]), (Forget(seconds=3), [3, 4, 5, 6]), (Forget(most=3, seconds=1), [5, 6])],
)
def test_what_is_forgotten_was_never_there(ini, forget, kept):
    session = session_of(adapting_decoder(ini), forget=forget)
    teach(session, LESSONS)
    assert list(session.corrections) == kept
    assert len(session.get_state()["facts"]["session"]["corrections"]) == len(kept)
    others = session_of(adapting_decoder(ini))
    others.decoder.first_weights[:] = 0
    for line in (LESSONS[number - 1] for number in kept):
        others.correct(lesson(line))
    words = ["el", "zorgulo", "es", "muy", "verde"]
    assert session._model.scores(words) == pytest.approx(others._model.scores(words), abs=1e-6)
    links = [list(correction.links) for correction in session.corrections.values()]
    text = [
        (correction.source, correction.target, link)
        for correction, link in zip(session.corrections.values(), links, strict=True)
    ]
    found = {(rule.source, rule.target) for rule in session._text.grammar(tuple(words))}
    extractor = session.decoder.text.extractor
    expected = type(extractor)(Bitext.from_pairs(text), features=extractor.features).grammar(words)
    assert found == {(rule.source, rule.target) for rule in expected}


def test_a_correction_can_be_withdrawn(ini):
    session = session_of(adapting_decoder(ini))
    teach(session, LESSONS[3:4])
    assert session.learned_rules(lesson("zorgulo"))
    session.withdraw(1)
    assert not session.learned_rules(lesson("zorgulo"))
    assert "zorgulo" in session.translate(lesson("zorgulo")).viterbi()
    with pytest.raises(KeyError):
        session.withdraw(1)


DRAGON = RuleSides(("zorgulo",), ("dragon",))


def says(session, line):
    return session.translate(lesson(line)).viterbi()


def test_a_rule_is_withdrawn_and_used_again(ini):
    session = session_of(adapting_decoder(ini))
    session.correct(lesson(LESSONS[3]))
    before = weights_of(session), session._model.scores(["dragon"])
    session.withdraw_rule(DRAGON)
    assert "zorgulo" in says(session, "zorgulo es verde") and "zorgulo" in says(session, "la casa es zorgulo")
    assert (weights_of(session), session._model.scores(["dragon"])) == before
    session.correct(lesson(LESSONS[2]))  # which would teach it again
    assert "zorgulo" in says(session, "zorgulo")
    assert DRAGON not in map(RuleSides.of, session.learned_rules(lesson("el zorgulo")))
    assert RuleSides(("el",), ("the",)) in map(RuleSides.of, session.learned_rules(lesson("el zorgulo")))
    session.allow_rule(DRAGON)
    assert says(session, "zorgulo") == "dragon"


def test_what_the_system_has_is_not_withdrawn(ini):
    session = session_of(adapting_decoder(ini))
    session.correct(lesson(LESSONS[0]))
    session.withdraw_rule(RuleSides(("es",), ("is",)))
    assert says(session, "la casa es verde").split()[2] == "is"


def test_rules_that_cannot_be_withdrawn_or_allowed(ini):
    session = session_of(adapting_decoder(ini))
    session.correct(lesson(LESSONS[3]))
    for rule in (RuleSides(("zorgulo",), ("house",)), RuleSides(("muy",), ("very",))):
        with pytest.raises(KeyError):
            session.withdraw_rule(rule)
        with pytest.raises(KeyError):
            session.allow_rule(rule)
    gap = RuleSides.parse("es [X,1]", "is [X,1]")
    session.withdraw_rule(gap)
    with pytest.raises(KeyError):
        session.withdraw_rule(gap)
    with pytest.raises(KeyError):
        session_of(adapting_decoder(ini, rules=False)).withdraw_rule(DRAGON)


def test_rules_are_withdrawn_for_one_session(ini):
    decoder = adapting_decoder(ini)
    first, second = session_of(decoder), session_of(decoder)
    for session in (first, second):
        session.correct(lesson(LESSONS[3]))
    first.withdraw_rule(DRAGON)
    assert (says(first, "zorgulo"), says(second, "zorgulo")) == ("zorgulo", "dragon")
    for _ in range(120):  # the text of corrections begins anew
        second.correct(lesson("la casa ||| the house"))
        second.withdraw(second.accepted)
    assert (says(first, "zorgulo"), says(second, "zorgulo")) == ("zorgulo", "dragon")


def test_a_withdrawn_rule_is_forgotten_with_the_last_correction_that_may_give_it(ini):
    session = session_of(adapting_decoder(ini), forget=Forget(most=2))
    session.correct(lesson(LESSONS[3]))
    session.withdraw_rule(DRAGON)
    session.correct(lesson(LESSONS[2]))
    for kept in (True, False):
        session.correct(lesson(LESSONS[0]))
        assert (DRAGON in session.withdrawn) == kept
    session.correct(lesson("zorgulo ||| dragon"))
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
        session.correct(lesson(f"la casa ||| the w{i} house"))
    assert len(made) > 3  # begun anew after every few corrections
    assert session._model.scores(["w11"])[0] > session._model.scores(["w3"])[0]


def test_what_cannot_be_learned_from(ini):
    session = session_of(adapting_decoder(ini))
    with pytest.raises(InputError, match="expected a reference"):
        session.correct(lesson("la casa"))
    lattice = Segment.from_input(Lattice.from_plf("((('la',0,1),),)")).with_references(("the",))
    with pytest.raises(InputError, match="got a lattice"):
        session.correct(lattice)
    for tokens, reference in ((("la", "\ud800"), "the"), (("la",), "the \ud800"), (("la casa",), "x")):
        with pytest.raises(InputError, match="valid Unicode text, without blanks"):
            session.correct(Segment(tokens, references=(reference,)))
    assert session.accepted == 0
    long = Segment(("la",) * 1024, references=("the " * 5,))
    change = session.correct(long)
    assert "more than 1023 words" in str(change.error)
    assert change.correction.links == ()
    with pytest.raises(InputError, match="another process"):
        pickle.dumps(session.decoder)


def test_rules_are_learned_where_there_is_no_translation(ini):
    (ini.parent / "cdec.ini").write_text(ini.read_text().replace("add_pass_through_rules=true\n", ""))
    session = session_of(adapting_decoder(ini))
    change = session.correct(lesson("zorgulo ||| dragon"))
    assert (change.update, change.error) == (None, None)
    assert session.translate(lesson("zorgulo")).viterbi() == "dragon"


def test_a_failed_update_does_not_keep_rules_from_being_learned(ini):
    session = session_of(adapting_decoder(ini))
    session.decoder.first_weights[:] = 0
    session._weights[session.decoder.weights.id("WordPenalty")] = 1e308
    change = session.correct(lesson("la casa es zorgulo ||| the house is dragon"))
    assert change.error is None or "learned" in str(change.error) or "finite" in str(change.error)
    assert session.learned_rules(lesson("zorgulo"))


def test_states_that_do_not_fit(ini):
    session = session_of(adapting_decoder(ini))
    teach(session, LESSONS[:4])
    session.withdraw_rule(DRAGON)
    state = session.get_state()
    other = session_of(adapting_decoder(ini, model=False))
    with pytest.raises(InputError, match="expected a session that adapts rules of 0 sentence pairs, got"):
        other.set_state(state)

    def broken(change):
        facts = json.loads(json.dumps(state["facts"]))
        change(facts["session"])
        return {"facts": facts, "arrays": state["arrays"]}

    fresh = session_of(adapting_decoder(ini))
    for change in (
        lambda s: s.pop("accepted"),
        lambda s: s.update(accepted=1),
        lambda s: s.update(corrections=s["corrections"][::-1]),
        lambda s: s["corrections"][0].update(links=[[9, 0]]),
        lambda s: s["corrections"][0].update(source=["a b"]),
        lambda s: s["corrections"][0].update(time="now"),
        lambda s: s["corrections"][0].pop("target"),
        lambda s: s.pop("withdrawn"),
        lambda s: s["withdrawn"][0].pop(),
        lambda s: s["withdrawn"][0].__setitem__(2, 9),
        lambda s: s["withdrawn"][0].__setitem__(1, 9),
    ):
        with pytest.raises(InputError, match="the state of a session; missing or wrong"):
            fresh.set_state(broken(change))
        assert fresh.accepted == 0 and not fresh.corrections
    other = LiveSession(adapting_decoder(ini), Mira(C=0.5))
    with pytest.raises(InputError, match=r"C=0\.1"):
        other.set_state(state)


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

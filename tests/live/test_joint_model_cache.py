from __future__ import annotations

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest
from support.joint_derivations import all_translations
from support.joint_networks import last_layer, log_probability, network, random_grammar, write_systems
from support.sessions import example, history_of, session_of

from hopefear.decoder import Context, Decoder, read_config
from hopefear.live import AdaptingDecoder, Forget, Shown, Withdrawn
from hopefear.live.joint_model_cache import MOST, PRIOR, SHARPNESS
from hopefear.tuners.joint import JointNetwork, affiliations

WEIGHTS = {"p": -0.5, "PassThrough": -1.0, "Glue": 0.1, "JointModel": 0.7, "PostEditJointModel": 0.4}
PAIRS = ["a b ||| x z", "b c a ||| y new u x", "a ||| z", "c c ||| z u z u", "b a b ||| y x y", "a c ||| w v"]


class Cache:
    """The definition: what a cache adds to the log probability of a word."""

    def __init__(self, net: JointNetwork) -> None:
        self.net = net
        self.entries: list[tuple[str, str, np.ndarray]] = []

    @staticmethod
    def at(source: list[str], place: int) -> str:
        return "<s>" if place < 0 else source[place] if place < len(source) else "</s>"

    def read(self, source: list[str], target: list[str], places: list[int]):
        """Go through the words of a sentence: those before, the word and its affiliation."""
        places, history = [*places], self.net.history.shape[1]
        if self.net.right_to_left:
            target, places = target[::-1], places[::-1]
        words = ["<s>"] * history + target + ["</s>"]
        places.append(-1 if self.net.right_to_left else len(source))
        for i, place in enumerate(places):
            yield words[i : i + history], words[i + history], place

    def add(self, source: list[str], target: list[str], links) -> None:
        for before, word, place in self.read(source, target, affiliations(len(target), links)):
            layer = last_layer(self.net, before, source, place)
            self.entries.append((self.at(source, place), word, layer / np.linalg.norm(layer)))

    def gain(self, before, word, source, place) -> float:
        log = log_probability(self.net, before, word, source, place)
        layer = last_layer(self.net, before, source, place)
        layer = layer / np.linalg.norm(layer)
        alike = [one for one in self.entries if one[0] == self.at(source, place)][-MOST:]
        counts = [math.exp(SHARPNESS * (layer @ each - 1)) for _, _, each in alike]
        own = sum(k for k, (_, e, _) in zip(counts, alike, strict=True) if e == word)
        return math.log((PRIOR * math.exp(log) + own) / (PRIOR + sum(counts))) - log


def write(folder: Path, net: JointNetwork, grammar: str) -> Path:
    return write_systems(folder, net, grammar)[1]


def session(path: Path, **options):
    decoder = AdaptingDecoder(read_config(path), rules=True, model=True, weights=WEIGHTS)
    return session_of(decoder, **options)


def sentences():
    return [(line.split(" ||| ")[0].split(), line.split(" ||| ")[1].split()) for line in PAIRS]


def gains(one):
    """Return what the cache adds to each word of all sentences."""
    places = [[*range(len(source)), *[0] * len(target)][: len(target)] for source, target in sentences()]
    (part,) = one.parts.joint
    return [part.native.gains(*each, at) for each, at in zip(sentences(), places, strict=True)]


@pytest.mark.parametrize("seed", range(8))
def test_gains_are_those_of_the_definition(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    sizes = draw.randint(0, 3), draw.choice([1, 3]), 16, draw.choice([0, 16])
    net = network(seed, *sizes, right_to_left=seed % 2 == 1)
    taught = session(write(tmp_path, net, random_grammar(draw)))
    cache = Cache(net)
    for line in PAIRS * (15 if seed == 0 else 1):  # more than the entries that take part
        correction = taught.correct(example(line)).correction
        if correction.links:
            cache.add(list(correction.source), list(correction.target), correction.links)
    assert cache.entries
    for (source, target), found in zip(sentences(), gains(taught), strict=True):
        places = [*range(len(source)), *[0] * len(target)][: len(target)]
        expected = [cache.gain(*one[:2], source, one[2]) for one in cache.read(source, target, places)]
        assert found == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_all_derivations_have_the_moved_probabilities(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    net = network(seed, draw.randint(0, 3), 3, right_to_left=seed % 2 == 1)
    path = write(tmp_path, net, random_grammar(draw))
    taught, cache = session(path), Cache(net)
    for line in PAIRS:
        correction = taught.correct(example(line)).correction
        if correction.links:
            cache.add(list(correction.source), list(correction.target), correction.links)
    source = [draw.choice("abc") for _ in range(3)]
    sentence = " ".join(source)
    plain = Decoder(tmp_path / "plain.ini", weights={"p": -0.5, "PassThrough": -1.0, "Glue": 0.1})
    decoder = taught.decoder
    weights = decoder.weights.sibling(np.zeros(0))
    weights.update(WEIGHTS)
    context = taught.parts.joint[0].add_to(Context(weights), None)

    def probability(before, word, source, place) -> float:
        gain = WEIGHTS["PostEditJointModel"] * cache.gain(before, word, source, place)
        return log_probability(net, before, word, source, place) + gain / WEIGHTS["JointModel"]

    expected = all_translations(
        plain.translate(sentence),
        source,
        net.history.shape[1],
        WEIGHTS["JointModel"],
        probability,
        right_to_left=net.right_to_left,
    )
    forest = decoder.translate(sentence, context=context)
    found = sorted((forest.text(d), forest.score(d)) for d in forest.derivations(1 << 20))
    assert [text for text, _ in found] == [text for text, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-3)
    assert any(forest.features(d).get("PostEditJointModel") for d in forest.derivations(10))


@pytest.fixture
def ini(tmp_path: Path) -> Path:
    return write(tmp_path, network(3, 2, 3), random_grammar(random.Random(3)))


@pytest.mark.parametrize("replaces", [False, True])
def test_a_correction_that_is_taken_back_was_never_there(ini: Path, replaces: bool) -> None:
    one, other = session(ini), session(ini)
    for line in [*PAIRS[:2], PAIRS[4]]:
        one.correct(example(line))
    before = gains(one)
    if replaces:
        one.correct(example(PAIRS[3]), Shown("", replaces=2))
    else:
        one.take(Withdrawn(2))
    assert gains(one) != before
    for line in [PAIRS[0], PAIRS[4], *([PAIRS[3]] if replaces else [])]:
        other.correct(example(line))
    links = [[each.links for each in own.active.corrections.values()] for own in (one, other)]
    assert links[0] == links[1]
    assert gains(one) == gains(other)


def test_what_is_forgotten_was_never_there(ini: Path) -> None:
    one = session(ini, forget=Forget(most=1))
    for line in PAIRS[:2]:
        one.correct(example(line))
    part = one.parts.joint[0]
    known = gains(one)
    part.reset()
    assert gains(one) == known


@pytest.mark.parametrize("saved_after", [0, 3])
def test_a_session_that_goes_on_has_the_same_cache(ini: Path, saved_after: int) -> None:
    whole = session(ini)
    history, state = history_of(whole), whole.get_state()
    for number, line in enumerate(PAIRS, 1):
        whole.correct(example(line))
        if number == saved_after:
            state = whole.get_state()
    whole.take(Withdrawn(1))
    facts, arrays = json.loads(json.dumps(state["facts"])), {n: a.copy() for n, a in state["arrays"].items()}
    resumed = session(ini)
    resumed.resume({"facts": facts, "arrays": arrays}, history)
    assert gains(resumed) == gains(whole)
    ours, theirs = (one.translate(example("a b c")).viterbi_score() for one in (whole, resumed))
    assert ours == theirs


def test_only_experts_that_adapt_have_it(ini: Path) -> None:
    fired = {}
    for expert in ("certain", "untouched", "adapted", "learned"):
        one = session(ini, expert=expert)
        for line in PAIRS:
            one.correct(example(line))
        forest = one.translate(example("a b a"))
        fired[expert] = any("PostEditJointModel" in each for each in forest.kbest_features(10))
    assert fired == {"certain": False, "untouched": False, "adapted": True, "learned": True}


def test_it_begins_with_the_weight_of_its_model(ini: Path) -> None:
    decoder = AdaptingDecoder(read_config(ini), rules=True, model=True, weights={"JointModel": 0.7})
    assert decoder.expert_weights.of("adapted")["PostEditJointModel"] == 0.7
    assert decoder.expert_weights.of("certain")["PostEditJointModel"] == 0
    assert decoder.unmatched_weights() == []


@pytest.mark.parametrize(
    ("model", "given", "expected"), [(0.7, 1.4, 0.7), (0.7, -0.2, -0.2), (-0.3, 1.4, 0.0), (-0.3, 0.0, 0.0)]
)
def test_it_begins_with_at_most_the_weight_of_its_model(
    ini: Path, model: float, given: float, expected: float
) -> None:
    weights = {"JointModel": model, "PostEditJointModel": given}
    decoder = AdaptingDecoder(read_config(ini), rules=True, model=True, weights=weights)
    assert decoder.expert_weights.of("adapted")["PostEditJointModel"] == expected


def test_it_learns_at_most_the_weight_of_its_model(tmp_path: Path) -> None:
    path = write(tmp_path, network(6, 2, 3), random_grammar(random.Random(6)))
    weights = {**WEIGHTS, "PostEditJointModel": WEIGHTS["JointModel"]}
    decoder = AdaptingDecoder(read_config(path), rules=True, model=True, weights=weights)
    one = session_of(decoder)
    events = [*map(example, PAIRS), *(Withdrawn(number) for number in (1, 2, 5))]
    found = []
    for event in events:
        one.take(event) if isinstance(event, Withdrawn) else one.correct(event)
        found.append((one.weights["PostEditJointModel"], one.weights["JointModel"]))
    assert all(cache <= max(model, 0) for cache, model in found)
    assert len({cache for cache, model in found if cache == model}) > 2  # the bound has moved it


def test_sessions_of_one_decoder_have_caches_of_their_own(ini: Path) -> None:
    decoder = AdaptingDecoder(read_config(ini), rules=True, model=True, weights=WEIGHTS)
    first, second = session_of(decoder), session_of(decoder)
    first.correct(example(PAIRS[0]))
    assert any(any(each) for each in gains(first))
    assert not any(any(each) for each in gains(second))
    assert decoder.joint_models and len(first.parts.joint) == 1

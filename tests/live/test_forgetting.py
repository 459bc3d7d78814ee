"""A session that forgets stays as small, and knows what a session without the forgotten corrections knows."""

from __future__ import annotations

import gc
from itertools import pairwise

import pytest
from support.sessions import LIVE, PAIRS, adapting_decoder, example

from hopefear.base import InputError
from hopefear.live import Forget, LiveSession
from hopefear.tuners import Mira


class Fixed(Mira):
    """Learns no weights."""

    def partial_fit(self, *ignored):
        return None


def session_of(decoder, **options):
    return LiveSession(decoder, Fixed.paper(), clock=lambda: 0.0, expert="learned", **options)


def teach(session, lines):
    for index, line in enumerate(lines):
        session.correct(example(line, index))


def rules_of(session):
    segment = example("la casa es zorgulo y verde")
    learned = session.learned_rules(segment)
    found = [(rule.source, rule.target, rule.features, rule.alignment) for rule in learned]
    return sorted(found, key=repr), session.translate(segment).viterbi()


@pytest.fixture
def decoder(tmp_path):
    return adapting_decoder(LIVE.write(tmp_path))


def test_the_text_is_bounded_and_the_rules_are_those_of_what_is_kept(decoder, tmp_path):
    lines = [f"{line} {number % 5}" for number in range(60) for line in PAIRS]
    session, other = session_of(decoder, forget=Forget(most=4)), session_of(decoder)
    teach(other, PAIRS[:3])
    before = rules_of(other)
    sizes = []
    for begin in range(0, len(lines), 30):
        teach(session, lines[begin : begin + 30])
        sizes.append(len(decoder.text.extractor.bitext))
    assert max(sizes) <= 2 * (4 + 3) + 101 < len(lines)
    assert any(later < earlier for earlier, later in pairwise(sizes))
    (tmp_path / "fresh").mkdir()
    fresh = session_of(adapting_decoder(LIVE.write(tmp_path / "fresh")))
    teach(fresh, lines[-4:])
    assert rules_of(session) == rules_of(fresh)
    assert rules_of(other) == before


@pytest.mark.slow
def test_a_session_that_has_ended_leaves_nothing(decoder):
    sessions = 101 // len(PAIRS) + 3
    for _ in range(sessions):
        teach(session_of(decoder), PAIRS)
        gc.collect()
    assert len(decoder.text.extractor.bitext) <= 2 * len(PAIRS) + 101 < sessions * len(PAIRS)


def test_only_corrections_can_be_cut(decoder):
    extractor = decoder.text.extractor
    teach(session_of(decoder), PAIRS[:2])
    with pytest.raises(ValueError, match="expected a number of sentence pairs up to 2"):
        extractor.cut(3)
    extractor.cut(1)
    assert len(extractor.bitext) == 1


def test_a_number_of_thousands_of_digits_is_refused():
    with pytest.raises(InputError, match="expected a number of corrections"):
        Forget.parse("9" * 5000)

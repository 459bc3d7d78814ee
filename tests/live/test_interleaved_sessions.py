"""Sessions of one decoder, used in turn at every step or from two threads, are as each alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest
from support.sessions import DRAGON, PAIRS, RESTORED, WITHDRAWN, adapting_decoder, example, session_of

from hopefear.decoder import Segment
from hopefear.live import AdaptingDecoder, LiveSession, Shown, TermAdded, TermRemoved, Withdrawn
from hopefear.live.expert_search import ExpertAnswer

OTHER_PAIRS = [
    "la casa ||| the palace",
    "verde zorgulo ||| lizard green",
    "muy verde ||| so green",
    *PAIRS[2:4],
]


@pytest.fixture
def decoder(ini: Path) -> AdaptingDecoder:
    return adapting_decoder(ini)


def content(answer: ExpertAnswer) -> Any:
    best = [*answer.shown.kbest_features(5)]
    return answer.expert, answer.texts, answer.untouched, answer.forest.viterbi_score(), best


def steps(session: LiveSession, pairs: list[str]) -> Iterator[Callable[[], Any]]:
    """Iterate over one call of a method of a session after the other."""

    events = [WITHDRAWN, RESTORED, TermAdded("verde", "lime"), TermRemoved("verde", "lime"), Withdrawn(1)]
    for number, line in enumerate([*pairs, *pairs]):
        segment, document = example(line, number), number % 2
        ahead = example(pairs[(number + 1) % len(pairs)])
        yield lambda ahead=ahead: session.prepare(ahead)
        yield lambda ahead=ahead: session.foresee(ahead)
        yield lambda segment=segment, document=document: content(session.answer(segment, document))
        yield lambda segment=segment: session.translate(segment).viterbi()
        yield lambda segment=segment: session.parse(segment).npaths
        replaces = number if number == len(pairs) + 1 else None
        shown = Shown("", place=(document, number), replaces=replaces)
        accepted = list[Any]()
        yield lambda segment=segment, shown=shown, accepted=accepted: accepted.append(
            session.accept(segment, shown)
        )
        yield lambda accepted=accepted: session.learn(accepted[0]).update
        yield lambda: sorted(session.moved_weights(1000))
        yield lambda segment=segment: session.terms(segment)
        yield lambda segment=segment: sorted(map(str, session.learned_rules(segment)))
        yield lambda: session.gives(DRAGON)
        if number >= len(pairs) and events and (events[0] is not WITHDRAWN or session.gives(DRAGON)):
            event = events.pop(0)
            yield lambda event=event: session.take(event)
        yield lambda: session.get_state()["facts"]["session"]
        yield lambda: dict(session.weights.nonzero())


def results(session: LiveSession, pairs: list[str]) -> list[Any]:
    return [step() for step in steps(session, pairs)]


def alone(ini: Path, pairs: list[str], **options: Any) -> list[Any]:
    return results(session_of(adapting_decoder(ini), **options), pairs)


@pytest.mark.parametrize("expert", [None, "learned", "adapted"])
def test_two_sessions_in_turn_are_as_each_alone(
    ini: Path, decoder: AdaptingDecoder, expert: str | None
) -> None:
    expected = [alone(ini, pairs, expert=expert) for pairs in (PAIRS, OTHER_PAIRS)]
    both = [steps(session_of(decoder, expert=expert), pairs) for pairs in (PAIRS, OTHER_PAIRS)]
    found: list[list[Any]] = [[], []]
    for turn in zip_longest(*both):
        for results_of, step in zip(found, turn, strict=True):
            if step is not None:
                results_of.append(step())
    for ours, theirs in zip(found, expected, strict=True):
        assert len(ours) == len(theirs) > 100
        for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert one == other, i


@pytest.mark.parametrize("repeat", range(3))
def test_two_sessions_of_two_threads_are_as_each_alone(
    ini: Path, decoder: AdaptingDecoder, repeat: int
) -> None:
    expected = [alone(ini, pairs, expert=None) for pairs in (PAIRS, OTHER_PAIRS)]
    sessions = [session_of(decoder, expert=None) for _ in range(2)]
    found: dict[int, list[Any]] = {}
    begin = Barrier(2)

    def use(number: int) -> None:
        begin.wait()
        found[number] = results(sessions[number], (PAIRS, OTHER_PAIRS)[number])

    threads = [Thread(target=use, args=[number]) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, theirs in enumerate(expected):
        for i, (one, other) in enumerate(zip(found[number], theirs, strict=True)):
            assert one == other, i


def test_a_decoder_and_its_other_sessions_stay_as_they_were(decoder: AdaptingDecoder) -> None:
    before, other = decoder.weights.array.copy(), session_of(decoder)
    kept, line = other.weights.array.copy(), Segment.from_input("la casa es zorgulo")
    untouched = [*decoder.translate(line).kbest_features(5)], other.translate(line).viterbi_score()
    results(session_of(decoder), PAIRS)
    assert np.array_equal(decoder.weights.array[: len(before)], before)
    assert np.array_equal(other.weights.array[: len(kept)], kept)
    assert ([*decoder.translate(line).kbest_features(5)], other.translate(line).viterbi_score()) == untouched


def test_weights_of_experts_refuse_changes(decoder: AdaptingDecoder) -> None:
    for expert in ("certain", "untouched", "adapted"):
        with pytest.raises(ValueError, match="read-only"):
            decoder.expert_weights.of(expert)["WordPenalty"] = 1.0

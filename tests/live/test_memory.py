"""A memory of translations: the same sentence comes back, a close one gives its pieces."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest
from support.sessions import adapting_decoder, example, session_of, write_written_system

from hopefear.decoder import Context
from hopefear.live import MEMORY, Corrected, MemoryEntry, MemoryIndex, Shown, TranslationMemory, Withdrawn
from hopefear.live.active_corrections import ActiveCorrections
from hopefear.live.corrections import RuleSides
from hopefear.live.events import RuleWithdrawn
from hopefear.live.memory import EXACT


def distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Compute Levenshtein's distance by the table of its definition."""
    row = [*range(len(second) + 1)]
    for i, one in enumerate(first, 1):
        above, row = row, [i]
        for j, other in enumerate(second, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (one != other)))
    return row[-1]


def similarity(first: Sequence[str], second: Sequence[str]) -> float:
    return 1 - distance(first, second) / max(len(first), len(second))


def drawn(draw: random.Random, most: int) -> tuple[str, ...]:
    """Draw a sentence of words of which some are far more frequent than others."""
    return tuple(f"w{int(draw.paretovariate(0.6))}" for _ in range(draw.randint(1, most)))


def changed(draw: random.Random, words: tuple[str, ...]) -> tuple[str, ...]:
    out = list(words)
    for _ in range(draw.randint(0, 4)):
        place = draw.randrange(len(out) + 1)
        out[place : place + draw.randint(0, 2)] = drawn(draw, 2)[: draw.randint(0, 2)]
    return tuple(out) or ("w1",)


@pytest.mark.slow
@pytest.mark.parametrize("least", [0.5, 0.7, 0.85, 1.0])
def test_the_closest_entry_is_found_as_by_trying_all(least: float) -> None:
    draw = random.Random(7)
    index, sources = MemoryIndex(), list[tuple[str, ...]]()
    for number in range(500):  # more than what waits to be indexed
        longest = 70 if number % 100 == 0 else 12
        sources.append(
            changed(draw, draw.choice(sources)) if sources and draw.random() < 0.4 else drawn(draw, longest)
        )
        assert index.add(MemoryEntry(sources[-1], ("x",), ())) == number
    gone = set(draw.sample(range(500), 100))
    for number in gone:
        index.remove(number)
    found = 0
    for _ in range(120):
        query = changed(draw, draw.choice(sources))
        wanted = [
            (alike, number)
            for number, source in enumerate(sources)
            if number not in gone and (alike := similarity(query, source)) >= least - 1e-9
        ]
        found += bool(wanted)
        for most in (1, 3, 500):
            several = index.nearest(query, least, most)
            expected = sorted(wanted, reverse=True)[:most]
            assert [one for one, _ in several] == [number for _, number in expected]
            assert [one for _, one in several] == pytest.approx([alike for alike, _ in expected])
    assert found > 20


def test_an_entry_comes_back_as_it_was_added() -> None:
    index = MemoryIndex()
    entries = [
        MemoryEntry(("la", "casa"), ("the", "house"), ((0, 0), (1, 1)), ("La casa", "The house"), 3),
        MemoryEntry(("verde",), ("green", "one"), ()),
        MemoryEntry(("la", "casa"), ("the", "house"), (), ("La\ncasa", "The\nhouse")),  # texts may have lines
    ]
    assert [index.add(one) for one in entries] == [0, 1, 2]
    assert [index.entry(number) for number in range(3)] == entries


def memory_of(*lines: str, links: dict[int, str] | None = None) -> TranslationMemory:
    """Make a memory of corrections ``source ||| target ||| links``."""
    active = ActiveCorrections()
    memory = TranslationMemory(None, active)
    for number, line in enumerate(lines, 1):
        source, target, points = line.split(" ||| ")
        pairs = tuple((int(f), int(e)) for f, _, e in (point.partition("-") for point in points.split()))
        segment = example(f"{source} ||| {target}")
        memory.apply(active.apply(Corrected(number, float(number), segment, pairs)))
    return memory


def rules_of(memory: TranslationMemory, sentence: str) -> dict[tuple[str, str, str], float]:
    rules = {}
    for source, target, values, links in memory.rules(sentence.split()):
        texts = RuleSides(tuple(source), tuple(target)).texts()
        rules[(*texts, " ".join(f"{f}-{e}" for f, e in links))] = round(values[0], 6)
    return rules


HOUSE = "la casa es muy verde hoy ||| today the house is very green ||| 0-1 1-2 2-3 3-4 4-5 5-0"


def test_the_same_sentence_is_one_rule() -> None:
    memory = memory_of(HOUSE)
    rule = (*HOUSE.split(" ||| ")[:2], HOUSE.split(" ||| ")[2])
    assert rules_of(memory, "la casa es muy verde hoy") == {rule: 6 * EXACT}


def test_a_close_sentence_has_a_frame_and_pieces() -> None:
    """Of six words one is replaced: the similarity is 5/6; a rule has it for each of its words."""
    assert rules_of(memory_of(HOUSE), "la casa es muy alta hoy") == {
        ("la casa es muy [X,1] hoy", "today the house is very [X,1]", "0-1 1-2 2-3 3-4 5-0"): round(
            25 / 6, 6
        ),
        ("la casa es muy", "the house is very", "0-0 1-1 2-2 3-3"): round(20 / 6, 6),
        ("hoy", "today", "0-0"): round(5 / 6, 6),
    }


def test_words_are_inserted_and_deleted() -> None:
    memory = memory_of(HOUSE)
    assert (
        "la casa [X,1] es muy verde hoy",
        "today the house [X,1] is very green",
        "0-1 1-2 3-4 4-5 5-6 6-0",
    ) in (rules_of(memory, "la casa vieja es muy verde hoy"))
    assert ("la casa es verde hoy", "today the house is green", "0-1 1-2 2-3 3-4 4-0") in (
        rules_of(memory, "la casa es verde hoy")
    )


def test_a_gap_takes_all_words_whose_translation_it_is() -> None:
    """The words 1 and 2 of the entry are one in its translation: neither can stay without the other."""
    memory = memory_of("a b c d e f g h ||| A BC D E F G H ||| 0-0 1-1 2-1 3-2 4-3 5-4 6-5 7-6")
    rules = rules_of(memory, "a b x d e f g h")
    assert ("a [X,1] d e f g h", "A [X,1] D E F G H", "0-0 2-2 3-3 4-4 5-5 6-6") in rules
    assert not any(source.split() == ["b"] for source, _, _ in rules)


def test_gaps_may_change_places_and_a_third_one_is_too_many() -> None:
    crossed = "a b c d e f g h i j ||| A H C D E F G B I J ||| 0-0 1-7 2-2 3-3 4-4 5-5 6-6 7-1 8-8 9-9"
    rules = rules_of(memory_of(crossed), "a x c d e f g y i j")
    assert (
        "a [X,1] c d e f g [X,2] i j",
        "A [X,2] C D E F G [X,1] I J",
        "0-0 2-2 3-3 4-4 5-5 6-6 8-8 9-9",
    ) in rules
    plain = "a b c d e f g h i j ||| A B C D E F G H I J ||| " + " ".join(f"{n}-{n}" for n in range(10))
    rules = rules_of(memory_of(plain), "a x c d y f g z i j")
    assert rules and not any("[X,1]" in source for source, _, _ in rules)


def test_rules_of_random_pairs_are_rules() -> None:
    """Whatever the links: a frame's words and the gaps spell the sentence, and each rule is one."""
    draw, frames, whole = random.Random(3), 0, 0
    for _ in range(400):
        source, target = (tuple(f"{side}{n}" for n in range(draw.randint(4, 12))) for side in "fe")
        links = sorted({(draw.randrange(len(source)), draw.randrange(len(target))) for _ in range(9)})
        points = " ".join(f"{f}-{e}" for f, e in links)
        memory = memory_of(f"{' '.join(source)} ||| {' '.join(target)} ||| {points}")
        query = list(source)
        for _ in range(draw.randint(1, 2)):
            place = draw.randrange(len(query) + 1)
            query[place : place + draw.randint(0, 2)] = ["x"] * draw.randint(0, 2)
        for made in memory.add_to(Context(), None).grammars[0].grammars(example(" ".join(query))):
            for rule in made:
                spelt = " ".join(w if isinstance(w, str) else r"\S+( \S+)*" for w in rule.source)
                whole += re.fullmatch(spelt, " ".join(query)) is not None
                words = [symbol for symbol in rule.source if isinstance(symbol, str)]
                kept = iter(query)
                assert all(word in kept for word in words)
                order = [e for e in rule.target if isinstance(e, str)]
                rest = iter(target)
                assert len(set(order)) == len(order)
                gaps = len(rule.source) - len(words)
                frames += gaps > 0
                assert not gaps or re.fullmatch(spelt, " ".join(query))
                if not gaps:
                    assert all(word in rest for word in order)
                for f, e in rule.alignment:
                    pair = (source.index(rule.source[f]), target.index(rule.target[e]))  # type: ignore[arg-type]
                    assert pair in links
    assert frames > 100 and whole > 100


def test_the_latest_correction_wins_and_one_of_the_same_document_before_it() -> None:
    active = ActiveCorrections()
    memory = TranslationMemory(None, active)
    for number, (document, word) in enumerate(((1, "one"), (2, "two"), (1, "three"), (3, "four")), 1):
        shown = Shown("", place=(document, 0))
        event = Corrected(number, 0.0, example(f"la casa ||| {word}"), (), shown)
        memory.apply(active.apply(event))

    def found(document: int | None = None) -> str:
        entry = memory.close(("la", "casa"), 1.0, document)
        assert entry is not None
        return entry[0].target[0]

    assert [found(), found(1), found(2), found(9)] == ["four", "three", "two", "four"]
    memory.apply(active.apply(Withdrawn(4)))
    assert found() == "three"
    memory.reset()
    assert [found(), found(2)] == ["three", "two"]
    assert memory.close(("casa",), 1.0) is None and memory.close((), 1.0) is None


def test_a_withdrawn_rule_is_in_no_rule_of_the_memory() -> None:
    active = ActiveCorrections()
    memory = TranslationMemory(None, active)
    points = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0))
    segment = example("la casa es muy verde hoy ||| today the house is very green")
    memory.apply(active.apply(Corrected(1, 0.0, segment, points)))
    active.apply(RuleWithdrawn("casa", "house"))
    assert set(rules_of(memory, "la casa es muy alta hoy")) == {("hoy", "today", "0-0")}
    assert rules_of(memory, "la casa es muy verde hoy") == {}
    active.withdrawn.clear()
    active.apply(RuleWithdrawn("la [X,1]", "the [X,1]"))
    assert set(rules_of(memory, "la casa es muy alta hoy")) == {("hoy", "today", "0-0")}


def test_a_session_gives_a_corrected_sentence_back(ini) -> None:
    decoder = adapting_decoder(ini)
    session = session_of(decoder)
    line = "la casa es muy verde la casa es muy verde la casa es verde"  # more words than a rule may cover
    session.correct(example(f"{line} ||| the house looks green all over and so on"))
    forest = session.translate(example(line))
    assert forest.viterbi() == "the house looks green all over and so on"
    assert next(forest.kbest_features(1))[MEMORY] == EXACT * len(line.split())
    assert "looks green" not in session_of(decoder).translate(example(line)).viterbi()
    session.take(Withdrawn(1))
    assert "looks green" not in session.translate(example(line)).viterbi()


def test_the_correction_of_the_present_document_comes_back_in_it(ini) -> None:
    session, line = session_of(adapting_decoder(ini)), "la casa es muy verde"
    for document, target in ((1, "this house is very green"), (2, "that home is so green")):
        segment = example(f"{line} ||| {target}")
        session.translate(segment, document)
        session.correct(segment, Shown("", place=(document, 0)))
    said = [session.translate(example(line), document).viterbi() for document in (1, 2, 3, None)]
    assert said == ["this house is very green", *["that home is so green"] * 3]


def test_a_close_sentence_keeps_what_was_said(ini) -> None:
    session = session_of(adapting_decoder(ini))
    session.correct(example("la casa es muy verde ||| this house there is very green"))
    assert (
        session.translate(example("la casa es muy zorgulo")).viterbi() == "this house there is very zorgulo"
    )


def test_weights_alone_learn_nothing_from_a_sentence(ini) -> None:
    session = session_of(adapting_decoder(ini, rules=False))
    session.correct(example("la casa es zorgulo ||| the house is dragon"))
    assert session.memory.close(("la", "casa", "es", "zorgulo"), 1.0) is None


@pytest.mark.parametrize("rules", [True, False])
def test_files_are_in_the_memory_of_all_sessions(ini, rules: bool) -> None:
    memory = ini.with_name("m.tsv")
    memory.write_text("el zorgulo\tthe dragon\nla casa es zorgulo\tdragons live in houses\n")
    decoder = adapting_decoder(ini, rules=rules, memories=[memory])
    for _ in range(2):
        session = session_of(decoder)
        assert session.translate(example("la casa es zorgulo")).viterbi() == "dragons live in houses"
        assert session.translate(example("el zorgulo")).viterbi() == "the dragon"
        found = session.memory.close(["la", "casa", "es", "un", "zorgulo"])
        assert found is not None and found[1] == 0.8
        assert found[0].target == ("dragons", "live", "in", "houses")
    said = session.translate(example("el zorgulo es verde")).viterbi()
    assert ("dragon" in said) == rules  # the pairs are part of the text that rules come from
    session.correct(example("el zorgulo ||| the worm"))
    assert ("worm" in session.translate(example("el zorgulo")).viterbi()) == rules


def test_an_entry_has_the_pieces_of_the_sentence_at_hand(ini, tmp_path) -> None:
    """Roles and literals are placeholders: an entry matches with others of their kind."""
    memory = tmp_path / "m.tsv"
    memory.write_text("La función :func:`open` usa :func:`read`.\tWith :func:`read` works :func:`open`.\n")
    decoder = adapting_decoder(write_written_system(tmp_path), memories=[memory])
    session = session_of(decoder)
    shown = session.translate(example("La función :func:`close` usa :func:`write`.")).restored()
    assert shown.text == "With :func:`write` works :func:`close`."
    assert not shown.complaints
    found = session.memory.close(
        decoder.segment(example("La función :func:`a` usa :func:`b`.")).tokens or (), 1.0
    )
    assert found is not None
    assert found[0].written == (
        "La función :func:`open` usa :func:`read`.",
        "With :func:`read` works :func:`open`.",
    )

"""Hard terms against all derivations, written out."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import brute_force as bf
from support.brute_force import MOST, all_derivations, deterministic

from hopefear.base.errors import ParseFailed
from hopefear.decoder import Decoder, parse_line

Term = tuple[int, int, tuple[tuple[str, ...], ...]]
Links = frozenset[tuple[int, int]]
Known = set[tuple[int, tuple[str, ...]]]
"""Translations of terms that are rules by themselves."""


def links_of(rule: bf.Rule, seed: int) -> Links:
    """Some links of a rule's words; none for a third of the rules."""
    rng = random.Random(f"{seed} {rule.line()}")
    words = [
        [n for n, symbol in enumerate(side) if isinstance(symbol, str) and not isinstance(symbol, bf.NT)]
        for side in (rule.source, rule.target)
    ]
    pairs = [] if rng.random() < 0.33 else list(itertools.product(*words))
    return frozenset(rng.sample(pairs, rng.randint(0, len(pairs))))


def is_served(needed: list[Term], places: dict[int, int], rule: bf.Rule, links: Links, known: Known) -> bool:
    """Whether each term has a translation of its own among the target words."""
    choices = []
    for begin, end, translations in needed:
        linked = {e for f, e in links if begin <= places.get(f, -1) < end}
        choices.append(
            [
                range(at, at + len(words))
                for words in translations
                for at in range(len(rule.target))
                if rule.target[at : at + len(words)] == words
                and (not links or linked & {*range(at, at + len(words))} or (begin, words) in known)
            ]
        )
    return any(
        len({e for each in chosen for e in each}) == sum(map(len, chosen))
        for chosen in itertools.product(*choices)
    )


def placed(rule: bf.Rule, words: list[str], terms: list[Term], seed: int, known: Known) -> Iterator[bf.Rule]:
    """The rule for each choice of source words whose terms it keeps; a word is named by its place."""
    of_word = [n for n, symbol in enumerate(rule.source) if not isinstance(symbol, bf.NT)]
    for chosen in itertools.combinations(range(len(words)), len(of_word)):
        places = dict(zip(of_word, chosen, strict=True))
        if any(words[place] != rule.source[n] for n, place in places.items()):
            continue
        touched = [term for term in terms if {*range(*term[:2])} & {*chosen}]
        if all({*range(*term[:2])} <= {*chosen} for term in touched) and is_served(
            touched, places, rule, links_of(rule, seed), known
        ):
            source = tuple(str(places[n]) if n in places else rule.source[n] for n in range(len(rule.source)))
            yield replace(rule, source=source)


def expected(rules: list[bf.Rule], words: list[str], terms: list[Term], seed: int) -> list[bf.Derivation]:
    known = {
        (begin, translation)
        for begin, end, found in terms
        for translation in found
        if any((*rule.source,) == (*words[begin:end],) and rule.target == translation for rule in rules)
    }
    kept = [each for rule in rules for each in placed(rule, words, terms, seed, known)]
    for begin, end, translations in terms:
        source = tuple(map(str, range(begin, end)))
        known = {(rule.source, rule.target) for rule in kept if rule.lhs == "X"}
        kept += [bf.Rule("X", source, target) for target in translations if (source, target) not in known]
    return bf.derivations(kept, bf.chain([str(place) for place in range(len(words))]))


translations = st.lists(
    st.lists(st.sampled_from(bf.TARGET_WORDS), min_size=1, max_size=2).map(tuple),
    min_size=1, max_size=2, unique=True,
).map(tuple)  # fmt: skip


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[str], list[Term]]:
    words = draw(bf.sentences)
    places = sorted(draw(st.sets(st.integers(0, len(words)), min_size=2, max_size=4)))
    spans = list(itertools.pairwise(places))
    return words, [(begin, end, draw(translations)) for begin, end in spans if draw(st.booleans())]


@deterministic
@given(bf.grammars, cases(), bf.weights, st.integers(0, 99))
def test_derivations_that_translate_all_terms_remain_and_no_others(
    rules: list[bf.Rule], case: tuple[list[str], list[Term]], weights: dict[str, float], seed: int
) -> None:
    words, terms = case
    assume(terms)
    every = expected(rules, words, terms, seed)
    assume(len(every) <= MOST)
    line = list(words)
    for begin, end, found in terms:
        line[begin] = f'<x translation="{"|".join(map(" ".join, found))}">{line[begin]}'
        line[end - 1] += "</x>"
    grammar = "".join(
        f"{rule.line().rstrip()} ||| {' '.join(f'{f}-{e}' for f, e in sorted(links_of(rule, seed)))}\n"
        for rule in rules
    )
    decoder = Decoder(formalism="scfg", weights=weights)
    if not every:
        with pytest.raises(ParseFailed):
            decoder.translate(parse_line(" ".join(line)), grammar)
        return
    forest = decoder.translate(parse_line(" ".join(line)), grammar)
    assert Counter(all_derivations(forest)) == Counter(every)
    assert forest.viterbi_score() == pytest.approx(max(each.score(weights) for each in every))


def kbest(line: str, grammar: str) -> set[str]:
    return set(Decoder(formalism="scfg", weights={}).translate(parse_line(line), grammar).kbest(100))


def test_a_longer_rule_serves_a_term_by_its_links() -> None:
    grammar = "[X] ||| a b ||| u v ||| ||| {}\n[X] ||| a ||| w ||| \n[X] ||| b ||| v ||| \n"
    line = '<x translation="u">a</x> b'
    assert kbest(line, grammar.format("0-0 1-1")) == {"u v"}
    assert kbest(line, grammar.format("0-0 1-1").replace("u v", "u z")) == {"u z", "u v"}
    assert kbest(line, grammar.format("0-1 1-0").replace("u v", "u z")) == {"u v"}


def test_a_longer_rule_needs_no_link_where_the_grammars_know_the_translation() -> None:
    grammar = "[X] ||| a b ||| u z ||| ||| 0-1 1-0\n[X] ||| a ||| u |||\n[X] ||| b ||| v |||\n"
    assert kbest('<x translation="u">a</x> b', grammar) == {"u v", "u z"}


def test_a_word_serves_one_term() -> None:
    line = '<x translation="u">a</x> <x translation="u">b</x>'
    assert kbest(line, "[X] ||| a b ||| u z ||| ||| 0-0 1-0\n") == {"u u"}
    assert kbest(line, "[X] ||| a b ||| u z u ||| ||| 0-0 1-0 1-2\n") == {"u u", "u z u"}

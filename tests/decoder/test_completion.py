"""Completion against all derivations, written out."""

from __future__ import annotations

import math
import tempfile
from contextlib import suppress
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import brute_force as bf
from support.brute_force import MOST, decode, deterministic

from hopefear.decoder import Decoder, Unwanted, parse_line


def distance(a: str, b: str) -> int:
    row = [*range(len(b) + 1)]
    for i, x in enumerate(a, 1):
        row, before = [i], row
        for j, y in enumerate(b, 1):
            row.append(min(before[j - 1] + (x != y), before[j] + 1, row[-1] + 1))
    return row[-1]


def replacement(typed: str, word: str, is_open: bool) -> float:
    """Nothing for the same word, half for another form of it, else 1."""
    beginnings = [word[:n] for n in range(len(word) + 1)] if is_open else [word]
    fewest = min(distance(typed, each) for each in beginnings)
    longer = max(len(typed), min(len(word), len(typed)) if is_open else len(word))
    return 0.0 if fewest == 0 else 0.5 if 2 * fewest < longer else 1.0


def alignment(typed: list[str], words: tuple[str, ...], is_open: bool) -> list[float]:
    """The fewest edits between what has been typed and each beginning of the words."""
    row = [float(n) for n in range(len(words) + 1)]
    for k, each in enumerate(typed):
        before, row = row, [k + 1.0]
        for j, word in enumerate(words, 1):
            cost = replacement(each, word, is_open and k + 1 == len(typed))
            row.append(min(before[j - 1] + cost, before[j] + 1, row[-1] + 1))
    return row


def edits(typed: list[str], words: tuple[str, ...], is_open: bool) -> float:
    return min(alignment(typed, words, is_open))


words_typed = st.lists(st.sampled_from([*bf.TARGET_WORDS, "other", "uv"]), max_size=5)


LONG = {"u": "house", "v": "houses", "w": "mouse", "z": "other"}  # some are forms of the same word


@deterministic
@given(
    bf.cases,
    st.lists(st.sampled_from(["housed", "houses", "mice", "mouse", "another", "x"]), max_size=5),
)
def test_half_an_edit_more_is_worse_than_any_score(case: bf.Case, typed: list[str]) -> None:
    rules = [replace(rule, target=tuple(LONG.get(str(w), w) for w in rule.target)) for rule in case.rules]
    case = replace(case, rules=rules)
    every = case.derivations
    forest = case.decode()
    for n in range(len(typed) + 1):
        begun = forest.completer().after(" ".join(typed[:n]) + " ")
        needed = {each: edits(typed[:n], each.words, False) for each in every}
        fewest = min(needed.values())
        assert begun.edits == fewest
        scores = {round(d.score(case.weights), 6) for d in every if needed[d] == fewest}
        assert {round(begun.forest.score(each), 6) for each in begun.forest.derivations(50 * MOST)} == scores


@deterministic
@given(bf.cases, words_typed, st.booleans())
def test_the_best_completion_is_the_best_derivation_with_the_fewest_edits(
    case: bf.Case, typed: list[str], is_open: bool
) -> None:
    every = case.derivations
    forest = case.decode()
    completer = forest.completer()
    for n in range(len(typed) + 1):  # word by word, by the tables of the words before
        begun = completer.after(" ".join(typed[:n]) + ("" if is_open else " "))
        needed = {each: edits(typed[:n], each.words, is_open) for each in every}
        fewest = min(needed.values())
        scores = sorted((d.score(case.weights) for d in every if needed[d] == fewest), reverse=True)
        assert begun.edits == fewest
        # A derivation with two equally good alignments may come twice.
        found = [begun.forest.score(each) for each in begun.forest.derivations(50 * MOST)]
        assert found[0] == pytest.approx(scores[0])
        assert {round(score, 6) for score in found} == {round(score, 6) for score in scores}
        assert begun.forest.written().startswith(" ".join(typed[:n]))
        if fewest == 0 and not is_open:
            texts = {d.text for d in every if needed[d] == 0}
            assert {begun.forest.text(each) for each in begun.forest.derivations(50 * MOST)} == texts


@deterministic
@given(bf.cases, bf.ngram_models(), words_typed)
def test_ngram_models_see_the_typed_words(case: bf.Case, model: bf.Ngrams, typed: list[str]) -> None:
    every = bf.derivations(case.rules, bf.chain(case.words))
    assume(0 < len({each.text for each in every}) <= 50)
    assume(len(every) <= MOST)
    weights = case.weights | {"LanguageModel": 1.5, "LanguageModel_OOV": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "lm.arpa").write_text(model.arpa())
        forest = decode(
            case.rules,
            " ".join(case.words),
            weights,
            features=[f"KLanguageModel {folder}/lm.arpa"],
            intersection_strategy="full",
        )
    begun = forest.completer().after(" ".join(typed) + " ", only_best=True)
    rows = {each: alignment(typed, each.words, False) for each in every}
    fewest = min(map(min, rows.values()))
    best: dict[tuple[str, ...], tuple[float, float]] = {}  # of the derivations with the same words
    for each in every:
        if min(rows[each]) == fewest:
            boundary = max(n for n, edited in enumerate(rows[each]) if edited == fewest)
            text = [*typed, *each.words[boundary:]]
            own = each.score(weights)
            best[each.words] = max(best.get(each.words, (-math.inf, 0)), (own, 1.5 * model.sentence(text)))
    assert begun.edits == fewest
    assert begun.forest.score(begun.forest.best()) == pytest.approx(max(map(sum, best.values())), abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_ngram_models_choose_among_the_fifty_best(seed: int, tmp_path: Path) -> None:
    numbers = Random(seed)
    rules = [bf.Rule("X", (word,), (f"{word}{i}",), (("f", -numbers.uniform(9, 11) * min(i, 1)),))
             for word in "abcd" for i in range(3)]  # fmt: skip
    # The model does not like the first word; and beside one bad rule, all scores seem near.
    rules += [bf.Rule("X", ("a", "b"), ("a9", "b9"), (("f", 12.0),))]
    rules += [bf.Rule("X", ("d",), ("d9",), (("f", -1000.0),))]
    chances = {word: -3.6 if word == "a9" else -0.1 for rule in rules for word in map(str, rule.target)}
    table = {(each,): (chances.get(each, -1.0), 0.0) for each in ("<unk>", "<s>", "</s>", *chances)}
    model = bf.Ngrams(2, table | {("a0", "b0"): (-0.1, 0.0)})  # a word's chance is always the same
    (tmp_path / "lm.arpa").write_text(model.arpa())
    weights = {"f": 1.0, "LanguageModel": 10.0}
    options = {"features": [f"KLanguageModel {tmp_path}/lm.arpa"], "intersection_strategy": "full"}
    completer = decode(rules, "a b c d", weights, **options).completer()
    every = {
        each.words: each.score(weights) + 10 * model.sentence(each.words)
        for each in bf.derivations(rules, bf.chain("abcd"))
    }
    fifty = sorted(every, key=every.__getitem__, reverse=True)[:50]
    expected = max(fifty, key=lambda words: every[words] - 10 * chances[words[0]])
    for typed in ("other", "another", "other"):  # the search begins with what the last one needed
        begun = completer.after(f"{typed} ", only_best=True)
        assert begun.forest.written() == " ".join([typed, *expected[1:]])


@deterministic
@given(bf.cases, words_typed, words_typed)
def test_another_beginning_gives_what_a_new_search_gives(
    case: bf.Case, first: list[str], then: list[str]
) -> None:
    assume(bf.derivations(case.rules, bf.chain(case.words)))
    forest = case.decode()
    forest.complete(" ".join(first))
    again = case.decode()
    assert forest.complete(" ".join(then)) == again.complete(" ".join(then))


@deterministic
@given(bf.cases, words_typed, words_typed, st.integers(0, 5))
def test_a_search_that_nobody_wants_any_more_can_go_on(
    case: bf.Case, first: list[str], then: list[str], parts: int
) -> None:
    assume(bf.derivations(case.rules, bf.chain(case.words)))
    completer = case.decode().completer()
    asked = chain(repeat(False, parts), repeat(True))
    with suppress(Unwanted):
        completer.after(" ".join(first), is_unwanted=asked.__next__)
    again = case.decode()
    assert completer.after(" ".join(then), only_best=True).forest.written() == again.complete(" ".join(then))


GRAMMAR = "[X] ||| a ||| red ||| f=1\n[X] ||| a ||| rose ||| f=0.5\n[X] ||| b ||| house ||| f=1\n"


def forest_of(line: str):
    return Decoder(formalism="scfg", weights={"f": 1.0}).translate(parse_line(line), GRAMMAR)


def test_a_word_that_is_begun_goes_on() -> None:
    forest = forest_of("a b")
    assert forest.complete("") == "red house"
    assert forest.complete("ro") == "rose house"
    assert forest.complete("ro ") == "ro house"
    assert forest.complete("blue ho") == "blue house"
    assert forest.completions("r", 5) == ["red house", "rose house"]
    nearest = forest.completer().after("r").next_words(5)
    assert [each.word for each in nearest] == ["red", "rose"]
    assert sum(each.probability for each in nearest) == pytest.approx(1)


def test_a_good_score_does_not_make_up_for_half_an_edit() -> None:
    grammar = "[X] ||| a ||| asked him ||| f=-20\n[X] ||| a ||| dad came ||| f=1\n"
    forest = Decoder(formalism="scfg", weights={"f": 1.0}).translate(parse_line("a"), grammar)
    assert forest.completions("ask ", 5) == ["ask him"]


def test_the_prefix_of_a_line_is_kept() -> None:
    assert forest_of('<seg prefix="ro">a b</seg>').written() == "ro house"
    assert forest_of('<seg prefix="rose">a b</seg>').written() == "rose house"
    begun = forest_of('<seg prefix="my own">a b</seg>')
    assert begun.written().startswith("my own")
    assert begun.word_confidence()[:2] == [1, 1]
    assert begun.consensus().written().startswith("my own")


@pytest.mark.parametrize("method", ["linear", "fast", "Ter"])
def test_derivations_of_a_consensus_are_told_of_as_those_of_the_forest(method: str) -> None:
    begun = forest_of('<seg prefix="my">b a a</seg>')
    agreed = begun.consensus(method)
    plain = {begun.text(d): [begun.score(d), *begun.word_confidence(d)] for d in begun.derivations(99)}
    found = {agreed.text(d): [agreed.score(d), *agreed.word_confidence(d)] for d in agreed.derivations(99)}
    assert len(found) > 1
    assert found == {text: pytest.approx(plain[text]) for text in found}


@pytest.mark.parametrize("prefix", ["ro", "my own", "one two three four", "rose house and more"])
def test_what_is_told_of_words_is_told_of_those_of_the_text(prefix: str) -> None:
    begun = forest_of(f'<seg prefix="{prefix}">a b</seg>')
    shown, words = begun.restored(), begun.text(begun.best()).split()
    assert [shown.text[begin:end] for begin, end in shown.places] == words
    assert len(begun.word_confidence()) == len(words)
    assert all(e >= len(prefix.split()) for _, e in begun.links(begun.best()))


def test_a_changed_forest_is_searched_anew() -> None:
    forest = forest_of("a b")
    assert forest.complete("r") == "red house"
    assert forest.intersect("rose house")
    assert forest.complete("r") == "rose house"

"""Terms, zones and walls in lines of input."""

from __future__ import annotations

import itertools

import pytest

from hopefear.base.errors import InputError, ParseFailed
from hopefear.decoder import Decoder, parse_line

# Each word has a translation of its own, and words may come in any order.
GRAMMAR = (
    "".join(f"[X] ||| {word} ||| {word.upper()} ||| f=1\n" for word in "abcd")
    + "[X] ||| [X,1] [X,2] ||| [2] [1] ||| f=0.1\n[X] ||| [X,1] [X,2] ||| [1] [2] ||| f=0.1\n"
    + "[X] ||| b [X,1] ||| [1] B ||| f=0.3\n[X] ||| a [X,1] d ||| D A [1] ||| f=0.3\n"
    + "[X] ||| b c ||| BC ||| f=5\n[X] ||| [X,1] b c ||| BC [1] ||| f=5\n"
)


def decoder(**options: object) -> Decoder:
    return Decoder(formalism="scfg", weights={"f": 1.0, "Glossary": 1.0}, **options)


def strings(line: str, **options: object) -> set[str]:
    return set(decoder(**options).translate(parse_line(line), GRAMMAR).kbest(10000))


def test_every_derivation_uses_a_translation_of_a_term() -> None:
    found = strings('a <x translation="new york|Y">b c</x> d')
    assert all(("new york" in each) != ("Y" in each.split()) for each in found)
    assert not any("B" in each or "C" in each for each in found)
    # It moves as any other words do: all orders that binary reordering of three parts has.
    assert {each for each in found if "Y" in each} == {" ".join(p) for p in itertools.permutations("AYD")} | {
        "D A Y"
    }


def test_words_that_are_not_translated() -> None:
    assert strings('<x translate="no">b c</x>') == {"b c"}


def test_a_soft_term_is_one_choice_among_others() -> None:
    found = strings('a <x translation="Y" soft="yes">b c</x> d')
    assert any("Y" in each for each in found) and any("BC" in each for each in found)
    forest = decoder().translate(parse_line('<x translation="Y" soft="yes">a d</x>'), GRAMMAR)
    derivation = next(d for d in forest.derivations(100) if forest.text(d) == "Y")
    assert forest.features(derivation)["Glossary"] == 2


def test_a_zone_stays_together() -> None:
    free, found = strings("a b c d"), strings("a <zone>b c</zone> d")
    assert found < free
    for each in found:
        at = [n for n, word in enumerate(each.split()) if word in ("B", "C", "BC")]
        assert at == list(range(at[0], at[0] + len(at)))
    assert {"A B C D", "D C B A", "BC A D"} <= found
    assert "B A C D" not in found


def test_a_wall_is_never_crossed() -> None:
    for each in strings("a b <wall/> c d"):
        assert set(each.split()[:2]) == {"A", "B"} and set(each.split()[2:]) == {"C", "D"}
    assert "B A D C" in strings("a b <wall/> c d")


def test_marks_that_no_derivation_can_keep_are_told() -> None:
    with pytest.raises(ParseFailed, match=r"no derivation covers sentence 7 with its marks"):
        decoder(scfg_no_hiero_glue_grammar=True).translate(
            parse_line('<seg id="7">a <wall/> b</seg>'), GRAMMAR + "[S] ||| [X,1] ||| [1] ||| f=0\n"
        )


def test_terms_as_an_argument_and_in_a_file(tmp_path) -> None:
    forest = decoder().translate("a b c a", GRAMMAR, terms={"b c": ["Y", "Z"], "a": "Q"})
    assert all(len(each.split()) == 3 and each.count("Q") == 2 for each in forest.kbest(1000))
    (tmp_path / "terms.tsv").write_text("source\ttarget\nb c\tY\n")
    ini = f"formalism=scfg\n# hopefear: terms={tmp_path / 'terms.tsv'}\n"
    found = Decoder(ini, weights={"f": 1.0}).translate("a b c d", GRAMMAR)
    assert all("Y" in each.split() for each in found.kbest(1000))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('a <x translation="Y">b', "expected </x>"),
        ("<zone>a", "expected </zone>"),
        ('<x translation="Y"> </x> a', "expected words before </x>"),
        ('<x translation="Y|">a</x>', "expected a translation"),
        ('<x translation="Y" colour="red">a</x>', "expected <x translation"),
        ('<zone>a <x translation="Y">b</zone> c</x>', "expected </x> before </zone>"),
        ('<x translation="Y"><x translation="Z">a</x></x>', "expected </x> before another"),
    ],
)
def test_wrong_marks_are_refused(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_line(line, where="in:3")


def test_other_tags_are_words() -> None:
    for line in ('<x id="1"/> a', "a </x> b", "</zone>", "<b>a</b>"):
        assert parse_line(line).text == line
        assert parse_line(line).marks == ()

"""Signs as a text writes them: found in a role, counted, and written again in the same form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.base.texts import split_words
from hopefear.text import Language, Profile, TextSystem
from hopefear.text.signs import SignCounts, SignForms

NBSP, THIN = "\u00a0", "\u202f"


def forms_in(*texts: str, like: str = "x", before: SignForms | None = None) -> SignForms:
    counts = SignCounts()
    for text in texts:
        counts.add(text, [(0, len(text))], like=like)
    return counts.forms(before or SignForms())


def written(forms: SignForms, text: str, like: str = '"x"') -> str:
    return forms.write(text, [], [(0, len(text))], like=like)[0]


@pytest.mark.parametrize(
    ("taught", "text", "wanted"),
    [
        ("“Come,” he said: ‘It’s me.’", "\"Go,\" he said: 'It's me.'", "“Go,” he said: ‘It’s me.’"),
        ("“Come,” he said.", "\"Go,\" he said: 'No.'", "“Go,” he said: ‘No.’"),  # marks that belong together
        ("“And", '"Go"', "“Go”"),
        ("„Komm“, sagte er – bald.", '"Geh", sagte er - nie.', "„Geh“, sagte er – nie."),
        ("»Komm«, sagte er.", "„Geh“, ‚sagte‘ er.", "»Geh«, ›sagte‹ er."),
        (
            f"«{NBSP}Viens{NBSP}»{THIN}; l’ami : « il dit “oui” ».",
            '"Va"; l\'ami: "il dit \'non\'"!',
            f"«{NBSP}Va{NBSP}»{THIN}; l’ami : «{NBSP}il dit “non”{NBSP}»{THIN}!",
        ),
        ("彼は「はい」と言った。", "“はい”と言った。", "「はい」と言った。"),
        ("彼は「『a』だ」と言った。", "“‘はい’だ”。", "「『はい』だ」。"),
        ("‘Come,’ he said, ‘or “go”.’", '"Go," he said, "or \'come\'."', "‘Go,’ he said, ‘or “come”.’"),
        ("Use 'a' and \"b\".", '‘c’ or “d”: "e', '\'c\' or "d": "e'),
        ("“Say: “it is", '"Say: "it is', "“Say: “it is"),
        ("such as: a", "such as ::", "such as ::"),
        ("a—b", "x – y, 10–20, a-b", "x—y, 10–20, a-b"),
        ("— Hola, dijo.", "– No, dijo.", "— No, dijo."),
        ("The kings’ gate isn’t 5' high.", "the dogs' 6' gate's", "the dogs’ 6' gate’s"),
        ("Quoi ? 12:30", "Non! 10:20 http://e.org", "Non ! 10:20 http://e.org"),
        ("10 % de", "20% de", "20 % de"),
    ],
)
def test_signs_follow_what_somebody_has_written(taught: str, text: str, wanted: str) -> None:
    assert written(forms_in(taught), text) == wanted


def test_the_most_frequent_form_is_written_and_what_is_uncounted_is_forgotten() -> None:
    counts = SignCounts()
    for text in ("“a”", '"a"', "“a”"):
        counts.add(text, [(0, 3)], like="x")
    assert written(counts.forms(SignForms()), "«b»") == "“b”"
    for _ in range(2):
        counts.add("“a”", [(0, 3)], like="x", times=-1)
    assert written(counts.forms(SignForms()), "«b»") == '"b"'
    counts.add('"a"', [(0, 3)], like="x", times=-1)
    assert counts.forms(SignForms()) == SignForms()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('And said, "', "And said,"),
        ('And said, "Light', "And said, Light"),
        ('So it was." Then he came.', "So it was. Then he came."),
        ('"" He said.', " He said."),
        ('He said, "Light."', 'He said, "Light."'),
    ],
)
def test_a_quotation_that_nobody_has_marked_is_none(text: str, wanted: str) -> None:
    """The source has no marks: one that has no partner, or has nothing in it, is invented."""
    assert written(SignForms(), text, like="Y dijo: luz") == wanted
    assert written(SignForms(), text, like="Y dijo: «luz") == text


def test_a_quotation_that_goes_on_in_the_next_sentence_is_learned() -> None:
    forms = forms_in("He said, “Let there be")
    assert written(forms, 'And said, "Light', like="Y dijo: luz") == "And said, “Light"
    assert written(forms, 'So it was." Then he came.', like="x") == "So it was. Then he came."
    assert written(forms, 'And said, "', like="x") == "And said,"
    assert forms_in("“a", like="«a").unpaired == frozenset()  # the source has it


def test_behind_words_that_quotations_followed_one_begins() -> None:
    counts = SignCounts()
    for line in ("He said, “No.” “Come,” he went.", "I said, “Go.”"):
        counts.add(line, [(0, len(line))], like="x")
    assert counts.forms(SignForms()).before_quotes == {"said"}
    forms = counts.forms(SignForms(before_quotes=frozenset({"come", "asked"})))
    assert forms.before_quotes == {"said", "asked"}
    text = TextSystem(Language("es"), Language("en", signs=forms), Profile.named("plain")).of_plain_tokens()
    words = 'he said , " come . the king said , " go .'
    _, read = text.reads("Dijo: «Ven». Dijo: «Ve")
    assert text.restore(split_words(words), [], read).text == "He said, “come. The king said, “go."
    words = '" come , " he said , " to me . "'
    assert text.restore(split_words(words), [], read).text == "“Come,” he said, “to me.”"


@given(st.text(alphabet="ab1 .,:;?!%-–—\"'“”‘’„«»「」『』" + NBSP, max_size=30))
def test_a_text_in_its_own_forms_stays_and_places_hold_their_parts(text: str) -> None:
    words = [(n, n + 1) for n, character in enumerate(text) if not character.isspace()]
    assert SignForms().write(text, words, words, like='"x"') == (text, words)
    forms = forms_in("« a » l’ami – b ?")
    out, places = forms.write(text, words, words, like='"x"')
    assert len(places) == len(words)
    for (begin, end), (first, last) in zip(words, places, strict=True):
        assert 0 <= first <= last <= len(out)
        if text[begin:end].isalnum():
            assert out[first:last] == text[begin:end]
        assert not out[first:last].isspace()


def test_pieces_and_terms_keep_their_signs() -> None:
    text = TextSystem(Language("en"), Language("fr", signs=forms_in("« a » ?", "l’a")), Profile.named("rst"))
    line = 'See ``"a"`` "now"?'
    tokens, read = text.reads(line)
    links = [(n, n) for n in range(len(tokens))]
    assert text.restore(split_words('See ⟨literal⟩ "￭ now ￭" ?'), links, read).text == 'See ``"a"`` « now » ?'
    given = {(2, 5): {('"', "now", '"'): ('"￭', "now", '￭"')}}
    words = ["See", "⟨literal⟩", '"', "now", '"', "?"]
    restored = text.restore(words, links, replace(read, terms=given))
    assert restored.text == 'See ``"a"`` "now" ?'
    assert [restored.text[slice(*place)] for place in restored.places] == (
        ["See", '``"a"``', '"', "now", '"', "?"]
    )


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ('nation ? " esther said , " an adversary . "', 'Nation? Esther said, "an adversary."'),
        ("up 't bow that 't didn 't", "Up not bow that not didn't"),
        ("the jews ' enemy and the kings ' gate", "The jews' enemy and the kings' gate"),
        ("'s house , 's gate", "House, gate"),
        ("god said , \" let it . \" and , ' king come . '", "God said, \"let it.\" And, 'king come.'"),
        ('" come , " he said , " and see . "', '"Come," he said, "and see."'),
        ("i 'm they 're rock 'n roll the ' word ' is", "I'm they're rock'n roll the 'word' is"),
        ('he came . " let us go . "', 'He came. "Let us go."'),
    ],
)
def test_tokens_of_other_tools_get_the_joins_that_a_language_has(words: str, wanted: str) -> None:
    """No mark stands alone, and no clitic joins a word that never has it."""
    text = TextSystem(Language("es"), Language("en"), Profile.named("plain")).of_plain_tokens()
    restored = text.restore(split_words(words), [], text.reads("Y dijo: luz")[1])
    assert restored.text == wanted
    shown: Sequence[str] = [restored.text[slice(*place)] for place in restored.places]
    assert "".join(shown) == wanted.replace(" ", "")

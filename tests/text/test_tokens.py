"""Lines are split and joined without loss."""

import gzip

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hopefear.base.texts import split_words
from hopefear.text import join, join_line, split_line
from hopefear.text.tokens import escaped, gap_after, kind_of, marked, placeholder, unescaped

LANGUAGES = ["en", "de", "ja", "zh", "th", "ar"]

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.lists(
    st.sampled_from(
        [
            *"aé東の가ก.,!?¿「」()\"'-/ \t",
            "\u00a0",
            "  ",
            "￭",
            "▁",
            "％",
            "％20;",
            "⟨url⟩",
            "|||",
            "[X,1]",
            "<s>",
        ]
    )
).map("".join)


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=150, deadline=None)
@given(line=TEXTS)
@example(line=" \u2028￭▁a  b\r")
def test_joining_what_was_split_gives_the_line_back(language, line):
    tokens = split_line(line, language)
    assert join(tokens) == line
    written = " ".join(tokens)
    assert list(split_words(written)) == tokens
    assert join_line(written) == line


@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_token_is_one_word_that_no_file_of_a_system_misreads(text):
    token = escaped(text)
    assert unescaped(token) == text
    assert split_words(token) == (token,)
    assert "|||" not in token and not token.startswith("(((")
    assert not (token[0] == "[" and token[-1] == "]")
    assert token not in ("<s>", "</s>", "<unk>")
    assert kind_of(token) is None


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("Y dijo Dios: Sea la luz.", "Y dijo Dios : Sea la luz ."),
        ("¿Qué es (esto)?", "¿ Qué es ( esto ) ?"),
        ('He said "yes" - no.', 'He said "￭ yes ￭" - no .'),
        ("well-known, e.g. U.S.", "well-known , e.g . U.S ."),
        ("don't", "don ￭'￭ t"),
        ("3.5 GHz and 1,000", "3.5 GHz and 1,000"),
        ("end .", "end ▁."),
    ],
)
def test_marks_stand_where_gaps_are_unusual(line, tokens):
    assert " ".join(split_line(line, "en")) == tokens


def test_words_of_scripts_without_spaces_join_without_spaces():
    line = "この RFC は、RFC 準拠です。"
    tokens = split_line(line, "ja")
    assert tokens == ["この", "RFC", "は", "、￭", "RFC", "準拠", "です", "。"]
    assert join(tokens) == line


@pytest.mark.parametrize(
    ("language", "tokens"),
    [
        ("th", ["เปิ", "ด", "บ้", "า", "น"]),
        ("lo", ["ເຮື", "ອ", "ນ"]),
        ("my", ["မြ", "န်", "မာ"]),
        ("km", ["ខ្មែ", "រ"]),
    ],
)
def test_a_letter_keeps_its_vowels_and_tones(language, tokens):
    assert split_line("".join(tokens), language) == tokens


def test_a_translation_has_the_gaps_that_its_characters_lead_one_to_expect():
    assert join(["hola", ",", "mundo", "!"]) == "hola, mundo!"
    assert join(["東京", "に", "行く", "。"]) == "東京に行く。"
    assert gap_after("(", "a") == "" and gap_after("a", "(") == " "
    assert gap_after("a", placeholder("url")) == " "
    assert join(["a", "￭-￭", "b", "▁.", "c￭", "d"]) == "a-b . cd"


def test_a_word_beside_a_tag_is_the_same_word():
    assert marked(["⟨tag⟩", "value", "⟨tag⟩", "."], [False, False, False]) == [
        "⟨tag⟩￭",
        "value",
        "￭⟨tag⟩",
        ".",
    ]


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("en", "python-docs/en-es/train.en.gz"),
        ("es", "python-docs/en-es/train.es.gz"),
        ("ja", "python-docs/en-ja/train.ja.gz"),
        ("es", "bible-es-en/written/train.es.gz"),
        ("en", "bible-es-en/written/train.en.gz"),
    ],
)
def test_lines_of_real_text_come_back(language, name, shared):
    with gzip.open(shared / "data" / name, "rt", encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines):
            if number % 7 == 0:
                text = line.removesuffix("\n")
                assert join(split_line(text, language)) == text

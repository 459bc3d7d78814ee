"""Case is learned, undone at starts and in headlines, and restored."""

import pytest

from hopefear.base.texts import split_words
from hopefear.text import CaseCounts, split_line


def learned(*lines, language="en"):
    counts = CaseCounts()
    for line in lines:
        counts.add(split_line(line, language))
    return counts.casing()


@pytest.fixture(scope="module")
def english():
    return learned(
        "The lord said to Moses, go to Egypt.",
        "Then Moses went to Egypt and the people followed.",
        "In the JSON file of Python, use e.g. the json module.",
        "A file can be opened. It can be read, e.g. by Python.",
        "Reading the file of the module, we use e.g. the lord.",
        "Reading files is reading modules.",
    )


@pytest.mark.parametrize(
    ("line", "inside"),
    [
        ("The file can be read.", "the file can be read ."),
        ("Moses said: The lord went.", "Moses said : The lord went ."),
        ("Egypt. The people went. Python can.", "Egypt . the people went . Python can ."),
        ("Reading Files", "reading files"),
        ("THE LORD SAID", "the lord said"),
        ("Zorgulo went to THE people, e.g. The lord", "Zorgulo went to the people , e.g . The lord"),
    ],
)
def test_words_have_the_form_that_they_have_inside_sentences(english, line, inside):
    assert " ".join(english.inside(split_line(line, "en"))) == inside


@pytest.mark.parametrize(
    ("tokens", "like", "written"),
    [
        ("the file . it went .", "El archivo. Fue.", "The file . It went ."),
        ("the file", "el archivo", "the file"),
        ('"￭ the file ￭"', '"El archivo"', '"￭ The file ￭"'),
        ("the lord", "EL SEÑOR", "THE LORD"),
        ("⟨literal⟩ is used . it is", "Se usa ⟨literal⟩. Es", "⟨literal⟩ is used . It is"),
        ("we use e.g . the lord", "Usamos", "We use e.g . the lord"),
        ("files . , modules . ; the people . it is", "Archivos", "Files . , modules . ; the people . It is"),
        ("json went", "Json fue", "Json went"),
        ("we read ▁.￭ json and ▁.￭ py files", "Leemos", "We read ▁.￭ json and ▁.￭ py files"),
    ],
)
def test_translations_get_capitals_where_their_sentences_begin(english, tokens, like, written):
    source = split_line(like, "es")
    assert " ".join(english.written(tokens.split(), source)) == written


@pytest.mark.parametrize(
    ("tokens", "like", "written"),
    [
        ("the file ⟨url⟩", "⟨url⟩ archivo", "the file ⟨url⟩"),
        ("the file ⟨url⟩ is for us .", "⟨url⟩ es el archivo que usamos .", "The file ⟨url⟩ is for us ."),
    ],
)
def test_a_source_that_begins_with_a_piece_is_a_sentence_if_it_has_words_and_an_end(
    english, tokens, like, written
):
    assert " ".join(english.written(tokens.split(), like.split())) == written


def test_a_source_without_case_leaves_capitals_to_the_target(english):
    assert english.written(["the", "file"], ["文", "件"]) == ["The", "file"]


def test_quotations_begin_with_a_capital_where_the_text_does_so():
    speech = learned('God said, "Let there be light." It is said, "Let it be."', "We let it be. It said he.")
    assert " ".join(speech.inside(split_line('He said: "Let it be."', "en"))) == 'he said : "￭ let it be . ￭"'
    words = split_words('god said , "￭ let it be . ￭"')
    assert " ".join(speech.written(words, ["Dijo"])) == 'God said , "￭ Let it be . ￭"'
    plain = learned('The value, "let", is a "word".', 'It is called, "the end".')
    assert plain.written(words, ["Dijo"])[4] == "let"


def test_german_nouns_keep_their_capitals():
    german = learned("Das ist ein Haus.", "In dem Haus ist ein Tisch.", "Ein Tisch ist da.", language="de")
    assert german.inside(["Haus", "und", "Tisch"]) == ["Haus", "und", "Tisch"]
    assert german.inside(["Ein", "Haus"]) == ["ein", "Haus"]


def test_a_capital_that_rules_do_not_know_is_a_small_letter(english):
    line = split_line("We use it: The Python file of Zorgulo and Moses", "en")
    assert " ".join(english.inside(line, known=True)) == "we use it : the Python file of Zorgulo and Moses"


def test_the_parts_of_a_name_of_initials_keep_their_capitals():
    text = learned("We are at home.", "It is at a place.", language="en")
    assert text.inside(split_line("AT&T is AT home", "en")) == ["AT", "￭&￭", "T", "is", "at", "home"]


def test_a_word_that_is_seen_at_starts_only_has_its_most_frequent_form_there():
    text = learned(
        "Straßen sind offen.",
        "STRASSEN SIND OFFEN",
        "JSON ist offen.",
        "Straßen",
        "STRASSEN OFFEN",
        language="de",
    )
    assert text.inside(["JSON"]) == ["JSON"] and text.inside(["Straßen"]) == ["straßen"]
    assert learned("Offen ist es.", "OFFEN IST ES", "Offen").forms == {}


def test_a_script_without_capitals_leaves_foreign_words_as_they_are():
    japanese = learned(
        "Python の関数です。",
        "print 関数を使う。",
        "Windows で Python を使う",
        "この関数は int を返す。",
        language="ja",
    )
    line = split_line("Python の Windows 版", "ja")
    assert japanese.inside(line) == line
    translation = split_line("int 型です。print 関数", "ja")
    assert japanese.written(translation, split_line("The type is int. It PRINTS.", "en")) == translation


@pytest.mark.parametrize(
    ("line", "inside", "source"),
    [
        ("Işık açık.", "ışık açık .", "The light is on."),
        ("İçeri gel.", "içeri gel .", "Come in."),
        ("IŞIK AÇIK", "ışık açık", "THE LIGHT IS ON"),
        ("IŞIK İSTANBUL'DA", "ışık İstanbul ￭'￭ da", "THE LIGHT IS IN ISTANBUL"),
    ],
)
def test_turkish_has_two_letters_i(line, inside, source):
    turkish = learned("Bu ışık açık, içeri gel.", "Adam İstanbul'da ışığı görüyor.", language="tr")
    tokens = split_line(line, "tr")
    assert " ".join(turkish.inside(tokens)) == inside
    assert turkish.written(inside.split(), split_line(source, "en")) == tokens

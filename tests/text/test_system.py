"""From text as written to tokens and back: pieces stay, exactly once and in their places."""

import itertools
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.base import InputError
from hopefear.base.texts import split_words
from hopefear.plugins import Segment
from hopefear.text import CaseCounts, Language, Profile, TextSystem, read_kinds, split_line
from hopefear.text.tokens import kind_of


def system(profile="rst"):
    return TextSystem(Language("en"), Language("es"), Profile.named(profile))


def test_pieces_of_both_sides_become_linked_placeholders():
    pair = system().pair("Use ``a`` or :func:`len`, not ``b``.", "Usa :func:`len` o ``a``, no ``c``.")
    assert pair.source == ["Use", "⟨literal⟩", "or", "⟨role⟩", ",", "not", "``b``", "."]
    assert pair.target == ["Usa", "⟨role⟩", "o", "⟨literal⟩", ",", "no", "``c``", "."]
    assert pair.links == [(1, 3), (3, 1)]


def test_pieces_of_a_sentence_are_linked_with_those_of_its_translation():
    source, correction = "Use ``a`` or :func:`len`, not ``a``.", "Usa :func:`len`, ``b`` o ``a``."
    segment = system().prepare(Segment(tuple(source.split()), text=source, references=(correction,)))
    assert segment.references[0].split() == ["Usa", "⟨role⟩", ",", "``b``", "o", "⟨literal⟩", "."]
    assert segment.written.links == (((1, 5), (3, 1)),)
    assert segment.written.made_up == ((3,),)


@pytest.mark.parametrize(
    ("profile", "source", "translation", "complaints"),
    [
        ("rst", "See ``a``, *now*.", "Vea ``a``, *ya*.", []),
        ("rst", "See :ref:`the end <x>`.", "Vea :ref:`el fin <x>`.", []),
        ("rst", "See ``a``.", "Vea ``b``.", ["the translation has no '``a``'", "the source has no '``b``'"]),
        ("html", "<b>One</b> two", "<b>Uno dos", ["the translation has no '</b>'"]),
        ("html", "a <br> b<br>", "a <br> b", ["the translation has '<br>' less often"]),
        ("printf", "%s", "%s %s", ["the translation has '%s' more often"]),
    ],
)
def test_a_translation_that_loses_or_makes_up_pieces(profile, source, translation, complaints):
    assert system(profile).complaints_about(source, translation) == complaints


@pytest.fixture
def numbers(tmp_path):
    """A text whose decimals and dates have other forms in translations."""
    (tmp_path / "kinds").write_text(
        "date = \\b(\\d{4})-(\\d\\d)-(\\d\\d)\\b -> \\3/\\2/\\1\ndecimal = \\b(\\d+)\\.(\\d+)\\b -> \\1,\\2\n"
    )
    return TextSystem(Language("en"), Language("es"), Profile.named("plain", read_kinds(tmp_path / "kinds")))


def test_numbers_and_dates_get_the_form_of_the_target_language(numbers):
    tokens, written = numbers.reads("On 2026-11-25 it was 3.5, not 1.25.")
    assert tokens == ("On", "⟨date⟩", "it", "was", "⟨decimal⟩", ",", "not", "⟨decimal⟩", ".")
    words = ["el", "⟨date⟩", "fue", "⟨decimal⟩", "y", "no", "⟨decimal⟩", "."]
    links = [(1, 1), (4, 6), (7, 3), (6, 5), (8, 7)]
    assert numbers.restore(words, links, written)[:2] == ("El 25/11/2026 fue 1,25 y no 3,5.", ())
    correction = "El 25/11/2026 fue 3,5 y no 1,25, 13,5 o 3,55."
    assert list(numbers.read_target(correction, written).tokens) == (
        ["El", "⟨date⟩", "fue", "⟨decimal⟩", "y", "no", "⟨decimal⟩", ",", "13,5", "o", "3,55", "."]
    )


def test_a_kind_with_a_form_is_in_the_place_of_the_one_of_a_profile():
    own = Profile((("measure", r"(\d+)\.(\d+) MB"),), {"measure": r"\1,\2 Mo"})
    text = replace(system("none"), profile=own).with_kinds(Profile.named("plain"))
    assert text.profile.kinds[-1:] == own.kinds and Profile.named("plain", own).kinds[:1] == own.kinds
    assert text.complaints_about("It has 3.5 MB.", "Il a 3,5 Mo.") == []
    assert text.complaints_about("It has 3.5 MB.", "Il a 4,5 Mo.") == ["the translation has no '3,5 Mo'"]


def test_pairs_teach_numbers_in_their_form(numbers):
    pair = numbers.pair("It was 3.5 of 2.5.", "Fue 3,5 de 2.5.")
    assert pair.source == ["It", "was", "⟨decimal⟩", "of", "2.5", "."]
    assert pair.target == ["Fue", "⟨decimal⟩", "de", "2.5", "."]
    assert pair.links == [(2, 1)]


def test_a_language_can_have_commas_for_points():
    text = replace(system("plain"), exchanged=frozenset({"measure"}))
    _, written = text.reads("It has 1,024.5 MB.")
    assert text.restore(["tiene", "⟨measure⟩", "."], [(2, 1)], written).text == "Tiene 1.024,5 MB."
    assert " ".join(text.read_target("Tiene 1.024,5 MB.", written).tokens) == "Tiene ⟨measure⟩ ."


def test_a_reference_with_a_translated_title_is_the_same_piece():
    pair = system().pair("See :ref:`the end <end>`.", "Vea :ref:`el fin <end>`.")
    assert pair.source == ["See", "⟨role⟩", "."]
    assert pair.links == [(1, 1)]


def test_each_piece_comes_back_where_the_derivation_has_put_its_placeholder():
    text = system()
    tokens, written = text.reads("Use ``a b`` or ``c`` at https://e.org.")
    assert tokens == ("Use", "⟨literal⟩", "or", "⟨literal⟩", "at", "⟨url⟩", ".")
    words = ["Usa", "⟨literal⟩", "o", "⟨literal⟩", "en", "⟨url⟩", "."]
    links = [(0, 0), (1, 3), (2, 2), (3, 1), (4, 4), (5, 5), (6, 6)]
    restored = text.restore(words, links, written)
    assert restored[:2] == ("Usa ``c`` o ``a b`` en https://e.org.", ())
    parts = [restored.text[slice(*place)] for place in restored.places]
    assert parts == ["Usa", "``c``", "o", "``a b``", "en", "https://e.org", "."]


@pytest.mark.parametrize(
    ("words", "links", "translation"),
    [
        (["un", "⟨tag⟩￭", "valor", "y"], [(0, 0), (1, 1), (2, 2), (3, 3)], "un <x/>valor y"),
        (["un", "valor", "⟨tag⟩￭", "y"], [(0, 0), (2, 1), (1, 2), (3, 3)], "un valor <x/> y"),
        (["un", "⟨tag⟩￭", "gran", "valor", "y"], [(0, 0), (1, 1), (2, 3), (3, 4)], "un <x/>gran valor y"),
    ],
)
def test_a_tag_lies_beside_the_word_that_it_lay_beside(words, links, translation):
    text = system("xliff")
    tokens, written = text.reads("a <x/>value and")
    assert tokens == ("a", "⟨tag⟩￭", "value", "and")
    assert text.restore(words, links, written)[:2] == (translation, ())


def test_what_a_translation_cannot_keep_is_said():
    text = system()
    _, written = text.reads("Use ``a``.")
    restored = text.restore(["usa", "."], [(0, 0), (2, 1)], written)
    assert restored.complaints == ("the translation has no place for '``a``'",)
    assert restored.text.count("``a``") == 1
    invented = text.restore(["usa", "⟨literal⟩", "⟨url⟩", "."], [(1, 1)], written)
    assert invented.text == "Usa ``a``."
    assert invented.places == ((0, 3), (4, 9), (9, 9), (9, 10))  # what is invented has an empty place
    assert invented.complaints == ("the translation has a piece of kind url that the source has not",)


def test_marks_go_around_the_words_that_translate_their_words():
    text = system("html")
    tokens, written = text.reads("The <b>red</b> house, <i>not the <b>small</b> one</i>.")
    assert tokens == ("The", "red", "house", ",", "not", "the", "small", "one", ".")
    words = ["la", "casa", "roja", ",", "no", "la", "pequeña", "."]
    links = [(0, 0), (1, 2), (2, 1), (3, 3), (4, 4), (5, 5), (6, 6), (7, 6), (8, 7)]
    restored = text.restore(words, links, written)
    assert restored[:2] == ("La casa <b>roja</b>, <i>no la <b>pequeña</b></i>.", ())
    parts = [restored.text[slice(*place)] for place in restored.places]
    assert parts == ["La", "casa", "roja", ",", "no", "la", "pequeña", "."]


@st.composite
def marked_sentences(draw):
    """Return a sentence with nested marks, and links of its words with those of a translation."""
    count = draw(st.integers(1, 6))
    spans = draw(st.lists(st.tuples(st.integers(0, count), st.integers(0, count)), max_size=4))
    spans = [(min(span), max(span)) for span in spans]
    nested = [
        span
        for n, span in enumerate(spans)
        if all(a[1] <= span[0] or span[1] <= a[0] or (a[0] <= span[0] and span[1] <= a[1]) for a in spans[:n])
    ]
    before = [""] * (count + 1)
    for n, (begin, end) in enumerate(nested):
        before[begin] += f"<b{n}>"
        before[end] = f"</b{n}>" + before[end] if begin < end else before[end] + f"</b{n}>"
    line = " ".join(f"{marks}w{n}" if n < count else marks for n, marks in enumerate(before))
    length = draw(st.integers(1, 6))
    links = draw(st.sets(st.tuples(st.integers(0, count - 1), st.integers(0, length - 1))))
    return line, [f"v{n}" for n in range(length)], sorted(links)


@given(marked_sentences())
def test_a_translation_has_each_mark_once_and_properly_nested(case):
    line, words, links = case
    text = system("html")
    _, written = text.reads(line)
    restored = text.restore(words, links, written)
    pairs = [mark for pair in written.pairs for mark in (pair.opening, pair.closing)]
    assert sorted(re.findall("</?b[0-9]>", restored.text)) == sorted(
        [*pairs, *(content for content in written.contents.values())]
    )
    if not written.contents:
        ElementTree.fromstring(f"<t>{restored.text}</t>")  # properly nested
    assert [word.lower() for word in re.findall("[vV][0-9]", restored.text)] == words
    assert [restored.text[slice(*place)].lower() for place in restored.places] == words


@given(st.permutations(range(4)))
def test_every_order_of_pieces_is_kept(order):
    text = system()
    source = " ".join(f"``{n}``" for n in range(4))
    tokens, written = text.reads(source)
    assert [kind_of(token) for token in tokens] == ["literal"] * 4
    links = [(n, place) for place, n in enumerate(order)]
    restored = text.restore(["⟨literal⟩"] * 4, links, written)
    assert restored[:2] == (" ".join(f"``{n}``" for n in order), ())


def test_segments_get_tokens_places_and_references():
    text = system()
    segment = Segment.from_input("<seg id='7'>Use ``a``, please.</seg> ||| Usa ``a``, por favor.")
    prepared = text.prepare(segment)
    assert prepared.tokens == ("Use", "⟨literal⟩", ",", "please", ".")
    assert prepared.references == ("Usa ⟨literal⟩ , por favor .",)
    assert prepared.id == 7
    assert prepared.written is not None
    assert [segment.text[b:e] for b, e in prepared.written.places] == ["Use", "``a``", ",", "please", "."]
    assert prepared.written.references == segment.references
    assert text.prepare(prepared) is prepared
    tokens = Segment(["a", "b"])
    assert text.prepare(tokens) is tokens


def test_a_system_comes_back_from_its_file(tmp_path):
    made = system("markdown")
    for name in ("text.json", "text.json.gz"):
        made.save(tmp_path / name)
        assert TextSystem.load(tmp_path / name) == made


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"version": 2}', '{"version": 1, "source": 3}', "{"])
def test_a_damaged_file_is_refused_by_name(tmp_path, content):
    file = tmp_path / "text.json"
    file.write_text(content)
    with pytest.raises(InputError, match=r"text\.json: expected the text of a system: "):
        TextSystem.load(file)


@pytest.mark.parametrize("code", ["", "english", "e", "en es", "../x"])
def test_what_is_no_language_is_refused(code):
    with pytest.raises(InputError, match="expected the code of a language"):
        TextSystem(Language(code), Language("es"), Profile.named("plain"))


def test_all_derivations_of_linked_placeholders_keep_all_pieces():
    text = system()
    _, written = text.reads("``a`` ``b`` https://e.org")
    kinds = ["⟨literal⟩", "⟨literal⟩", "⟨url⟩"]
    for order in itertools.permutations(range(3)):
        words = [kinds[n] for n in order]
        restored = text.restore(words, [(n, place) for place, n in enumerate(order)], written)
        assert restored.text.split() == [("``a``", "``b``", "https://e.org")[n] for n in order]


def test_a_system_of_other_tools_tokens_takes_and_gives_text_as_written():
    counts = CaseCounts()
    for line in ("In the Day God said this.", "The God of Israel is God.", "He was in Israel."):
        counts.add(split_line(line, "en"))
    english = Language("en", counts.casing())
    text = TextSystem(Language("es"), english, Profile.named("plain")).of_plain_tokens()
    tokens, written = text.reads("Y dijo Dios: «Sea la luz» y Jacob’s 'x'.")
    assert " ".join(tokens) == "y dijo dios : « sea la luz » y jacob 's 'x ' ."
    assert text.reads("")[0] == ()
    assert [written.text[slice(*place)] for place in written.places][10:13] == ["Jacob", "’s", "'x"]
    words = split_words('god said : " i didn \'t see israel " .')
    restored = text.restore(words, [], written)
    assert restored.text == 'God said: "i didn\'t see Israel".'
    _, written = text.reads("Vino el padre de Jubal.")
    words = ["vino", "the", "father", "of", "jubal", "."]
    restored = text.restore(words, [(0, 0), (4, 4), (5, 5)], written)
    assert restored.text == "Vino the father of Jubal."


def test_names_of_pieces_are_kinds_of_their_own_if_the_text_has_taught_them():
    text = replace(system(), kinds=frozenset({"func"}))
    assert text.reads("Use :func:`len` and :c:func:`f` or :zorg:`x`.")[0] == (
        *("Use", "⟨func⟩", "and", "⟨func⟩", "or", "⟨role⟩", "."),
    )


def test_emphasis_that_the_text_translates_goes_around_the_translation():
    text = replace(system(), translated=frozenset({"*not*"}))
    pair = text.pair("This is *not* a *list*.", "Esto *no* es una *list*, *sic*.")
    assert pair.source == ["This", "is", "not", "a", "⟨emphasis⟩", "."]
    assert pair.target == ["Esto", "no", "es", "una", "⟨emphasis⟩", ",", "sic", "."]
    assert (pair.kept, pair.changed) == (["*list*"], ["*not*"])
    tokens, written = text.reads("This is *not* a *list*.")
    assert tokens == ("This", "is", "not", "a", "⟨emphasis⟩", ".")
    links = [(0, 0), (1, 2), (2, 1), (3, 3), (4, 4), (5, 5)]
    restored = text.restore(["esto", "no", "es", "una", "⟨emphasis⟩", "."], links, written)
    assert restored[:2] == ("Esto *no* es una *list*.", ())


def test_the_text_of_a_link_is_translated():
    text = system()
    tokens, written = text.reads("See `the errata <https://e.org/x>`_ now.")
    assert tokens == ("See", "the", "errata", "now", ".")
    links = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]
    restored = text.restore(["vea", "la", "errata", "ahora", "."], links, written)
    assert restored[:2] == ("Vea `la errata <https://e.org/x>`_ ahora.", ())


@pytest.mark.parametrize("line", ["<b>" * 3_000 + "a" + "</b>" * 3_000, "<i>a</i> " * 3_000, "<a>" * 9_000])
def test_many_marks_take_a_time_that_grows_with_their_number(line):
    text = system("html")
    tokens, written = text.reads(line)
    links = [(n, n) for n in range(len(tokens))]
    assert text.restore([token.lower() for token in tokens], links, written).text.lower() == line.strip()


def test_a_term_keeps_its_case_wherever_its_translation_stands():
    text = system()
    _, written = text.reads("See the lord of the lord.")
    given = {("el", "señor"): ("el", "SEÑOR")}
    words = ["ve", "el", "señor", "de", "el", "señor", "."]
    links = [(0, 0), (2, 5), (5, 2), (6, 6)]  # the terms change places, and "the" has no link
    for terms, wanted in (
        ({(1, 3): given}, "Ve el señor de el SEÑOR."),
        ({(4, 6): given}, "Ve el SEÑOR de el señor."),
        ({(1, 3): given, (4, 6): given}, "Ve el SEÑOR de el SEÑOR."),
    ):
        assert text.restore(words, links, replace(written, terms=terms)).text == wanted


@pytest.mark.parametrize(
    ("source", "words", "links", "text"),
    [
        ("la luz (!?)", "the light ( ! ? )", [0, 1, 2, 3, 4, 5], "The light (!?)"),
        ("la luz ~~x~~", "the light ~ ~ x ~ ~", range(7), "The light ~~x~~"),
        ("luz/día: a-b", "light / day : a-b", range(5), "Light / day: a-b"),
        ("«luz» == x", "« light » = = x", range(6), "«Light» == x"),
        ("luz ~ ~", "light ~ ~", range(3), "Light ~ ~"),
        ("luz ~~", "~ light ~", [1, 0, 2], "~ light ~"),
    ],
)
def test_signs_that_are_copied_stay_together(source, words, links, text):
    system = TextSystem(Language("es"), Language("en"), Profile.named("plain")).of_plain_tokens()
    tokens, written = system.reads(source)
    words = split_words(words)
    assert len(tokens) == len(words)
    restored = system.restore(words, [(f, e) for e, f in enumerate(links)], written)
    assert restored.text.lower() == text.lower()

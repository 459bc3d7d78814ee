"""Documents that clients bring, and that are given back: texts, CSV, XLIFF and translation memories."""

from __future__ import annotations

import codecs
from xml.etree import ElementTree as ET

import pytest

from hopefear.base import InputError
from hopefear.live.server import Received
from hopefear.text.documents import tmx

XLIFF_1 = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="a.txt" source-language="es" datatype="plaintext">
    <header><note>kept</note></header>
    <body>
      <trans-unit id="1"><source>la <g id="b">casa</g> verde</source><note>first</note></trans-unit>
      <trans-unit id="2" translate="no"><source>v1.0</source></trans-unit>
      <trans-unit id="3"><source> </source></trans-unit>
      <trans-unit id="4">
        <source>muy<ph id="1">&lt;br/&gt;</ph> grande</source>
        <seg-source><mrk mtype="seg" mid="0">muy grande</mrk></seg-source>
        <target state="needs-translation">old <x id="1"/> text</target>
        <alt-trans><target>very tall</target></alt-trans>
      </trans-unit>
    </body>
  </file>
</xliff>
"""
XLIFF_2 = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="es">
  <file id="f">
    <group id="g" translate="no">
      <unit id="1"><segment><source>v1.0</source></segment></unit>
      <unit id="2" translate="yes"><segment id="s"><source>la casa</source></segment></unit>
    </group>
    <unit id="3">
      <segment><source>es <pc id="1">muy</pc><ph id="2"/> verde</source></segment>
      <ignorable><source> </source></ignorable>
      <segment state="initial"><source>grande</source><target>big</target></segment>
    </unit>
  </file>
</xliff>
"""


def texts(xml: bytes, path: str, space: str) -> list[str | None]:
    return [element.text for element in ET.fromstring(xml).iterfind(path, {"x": space})]


def test_a_text_has_a_sentence_in_each_line() -> None:
    document = Received.read("folder/a.txt", b"la  casa\r\n\r\n es\tmuy verde\n")
    assert (document.name, document.format) == ("a.txt", "txt")
    assert document.sentences == ("la casa", "es muy verde")
    out = b"la  casa\r\n\r\n is very green\n"
    assert document.translated({1: "is very green"}, "en") == (out, "text/plain")
    assert Received.read("a", codecs.BOM_UTF16_LE + "año".encode("utf-16-le")).sentences == ("año",)
    assert Received.read("a", codecs.BOM_UTF8 + b"la").sentences == ("la",)


@pytest.mark.parametrize(
    ("content", "sentences", "translated"),
    [
        ("la casa\nverde\n", ("la casa", "verde"), "la casa,house\nverde,green\n"),
        (
            'id;Source;note\n1;"la; casa";"a ""b"""\n2;;\n3;verde;\n',
            ("la; casa", "verde"),
            'id;Source;note;target\n1;"la; casa";"a ""b""";house\n2;;;\n3;verde;;green\n',
        ),
        (
            "target\tsource\nold\tla casa\n\tverde\n",
            ("la casa", "verde"),
            "target\tsource\nhouse\tla casa\ngreen\tverde\n",
        ),
    ],
)
def test_a_row_of_a_table_is_a_sentence(content: str, sentences: tuple[str, ...], translated: str) -> None:
    document = Received.read("a.csv", content.encode())
    assert document.sentences == sentences
    assert document.translated({0: "house", 1: "green"}, "en")[0].decode() == translated


def test_xliff_1_is_given_back_with_targets() -> None:
    space = "urn:oasis:names:tc:xliff:document:1.2"
    document = Received.read("a.xlf", XLIFF_1.encode())
    assert document.sentences == ("la casa verde", "muy grande")
    out, _ = document.translated({0: "the <green> house", 1: "very big"}, "en")
    assert texts(out, ".//x:trans-unit/x:target", space) == ["the <green> house", "very big"]
    assert texts(out, ".//x:alt-trans/x:target", space) == ["very tall"]
    assert texts(out, ".//x:note", space) == ["kept", "first"]
    fourth = ET.fromstring(out).findall(".//x:trans-unit", {"x": space})[3]
    kinds = [child.tag.partition("}")[2] for child in fourth]
    assert kinds == ["source", "seg-source", "target", "alt-trans"]
    assert [(one.get("state"), len(one)) for one in fourth.findall("x:target", {"x": space})] == [
        ("needs-review-translation", 0)
    ]
    # Without a translation, everything stays.
    assert document.translated({}, "en")[0].decode() == XLIFF_1


def test_xliff_2_is_given_back_with_targets() -> None:
    space = "urn:oasis:names:tc:xliff:document:2.0"
    document = Received.read("a.xliff", XLIFF_2.encode())
    assert document.sentences == ("la casa", "es muy verde", "grande")
    out, _ = document.translated({1: "is very green", 2: "tall"}, "en")
    assert texts(out, ".//x:target", space) == ["is very green", "tall"]
    root = ET.fromstring(out)
    assert root.get("trgLang") == "en"
    states = [one.get("state") for one in root.iterfind(".//x:segment", {"x": space})]
    assert states == [None, None, "initial", "translated"]
    assert document.translated({}, "en")[0].decode() == XLIFF_2


def test_a_document_in_utf_16_stays_in_utf_16() -> None:
    content = XLIFF_1.replace("UTF-8", "UTF-16").encode("utf-16")
    out = Received.read("a.xlf", content).translated({0: "größe"}, "de")[0]
    assert "größe" in out.decode("utf-16")


def test_a_translation_memory_has_both_languages() -> None:
    pairs = [("la <casa>", 'the "house" & more'), ("año", "year")]
    root = ET.fromstring(tmx(pairs, ("es", "en-GB")))
    assert (root.tag, root.get("version")) == ("tmx", "1.4")
    head = root.find("header")
    assert head is not None and head.get("srclang") == "es" and head.get("segtype") == "sentence"
    lang = "{http://www.w3.org/XML/1998/namespace}lang"
    assert [
        [(side.get(lang), side.findtext("seg")) for side in unit] for unit in root.iterfind("body/tu")
    ] == [[("es", source), ("en-GB", target)] for source, target in pairs]


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)
)
READ = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">'
REMOTE = '<!DOCTYPE x SYSTEM "http://192.0.2.1/x.dtd" ['


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xlf", XLIFF_1.replace("?>", f"?>{BOMB}]>").replace("verde", "&j;").encode(), "type declaration"),
        ("a.xlf", XLIFF_1.replace("?>", f"?>{READ}]>").replace("verde", "&a;").encode(), "type declaration"),
        ("a.xlf", XLIFF_1.replace("?>", f"?>{REMOTE}]>").encode(), "type declaration"),
        ("a.xlf", XLIFF_1.replace("?>", f"?>{READ}]>").encode("utf-16"), "type declaration"),
        ("a.xlf", XLIFF_1.replace("verde", "&undefined;").encode(), "expected an XLIFF file"),
        ("a.xlf", XLIFF_1.replace("UTF-8", "UTF-7").encode(), "expected an XLIFF file"),
        ("a.xlf", b"<xliff/>", "of version 1.1, 1.2 or 2, got <xliff>"),
        ("a.xlf", b"<html xmlns='urn:oasis:names:tc:xliff:document:1.2'/>", "got <html>"),
        ("a.xlf", b"<a>" * 100_000, "expected an XLIFF file"),
        ("a.xlf", b"", "a.xlf: expected a document, got an empty file"),
        ("a.xlf", b"\0\1", "expected an XLIFF file"),
        ("a.xlf", XLIFF_2.replace("la casa", "&#xfffe;").encode(), "expected an XLIFF file"),
        ("a.txt", b"", "a.txt: expected a document, got an empty file"),
        ("a.txt", b"%PDF-1.7\n\xe2\xe3", "expected a text in UTF-8.*; the file is a PDF document"),
        ("a.csv", b"\x89PNG\r\n\x1a\n\0", "expected a text in UTF-8.*; the file is a picture"),
        ("a.po", b"PK\3\4\x14", "expected a line of a catalogue.*; the file is an archive"),
        ("a.epub", b"PK\3\4\x14", "expected a file with one of the endings csv, .*; got .epub"),
        ("a.pdf", b"%PDF-1.7\n", "expected a file with one of the endings csv, .*; got .pdf"),
        ("a.tbx", b"<tbx/>", "got .tbx; a glossary is not a document: name it with --glossary"),
        ("a.tmx", tmx([("la", "the"), ("el", "the")], ("es", "en")), "a translation memory.*--memory"),
        ("a.csv", b"la casa\n\nuno, dos\n", "a.csv:3: expected 1 cell as in the first row, got 2"),
        ("a.csv", b"source,target\nuno\n", "a.csv:2: expected 2 cells as in the first row, got 1"),
        ("a.txt", b" \n\t\n", "expected a document with sentences"),
        ("a.txt", b"\xff\xfe\xd8", "expected a text in UTF-8"),
        ("a.txt", b"\xe9", "expected a text in UTF-8"),
        ("a.txt", b"la\0casa", "sentence 1: expected text without control characters"),
        ("a.txt", "la\ncasa \ufffe".encode(), "sentence 2: expected text without control"),
        ("a\0.txt", b"la", "expected text without control characters"),
        ("a.csv", b'"' + b"a" * 200_000 + b'"', "sentence 1: expected at most 20,000 characters"),
        ("a.csv", b'"' + b"a" * 200_000, "a.csv:1: expected a CSV file: a quotation mark is not closed"),
    ],
)
def test_what_is_no_document(name: str, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Received.read(name, content)


def test_the_closest_attribute_decides_what_is_translated() -> None:
    deep = 200
    units = "<trans-unit id='1'><source>in</source></trans-unit>"
    units += "<trans-unit id='2' translate='no'><source>out</source></trans-unit>"
    opened, closed = "<group translate='no'>" * deep, "</group>" * deep
    body = f"{opened}<group translate='yes'>{units}</group>{units}{closed}{units}"
    space = "urn:oasis:names:tc:xliff:document:1.2"
    text = f"<xliff xmlns='{space}' version='1.2'><file><body>{body}</body></file></xliff>"
    document = Received.read("a.xlf", text.encode())
    assert document.sentences == ("in", "in")
    assert document.translated({0: "A", 1: "B"}, "en")[0].count(b"<target") == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "la\n" * 4, "a.txt: expected at most 3 sentences, got more"),
        ("a.csv", "la,\n" * 4, "a.csv: expected at most 3 sentences, got more"),
        ("a.txt", "a" * 7_900_000, "sentence 1: expected at most 20,000 characters, got 7,900,000"),
        ("a.txt", "\n" * 7_900_000, "expected at most 200,000 lines, got more"),
        ("a.csv", "\n" * 7_900_000, "expected at most 200,000 rows, got more"),
    ],
)
def test_what_is_too_much(name: str, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Received.read(name, content.encode(), sentences=3)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(InputError, match=r"expected a format of csv, docx, .* xml, got 'os:system'"):
        Received.read("a", b"la", "os:system")


@pytest.mark.parametrize("name", ["../../etc/passwd", "..\\..\\a.txt", "/", "", "a/b/../c.txt"])
def test_a_name_has_no_folder(name: str) -> None:
    assert not set("/\\") & set(Received.read(name, b"la").name)


PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

#: a.c:1
msgid "la casa"
msgstr "the house"

#, fuzzy
msgid "verde"
msgstr "red"

msgid "La casa. Es verde."
msgstr "The house. It is green."

#, fuzzy
msgid "La casa. Es muy verde."
msgstr "The house is very green."

msgid "grande"
msgstr ""
"""


def test_the_translations_of_a_catalogue_are_those_of_its_sentences() -> None:
    document = Received.read("a.po", PO.encode(), written=True, languages=("es", "en"))
    assert document.sentences == (
        "la casa",
        "verde",
        "La casa.",
        "Es verde.",
        "La casa. Es muy verde.",  # its translation is one sentence
        "grande",
    )
    assert document.targets == (
        (0, "the house", True),
        (1, "red", False),
        (2, "The house.", True),
        (3, "It is green.", True),
        (4, "The house is very green.", False),
    )
    assert [document.units()(i).source for i in range(len(document.sentences))] == list(document.sentences)


@pytest.mark.parametrize(
    ("targets", "changes"),
    [
        ({}, []),
        ({0: "the house", 2: "The house."}, []),  # as the document has them
        ({0: "the home"}, [("the house", "the home")]),
        ({1: "red"}, [('#, fuzzy\nmsgid "verde"', 'msgid "verde"')]),
        ({3: "It is red."}, [("It is green.", "It is red.")]),
        (
            {4: "The house is very tall."},
            [
                ('#, fuzzy\nmsgid "La casa. Es muy verde."', 'msgid "La casa. Es muy verde."'),
                ("very green", "very tall"),
            ],
        ),
    ],
)
def test_what_nobody_has_changed_stays_with_its_state(
    targets: dict[int, str], changes: list[tuple[str, str]]
) -> None:
    document = Received.read("a.po", PO.encode(), written=True, languages=("es", "en"))
    expected = PO
    for old, new in changes:
        assert expected.count(old) == 1
        expected = expected.replace(old, new)
    if expected != PO:  # then the header names the language
        header = 'msgstr "Content-Type: text/plain; charset=UTF-8\\n"'
        new = 'msgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Language: en\\n"'
        expected = expected.replace(header, new)
    assert document.translated(targets, "en")[0].decode() == expected


def test_of_a_fuzzy_message_all_sentences_are_to_be_looked_at() -> None:
    content = '#, fuzzy\nmsgid "La casa. Es verde."\nmsgstr "The house. It is red."\n'
    document = Received.read("a.po", content.encode(), written=True, languages=("es", "en"))
    out = document.translated({1: "It is green."}, "en")[0].decode()
    assert out == content.replace("red", "green")
    out = document.translated({0: "The house.", 1: "It is green."}, "en")[0].decode()
    assert out == content.replace("red", "green").replace("#, fuzzy\n", "")


XLIFF_STATES = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a" source-language="es" target-language="en" datatype="plaintext"><body>
<trans-unit id="1"><source>uno</source><target state="final">one</target></trans-unit>
<trans-unit id="2"><source>dos</source><target state="translated">two</target></trans-unit>
<trans-unit id="3" approved="yes"><source>tres</source><target>three</target></trans-unit>
<trans-unit id="4"><source>cuatro</source><target state="needs-review-translation">for</target></trans-unit>
<trans-unit id="5"><source>cinco</source><target state="new">cinco</target></trans-unit>
</body></file></xliff>
"""
XLIFF_2_STATES = """<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="es"
 trgLang="en"><file id="f"><unit id="1">
<segment state="final"><source>uno</source><target>one</target></segment>
<segment state="translated"><source>dos <ph id="1"/></source><target>two <ph id="1"/></target></segment>
<segment state="initial"><source>tres</source><target>tres</target></segment>
<segment state="reviewed"><source>cuatro</source><target>four</target></segment>
</unit></file></xliff>
"""


@pytest.mark.parametrize("written", [True, False])
def test_states_of_xliff(written: bool) -> None:
    first = Received.read("a.xlf", XLIFF_STATES.encode(), written=written)
    assert first.targets == ((0, "one", True), (1, "two", True), (2, "three", True), (3, "for", False))
    second = Received.read("a.xlf", XLIFF_2_STATES.encode(), written=written)
    assert second.targets == ((0, "one", True), (1, "two", True), (3, "four", True))
    for document, content in ((first, XLIFF_STATES), (second, XLIFF_2_STATES)):
        same = {index: text for index, text, done in document.targets if done}
        assert document.translated(same, "en")[0].decode() == content
    out = first.translated({0: "ONE", 3: "four"}, "en")[0].decode()
    assert out == XLIFF_STATES.replace('state="final">one', 'state="translated">ONE').replace(
        'state="needs-review-translation">for', 'state="translated">four'
    )


def test_translations_of_tables_and_memories() -> None:
    table = Received.read("a.csv", b"source,target\nla casa,the house\nverde,\n", written=True)
    assert table.targets == ((0, "the house", True),)
    assert table.translated({1: "green"}, "en")[0] == b"source,target\nla casa,the house\nverde,green\n"
    content = tmx([("la casa", "the house"), ("verde", "")], ("es", "en"))
    memory = Received.read("a.tmx", content, written=True, languages=("es", "en"))
    assert memory.targets == ((0, "the house", True),)


def test_plural_forms_are_those_of_the_target_language() -> None:
    """A catalogue without them has as many units when it is read and when it is given back."""
    content = 'msgid "verde"\nmsgid_plural "verdes"\nmsgstr[0] ""\nmsgstr[1] ""\n\nmsgid "la"\nmsgstr ""\n'
    document = Received.read("a.po", content.encode(), written=True, languages=("es", "ja"))
    assert document.sentences == ("verdes", "la")
    assert 'msgid "la"\nmsgstr "x"' in document.translated({1: "x"}, "ja")[0].decode()

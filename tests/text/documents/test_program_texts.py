"""Texts of programs: JSON, Android, RESX, Qt. Whatever a system writes, nothing else changes."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from hopefear.base import InputError
from hopefear.text.documents import Document, State, marks_in, pieces

JSON = r"""{
  "title": "Hello {name}",
  "@@locale": "en", "@title": {"description": "not a text"},
  "nested": {"list": ["One", 2, null, true, "caf\u00e9 /"], "empty": "", "same": "a <b>b</b> {{ c }} $t(d)"},
  "count": "{n, plural, offset:1 =0 {none} one {# file} other {# files of {who}}}",
  "nested.x": "x: \"y\"\n%s"
}
"""
ANDROID = r"""<?xml version="1.0" encoding="utf-8"?>
<!-- names -->
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
  <string name="a">It\'s %1$s, "two  blanks"\n\u0041</string>
  <string name="b" translatable="false">KEEP</string>
  <string name="c">Sent to <xliff:g id="who" example="x">%s</xliff:g> <b>now</b></string>
  <string name="d"><![CDATA[a <i>b</i>]]></string>
  <string name="e">@string/a</string>
  <string-array name="f"><item>One</item><item>\@two</item></string-array>
  <plurals name="g"><item quantity="one">%d file</item><item quantity="other">%d files</item></plurals>
</resources>
"""
RESX = """<?xml version="1.0" encoding="utf-8"?>
<root>
  <resheader name="version"><value>2.0</value></resheader>
  <data name="A" xml:space="preserve"><value>Hello {0} &amp; all</value><comment>kept</comment></data>
  <data name="Pic" type="System.Drawing.Bitmap"><value>AAAA</value></data>
  <data name="&gt;&gt;x"><value>System.Object</value></data>
</root>
"""
QT = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" sourcelanguage="en">
<context><name>Window</name>
  <message><location filename="a.cpp" line="1"/><source>Open %1</source>
    <translation type="unfinished"></translation></message>
  <message numerus="yes"><source>%n file(s)</source><translation type="unfinished"/></message>
  <message><source>Done</source><translation>Hecho</translation></message>
  <message><source>Old</source><translation type="vanished">Viejo</translation></message>
  <message><source>New</source></message>
</context></TS>
"""
DOCUMENTS = {"a.json": JSON, "b.xml": ANDROID, "c.resx": RESX, "d.ts": QT}


def shouted(document: Document) -> dict[int, str]:
    """Change every word of a document, but for what its units keep."""
    targets = {}
    for index, unit in enumerate(document.units):
        out = []
        for text, code in pieces(unit.source, unit.codes):
            at = 0
            for begin, end in [] if code is not None else marks_in(unit, text):
                out += [re.sub(r"[^\W\d_]+", "l'ñ\"&<", text[at:begin]), text[begin:end]]
                at = end
            out.append(text[at:] if code is not None else re.sub(r"[^\W\d_]+", "l'ñ\"&<", text[at:]))
        targets[index] = "".join(out)
    return targets


@pytest.mark.parametrize("name", DOCUMENTS)
def test_identity_and_a_change_of_every_word_are_proven(name: str) -> None:
    document = Document.read(name, DOCUMENTS[name].encode(), language="es")
    assert document.units and document.translated({}) == document.content
    for targets in ({i: unit.source for i, unit in enumerate(document.units)}, shouted(document)):
        complaints = document.complaints(targets)
        out = document.translated(targets, language="es")
        assert document.differences(out, complaints, language="es") == []
        again = Document.read(name, out, language="es")
        assert len(again.units) == len(document.units)
        if name == "a.json":
            assert [*json.loads(out)] == [*json.loads(JSON)]
        else:
            old, new = ElementTree.fromstring(DOCUMENTS[name]), ElementTree.fromstring(out)
            assert [one.tag for one in new.iter() if one.tag != "numerusform"] == [
                one.tag for one in old.iter()
            ] or name == "d.ts"


def test_json() -> None:
    document = Document.read("a.json", JSON.encode())
    assert [(unit.context, unit.source) for unit in document.units] == [
        ("title", "Hello {name}"),
        ("nested.list.0", "One"),
        ("nested.list.4", "café /"),
        ("nested.same", "a <b>b</b> {{ c }} $t(d)"),
        ("count", "none"),
        ("count", "# file"),
        ("count", "# files of {who}"),
        ("nested.x", 'x: "y"\n%s'),
    ]
    out = document.translated({1: 'U"no', 2: "té", 5: "# fichero"}).decode()
    wanted = JSON.replace('"One"', '"U\\"no"').replace('"caf\\u00e9 /"', '"t\\u00e9"')
    assert out == wanted.replace("{# file}", "{# fichero}")
    assert [one.reason for one in document.complaints({0: "Hola", 5: "un fichero"})] == [
        "the translation has no '{name}'",
        "the translation has no '#'",
    ]


def test_android() -> None:
    document = Document.read("b.xml", ANDROID.encode())
    assert [unit.source for unit in document.units] == [
        'It\'s %1$s, "two  blanks"\\n\\u0041',
        'Sent to <xliff:g id="who"/> <b>now</b>',
        "a <i>b</i>",
        "One",
        "\\@two",
        "%d file",
        "%d files",
    ]
    out = document.translated({1: 'L\'a <b>ya</b> <xliff:g id="who"/>', 3: '"U"', 5: "?"}).decode()
    group = '<xliff:g id="who" example="x">%s</xliff:g>'
    wanted = ANDROID.replace(f"Sent to {group} <b>now</b>", f"L\\'a <b>ya</b> {group}")
    assert out == wanted.replace(">One<", '>\\"U\\"<').replace(">%d file<", ">\\?<")


def test_qt_without_a_target_language_is_refused() -> None:
    with pytest.raises(InputError, match="expected the target language, as language in <TS>"):
        Document.read("d.ts", QT.encode())
    assert Document.read("d.ts", QT.replace("<TS ", '<TS language="pl" ').encode()).units


def test_qt() -> None:
    document = Document.read("d.ts", QT.encode(), language="es")
    assert [(unit.source, unit.state) for unit in document.units] == [
        ("Open %1", State.NEW),
        ("%n file(s)", State.NEW),
        ("%n file(s)", State.NEW),
        ("Done", State.DONE),
        ("New", State.NEW),
    ]
    out = document.translated(
        {0: "Abrir %1", 1: "%n fichero", 2: "ficheros", 4: "Nuevo"}, language="es"
    ).decode()
    assert '<translation type="unfinished">Abrir %1</translation></message>' in out
    numbers = "<numerusform>%n fichero</numerusform><numerusform>ficheros</numerusform>"
    assert f'<translation type="unfinished">{numbers}</translation>' in out
    assert '<source>New</source><translation type="unfinished">Nuevo</translation>' in out
    assert ' language="es">' in out
    confirmed = document.translated({0: "Abrir %1"}, drafts=()).decode()
    assert "<translation>Abrir %1</translation></message>" in confirmed


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a.json", '"One"', "1"),
        ("a.json", "Hello {name}", "Hello"),
        ("a.json", "not a text", "no text"),
        ("a.json", '"empty"', '"full"'),
        ("a.json", "}\n", "\n"),
        ("b.xml", "KEEP", "keep"),
        ("b.xml", "\\'", "'"),
        ("b.xml", "names", "name"),
        ("b.xml", "<b>now</b>", "now"),
        ("c.resx", "AAAA", "AAAB"),
        ("c.resx", "kept", "lost"),
        ("d.ts", ">Old<", ">New<"),
        ("d.ts", 'line="1"', 'line="2"'),
    ],
)
def test_what_else_changes_is_named(name: str, old: str, new: str) -> None:
    content = DOCUMENTS[name].replace('"two  blanks"', "two")
    document = Document.read(name, content.encode(), language="es")
    assert old in content
    assert document.differences(content.replace(old, new, 1).encode())


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", '{"a": }', "a.json:1: expected JSON"),
        ("a.xml", "<a/>", "expected an Android file of strings, got <a>"),
        ("a.resx", "<a/>", "expected a RESX file, got <a>"),
        ("a.ts", "<a/>", "expected a catalogue of Qt, got <a>; a program is no document"),
        ("a.ts", "export const a = 1;", "expected a catalogue of Qt"),
    ],
)
def test_other_files_are_refused(name: str, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Document.read(name, content.encode())

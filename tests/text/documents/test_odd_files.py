"""Small odd files, after kinds that real files have: whatever a system writes, nothing else changes."""

from __future__ import annotations

import pytest

from hopefear.text.documents import Document
from tests.support.changed_words import proven

from .test_docx import HEAD, body_of, package

XLIFF = (
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file source-language="en" '
    'target-language="es"><body><trans-unit id="1">{}</trans-unit></body></file></xliff>'
)
SIDES = '<tuv xml:lang="{}">{}<seg>{}</seg></tuv><tuv xml:lang="{}">{}<seg>{}</seg></tuv>'
TMX = '<tmx version="1.4"><header srclang="en"/><body><tu>{}</tu></body></tmx>'
RESX = (
    '<root><data name="a"><value>Hello {{0:N2}}</value></data><data name="b"><value>{}</value></data></root>'
)
QT = (
    "<TS><context><name>A</name><message><source>{}</source><translation></translation></message>"
    '<message id="b"><location line="1"/></message></context></TS>'
)
LAYOUT = "&lt;?xml version='1.0'?&gt;&lt;Rows&gt;all&lt;/Rows&gt;"
FILES = {
    "words that look as a tag of the unit": (
        "a.xlf",
        XLIFF.format('<source>&lt;/g&gt; closes <g id="1">groups</g></source>'),
        ['>&lt;/g&gt; closesX <g id="1">groupsX</g></target>'],
    ),
    "words that look as a tag of the page": (
        "a.html",
        "<p>Write &lt;b&gt; for <b>bold</b> words</p>",
        ["<p>WriteX &lt;b&gt; forX <b>boldX</b> wordsX</p>"],
    ),
    "words that look as a format": (
        "a.docx",
        "<w:p><w:r><w:t>end &lt;/r&gt; of a run, </w:t></w:r>"
        "<w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r></w:p>",
        [">endX &lt;/r&gt; ofX aX runX, </w:t>", ">boldX</w:t>"],
    ),
    "a segment of tags alone": (
        "a.xlf",
        XLIFF.format(
            '<source><x id="1"/>Spain</source><seg-source><mrk mtype="seg" mid="0"><x id="1"/></mrk>'
            '<mrk mtype="seg" mid="1">Spain</mrk></seg-source><target>'
            '<mrk mtype="seg" mid="0"><x id="1"/></mrk>'
            '<mrk mtype="seg" mid="1"></mrk></target>'
        ),
        [
            '<target state="translated"><mrk mtype="seg" mid="0"><x id="1"/></mrk>'
            '<mrk mtype="seg" mid="1">SpainX<'
        ],
    ),
    "a new target with a segment of tags alone": (
        "a.xlf",
        XLIFF.format(
            '<source>a<x id="1"/></source><seg-source>'
            '<mrk mtype="seg" mid="0">a</mrk><mrk mtype="seg" mid="1">'
            '<x id="1"/></mrk></seg-source>'
        ),
        ['>aX</mrk><mrk mtype="seg" mid="1"><x id="1"/></mrk></target>'],
    ),
    "regular expressions in braces": (
        "a.xlf",
        XLIFF.format("<source>From {{^x/(.*) y$}} on</source>"),
        [">FromX {{^x/(.*) y$}} onX<"],
    ),
    "entities twice": (
        "a.ts",
        QT.format("&amp;quot;Yes&amp;quot; &amp;File"),
        ["&amp;quot;YesX&amp;quot; &amp;FileX<"],
    ),
    "an address without quotes": (
        "a.ts",
        QT.format("&lt;a href=https://a.org/b/c&gt;here&lt;/a&gt;"),
        ["&lt;a href=https://a.org/b/c&gt;hereX&lt;/a&gt;"],
    ),
    "a message without a source": (
        "a.ts",
        QT.format("Yes"),
        ['<message id="b"><location line="1"/></message>'],
    ),
    "positions of subtitles": ("a.json", r'{"a": "Up {\\an8} there"}', [r"UpX {\\an8} thereX"]),
    "names in braces": (
        "a.xml",
        '<resources><string name="a">Delete {user} now</string></resources>',
        [">DeleteX {user} nowX<"],
    ),
    "the layout of a form": ("a.resx", RESX.format(LAYOUT), [">HelloX {0:N2}<", f"<value>{LAYOUT}</value>"]),
    "notes of a side": (
        "a.tmx",
        TMX.format(SIDES.format("en", "<prop type='l'>1</prop>", "Yes", "es", "<note>b</note>", "No")),
        ["<prop type='l'>1</prop><seg>Yes<", "<note>b</note><seg>YesX<"],
    ),
    "moved words and fields to fill in": (
        "a.docx",
        '<w:p><w:r><w:t>one</w:t></w:r><w:moveTo w:id="1"><w:r><w:t>two</w:t></w:r>'
        "</w:moveTo><w:sdt><w:sdtPr>"
        '<w:id w:val="3"/></w:sdtPr><w:sdtContent><w:r><w:t>three</w:t></w:r></w:sdtContent></w:sdt></w:p>',
        [
            '<w:moveTo w:id="1"><w:r><w:t xml:space="preserve">twoX<',
            '<w:id w:val="3"/></w:sdtPr><w:sdtContent>',
            "threeX<",
        ],
    ),
}


@pytest.mark.parametrize("kind", FILES)
def test_only_words_change(kind: str) -> None:
    name, content, expected = FILES[kind]
    is_word = name.endswith(".docx")
    data = package(f"{HEAD}{content}</w:body></w:document>") if is_word else content.encode()
    out = proven(name, data)
    written = body_of(out) if is_word else out.decode()
    for part in expected:
        assert part in written


def test_a_memory_has_no_unit_whose_translation_is_its_source() -> None:
    memory = TMX.format(SIDES.format("es-ES", "", "Sí", "en-US", "", "Yes")).replace(
        'srclang="en"', 'srclang="es"'
    )
    assert Document.read("a.tmx", memory.encode(), language="es").units == ()


def test_what_one_paragraph_loses_is_not_named_by_another() -> None:
    runs = [f"<w:p><w:r><w:t>{word}</w:t><w:tab/><w:t>b</w:t></w:r></w:p>" for word in ("one", "two")]
    document = Document.read("a.docx", package(f"{HEAD}{''.join(runs)}</w:body></w:document>"))
    lost = document.translated({1: "dos"})
    assert document.differences(lost, document.complaints({1: "dos"})) == []
    assert document.differences(lost, document.complaints({0: "uno"}))


def test_a_placeholder_that_a_resx_file_loses_is_named() -> None:
    document = Document.read("a.resx", RESX.format("b").encode())
    lost = document.translated({0: "Hola"})
    (difference,) = document.differences(lost)
    assert difference.reason == "the text has other placeholders"
    assert document.differences(lost, document.complaints({0: "Hola"})) == []

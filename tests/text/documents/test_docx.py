"""Texts of Word: formats are tags, everything else of the package stays."""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree

import pytest

from hopefear.base import InputError
from hopefear.text.documents import Document

SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
HEAD = f'<w:document xmlns:w="{SPACE}" xmlns:r="urn:r"><w:body>'
TITLE = (
    '<w:p w:rsidR="1"><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:proofErr w:type="spellStart"/>'
    '<w:r w:rsidR="2"><w:t>The he</w:t></w:r><w:r><w:t>ading</w:t></w:r></w:p>'
)
TEXT = (
    '<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>bold &amp; more</w:t>'
    '</w:r><w:r><w:t xml:space="preserve"> text</w:t><w:br/><w:t>now</w:t></w:r><w:hyperlink r:id="rId1">'
    "<w:r><w:rPr><w:u/></w:rPr><w:t>a link</w:t></w:r></w:hyperlink>"
    '<w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
)
BODY = f"{HEAD}{TITLE}{TEXT}<w:p/><w:p><w:r><w:tab/></w:r></w:p><w:sectPr/></w:body></w:document>"


def package(body: str = BODY, part: str = "word/document.xml") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as written:
        written.writestr("[Content_Types].xml", "<Types/>")
        written.writestr(part, body)
        written.writestr("word/media/a.png", b"x")
    return out.getvalue()


def body_of(content: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as read:
        assert read.read("word/media/a.png") == b"x"
        body = read.read("word/document.xml").decode()
    ElementTree.fromstring(body)
    return body


def test_formats_are_tags_and_stay() -> None:
    document = Document.read("a.docx", package())
    assert document.translated({}) == document.content
    bold, end, line, link, under, _, close, note = document.units[1].tags
    assert [unit.plain for unit in document.units] == ["The heading", "See bold & more textnowa link"]
    targets = {0: "El <título>", 1: f"{note}{bold}Negrita{end} & ya{line}{link}{under}enlace{end}{close}"}
    out = document.translated(targets)
    assert document.differences(out, document.complaints({1: targets[1]})) == []
    body = body_of(out)
    assert '</w:pPr><w:r><w:t xml:space="preserve">El &lt;título&gt;</w:t></w:r></w:p>' in body
    assert (
        '<w:p><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">'
        'Negrita</w:t></w:r><w:r><w:t xml:space="preserve"> &amp; ya</w:t></w:r><w:r><w:br/></w:r>'
        '<w:hyperlink r:id="rId1"><w:r><w:rPr><w:u/></w:rPr><w:t xml:space="preserve">enlace</w:t></w:r>'
        "</w:hyperlink></w:p>"
    ) in body
    assert body.endswith("<w:p/><w:p><w:r><w:tab/></w:r></w:p><w:sectPr/></w:body></w:document>")


def test_what_is_lost_is_named() -> None:
    document = Document.read("a.docx", package())
    out = document.translated({1: "Mira"})
    assert len(document.complaints({1: "Mira"})) == 1 and document.differences(out)
    assert document.differences(out, document.complaints({1: "Mira"})) == []
    for old, new in (("Heading1", "Heading2"), ("<w:sectPr/>", ""), ("<w:tab/>", "")):
        assert document.differences(package(BODY.replace(old, new)))


@pytest.mark.parametrize("content", [b"PK\x03\x04" + b"\0" * 60, b"x", package(part="word/other.xml")])
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="expected a docx file"):
        Document.read("a.docx", content)


def test_a_damaged_picture_is_refused_with_the_format() -> None:
    damaged = package().replace(b"media/a.pngx", b"media/a.pngy")
    assert damaged != package()
    document = Document.read("a.docx", damaged)
    with pytest.raises(InputError, match="expected a docx file: Bad CRC-32"):
        document.translated({0: "El título"})

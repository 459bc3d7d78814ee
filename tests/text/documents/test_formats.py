"""Documents of each format: what they have, and that nothing but translations changes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from hopefear.base import InputError, PluginError
from hopefear.text.documents import FORMATS, Document, Format, State, Unit, fitting

SAMPLES = Path(__file__).parent / "samples"


def sample(name: str) -> str:
    return (SAMPLES / name).read_text("utf-8")


XLIFF_1, XLIFF_2, TMX = map(sample, ("version1.xlf", "version2.xliff", "memory.tmx"))
HTML, MARKDOWN, SRT, VTT = map(sample, ("page.html", "page.md", "film.srt", "film.vtt"))
CONTENT = sample("content.xml")
"""The text of an OpenDocument."""


def package(content: str = CONTENT) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as written:
        written.writestr(zipfile.ZipInfo("mimetype"), "application/vnd.oasis.opendocument.text")
        written.writestr("content.xml", content, zipfile.ZIP_DEFLATED)
        written.writestr("styles.xml", "<s/>", zipfile.ZIP_DEFLATED)
    return out.getvalue()


def lines(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


DOCUMENTS = {
    "a.xlf": XLIFF_1.encode(),
    "b.xlf": lines(XLIFF_1),
    "c.xlf": XLIFF_1.replace("utf-8", "iso-8859-1").encode("latin-1"),
    "d.xliff": XLIFF_2.encode(),
    "e.tmx": TMX.encode(),
    "f.html": HTML.encode(),
    "g.htm": lines(HTML),
    "h.md": MARKDOWN.encode(),
    "i.md": lines(MARKDOWN),
    "j.srt": SRT.encode(),
    "k.srt": lines("\ufeff" + SRT),
    "l.vtt": VTT.encode(),
    "m.odt": package(),
    "n.txt": b"one\r\n\r\n  two\tthree \n",
    "o.es": "uno\ndos".encode("utf-16"),
    "p.csv": b'id;source;note\n1;"a; b";"x ""y"""\n2;;\n\n3;two;',
    "q.tsv": b"one\tuno\ntwo\t\nthree\t\n",
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_without_translations_every_byte_stays(name: str) -> None:
    content = DOCUMENTS[name]
    document = Document.read(name, content, language="es")
    assert document.units
    assert document.translated({}, language="es") == content


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_written_is_read_again(name: str) -> None:
    """Sources as translations give a document with the same units, and targets where it has some."""
    document = Document.read(name, DOCUMENTS[name], language="es")
    targets = {index: unit.source for index, unit in enumerate(document.units)}
    assert document.complaints(targets) == []
    again = Document.read(name, document.translated(targets, language="es"), language="es")
    assert [squeezed(unit.source) for unit in again.units] == [squeezed(u.source) for u in document.units]
    if name[2:] in ("xlf", "xliff", "tmx", "csv", "tsv"):
        assert [(unit.target, unit.state) for unit in again.units] == [
            (unit.source, State.DONE) for unit in document.units
        ]


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(max_examples=20)
@given(draws=some.data())
def test_any_text_is_written_so_that_it_is_read_again(name: str, draws: some.DataObject) -> None:
    document = Document.read(name, DOCUMENTS[name], language="es")
    # The attribute of a tag stands in the text of the paragraph, too.
    drawn = [i for i, unit in enumerate(document.units) if not unit.context.endswith("title")]
    index = draws.draw(some.sampled_from(drawn))
    # Markup of these formats is part of their texts.
    shapes = some.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"])
    if name[2:] in ("md", "srt", "vtt"):
        shapes = some.characters(categories=["Lu", "Ll", "Lo", "Nd"])
    word = draws.draw(some.text(shapes, min_size=1))
    unit = document.units[index]
    target = f"{word} <x> &amp; {word}" if name[2:] not in ("md", "srt", "vtt") else f"x {word}"
    for tag in unit.tags:
        target += f" {tag} {word}"
    written = document.translated({index: target}, language="es")
    found = Document.read(name, written, language="es").units
    assert len(found) == len(document.units)
    texts = [squeezed(one.target or one.source) for one in found]
    assert texts[index] == squeezed(target)
    assert [one for i, one in enumerate(texts) if i != index] == [
        squeezed(one.target or one.source) for i, one in enumerate(document.units) if i != index
    ]


def edited(name: str, targets: dict[int, str], *changes: tuple[str, str], language: str = "es") -> None:
    """Check that a translated document is the old one with these changes."""
    content = DOCUMENTS[name]
    document = Document.read(name, content, language=language)
    wanted = content.decode()
    for old, new in changes:
        assert wanted.count(old) == 1, old
        wanted = wanted.replace(old, new)
    assert document.translated(targets, language=language).decode() == wanted


def test_xliff_1() -> None:
    document = Document.read("a.xlf", XLIFF_1.encode())
    assert [unit.source for unit in document.units] == [
        'a <g id="b">green</g> house & <ph id="2"/>more',
        "ünchanged <b>",
        "done",
        "look",
    ]
    assert [unit.state for unit in document.units] == [State.NEW, State.NEW, State.DONE, State.DRAFT]
    assert [unit.target for unit in document.units] == [None, None, "hecho", "mira"]
    assert document.units[0].tags == ('<g id="b">', "</g>", '<ph id="2"/>')
    assert document.units[0].plain == "a green house & more"
    assert (document.units[0].notes, document.units[0].context, document.units[0].line) == ("<first>", "1", 6)
    target = 'una casa <g id="b">verde</g> & < <ph id="2"/>más'
    edited(
        "a.xlf",
        {0: target, 1: "sin cambio <b>"},
        (
            "</ph>more</source>\n",
            "</ph>more</source>\n"
            '        <target state="translated">una casa <g id="b">verde</g> &amp; &lt; '
            '<ph id="2">&lt;br/&gt;</ph>más</target>\n',
        ),
        ('<target state="needs-translation"/>', '<target state="translated">sin cambio &lt;b&gt;</target>'),
        ("datatype='plaintext'>", "datatype='plaintext' target-language=\"es\">"),
    )


def test_tags_that_are_lost_or_do_not_nest_are_named() -> None:
    document = Document.read("a.xlf", XLIFF_1.encode())
    targets = {0: 'una </g>casa<g id="b"> <ph id="2"/>', 2: "<b>hecho</b>"}
    assert [(one.unit, one.reason) for one in document.complaints(targets)] == [
        (0, "tags do not nest"),
        (2, "the source has no '<b>'; the source has no '</b>'"),  # these are text, but look like tags
    ]
    out = document.translated(targets, language="es").decode()
    assert 'state="needs-review-translation">una casa <ph' in out
    assert "&lt;b&gt;hecho&lt;/b&gt;" in out
    for target, reason in {
        "verde": "; ".join(f"the translation has no {tag!r}" for tag in document.units[0].tags),
        'a <g id="b">b</g> <ph id="2"/><ph id="2"/>': """the translation has '<ph id="2"/>' more often""",
        " ": "there is no translation",
        'a\0 <g id="b">b</g> <ph id="2"/>': "the control character '\\x00'",
    }.items():
        assert [one.reason for one in document.complaints({0: target})] == [reason]


def test_xliff_2() -> None:
    document = Document.read("d.xliff", XLIFF_2.encode())
    assert [unit.source for unit in document.units] == ['a <pc id="1">green</pc> house<ph id="2"/>', "two"]
    assert [unit.state for unit in document.units] == [State.NEW, State.DONE]
    edited(
        "d.xliff",
        {0: 'casa <pc id="1">verde</pc><ph id="2"/>'},
        ('srcLang="en"', 'srcLang="en" trgLang="es"'),
        ('state="initial"', 'state="translated"'),
        (
            '<ph id="2"/></source>\n',
            '<ph id="2"/></source>\n   <target>casa <pc id="1">verde</pc><ph id="2"/></target>\n',
        ),
    )


def test_a_translation_memory() -> None:
    document = Document.read("e.tmx", TMX.encode(), language="es")
    assert [unit.source for unit in document.units] == ['a <bpt id="1"/>green<ept id="2"/> house', "two"]
    assert [unit.target for unit in document.units] == [None, "dos"]
    edited(
        "e.tmx",
        {0: 'casa <bpt id="1"/>verde<ept id="2"/>'},
        (
            "house</seg></tuv>\n",
            'house</seg></tuv>\n    <tuv xml:lang="es"><seg>casa <bpt i="1">&lt;b></bpt>verde'
            '<ept i="1">&lt;/b></ept></seg></tuv>\n',
        ),
    )
    # The only other language of the memory is the target language.
    assert Document.read("e.tmx", TMX.encode()).units[1].target == "dos"
    one = TMX.replace('<tuv xml:lang="es-MX"><seg>dos</seg></tuv>', "")
    with pytest.raises(InputError, match="expected the code of the target language"):
        Document.read("e.tmx", one.encode()).translated({0: "x"})


def test_html() -> None:
    document = Document.read("f.html", HTML.encode())
    assert [unit.source for unit in document.units] == [
        "My page",
        'A "page"',
        "Hello & <B>welcome</B>",
        'See <a href="x.html" title="A link">the   link</a>, <code id="3"/>.<br>\n  Two — lines.',
        "A link",
        "One",
        "Two",
        "A picture",
        'a < b, and <span id="1"/> <tag>',
        "Cell",
        "Send",
    ]
    edited(
        "f.html",
        {
            1: 'La "página"',
            2: "<B>Hola</B> & ya",
            3: '<code id="3"/>: <a href="x.html" title="A link">el enlace</a><br>',
            4: "Un <enlace>",
            5: "Uno",
            7: "Una foto",
        },
        ("A &quot;page&quot;", 'La "página"'),
        ("Hello &amp; <B>welcome</B>", "<B>Hola</B> &amp; ya"),
        (
            'See <a href="x.html" title="A link">the   link</a>, <code>x &lt; 1</code>.<br>\n'
            "  Two &mdash; lines.",
            '<code>x &lt; 1</code>: <a href="x.html" title="Un &lt;enlace&gt;">el enlace</a><br>',
        ),
        ("<b>One</b>", "<b>Uno</b>"),
        ("A picture", "Una foto"),
        ('<html lang="en">', '<html lang="es">'),
    )


def test_markdown() -> None:
    document = Document.read("h.md", MARKDOWN.encode())
    assert [unit.source for unit in document.units] == [
        "A heading",
        "A paragraph with *emphasis*,\nand `code`.",
        "After a break.",
        "A quotation\non two lines.",
        "item one",
        "item two\ncontinued",
        "a task inside",
        "First",
        "Second",
        "Below",
        "Name",
        "Value",
        "a b",
        "c | d",
        "In the year\n1986. it was <b>so</b>.",
    ]
    assert {unit.profile for unit in document.units} == {"markdown"}
    edited(
        "h.md",
        {0: "Título", 1: "Un párrafo con `code`", 3: "# cita", 6: "una tarea", 13: "x | y", 14: "3. de mayo"},
        ("A heading", "Título"),
        ("A paragraph with *emphasis*,\nand `code`.", "Un párrafo con `code`"),
        ("A quotation\n> on two lines.", "\\# cita"),
        ("a task inside", "una tarea"),
        ("c \\| d", "x \\| y"),
        ("In the year\n1986. it was <b>so</b>.", "3\\. de mayo"),
    )
    complaints = document.complaints({1: "Un párrafo", 14: "El año <b>x</b>."})
    assert [(one.unit, one.reason, one.line) for one in complaints] == [
        (1, "the translation has no '`code`'", 6)
    ]


def test_notes_of_markdown_are_text_and_addresses_are_not() -> None:
    content = "Text.[^1]\n\n[^1]: A note\n    on two lines.\n[^b]: Another.\n\n[ref]: http://a.b\n"
    document = Document.read("a.md", content.encode())
    assert [unit.source for unit in document.units] == ["Text.[^1]", "A note\non two lines.", "Another."]


def test_subtitles() -> None:
    document = Document.read("j.srt", SRT.encode())
    assert [unit.source for unit in document.units] == ["Hello there,\n<i>my friend</i>.", "- Who?\n- Me."]
    assert [unit.lines for unit in document.units] == [False, True]
    edited(
        "j.srt",
        {0: "Hola, qué tal <i>amigo mío</i>.", 1: "- ¿Quién?\n\n- Yo."},
        ("Hello there,\n<i>my friend</i>.", "Hola, qué tal\n<i>amigo mío</i>."),
        ("- Who?\n- Me.", "- ¿Quién?\n- Yo."),
    )
    (unit,) = Document.read("l.vtt", VTT.encode()).units
    assert unit.source == "<v Ann>Hello</v>"


def test_opendocument() -> None:
    document = Document.read("m.odt", package())
    assert [unit.plain for unit in document.units] == [
        "Title",
        "One boldword.",
        "A note.",
        "Item",
        "In a box",
    ]
    sentence = document.units[1]
    assert sentence.tags == (
        '<text:span\n text:style-name="T1">',
        "</text:span>",
        '<text:s text:c="2"/>',
        '<text:note id="4"/>',
    )
    one, two, space, note = sentence.tags
    out = document.translated({1: f"Palabra{note} {one}negrita{two}{space}&", 2: "Nota."})
    with zipfile.ZipFile(io.BytesIO(out)) as changed, zipfile.ZipFile(io.BytesIO(package())) as before:
        assert changed.namelist() == before.namelist()
        assert [m.compress_type for m in changed.infolist()] == [m.compress_type for m in before.infolist()]
        assert changed.read("styles.xml") == before.read("styles.xml")
        text = changed.read("content.xml").decode()
    start, end = CONTENT.index("One <"), CONTENT.index("\n<text:p/>") - len("</text:p>")
    moved = CONTENT[CONTENT.index("<text:note ") : CONTENT.index("</text:note>")].replace("A note.", "Nota.")
    assert text == (
        CONTENT[:start]
        + f'Palabra{moved}</text:note> {one}negrita{two}<text:s text:c="2"/>&amp;'
        + CONTENT[end:]
    )


def test_tables() -> None:
    edited(
        "q.tsv",
        {0: "un", 1: "dos", 2: 'el "3"'},
        ("uno", "un"),
        ("two\t", "two\tdos"),
        ("three\t", 'three\t"el ""3"""'),
    )
    edited(
        "p.csv",
        {0: "c;d", 1: "dos"},
        ("note", "note;target"),
        ('"x ""y"""', '"x ""y""";"c;d"'),
        ("2;;", "2;;;"),
        ("3;two;", "3;two;;dos"),
    )


def test_a_text() -> None:
    edited("n.txt", {1: "dos\ntres"}, ("two\tthree", "dos tres"))
    document = Document.read("a", "uno\ndos".encode("utf-16"))
    assert document.translated({1: "día"}).decode("utf-16") == "uno\ndía"


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a", "text"),
        ("a.pt_BR", "text"),
        ("a.es", "text"),
        ("a.ES-mx", "text"),
        ("a.PO", "po"),
        ("x/y.HTML", "html"),
    ],
)
def test_the_ending_tells_the_format(name: str, format: str) -> None:
    content = b'msgid "a"\nmsgstr ""\n' if format == "po" else b"hello"
    document = Document.read(name, content, language="pt-BR", languages=("es", None))
    assert (document.format, len(document.units)) == (format, 1)


UNKNOWN = ("ass", "c", "de", "en_gb", "ini", "js", "php", "py", "tex", "toml", "sh")
"""Endings of files that are no texts, and of languages that the system does not have."""


@pytest.mark.parametrize(
    ("name", "format", "message"),
    [
        ("a.epub", None, "expected a file with one of the endings csv, .* or a format; got .epub"),
        *((f"a.{ending}", None, f"or a format; got .{ending}") for ending in UNKNOWN),
        ("a.txt", "os:path", "expected a format of csv, .*, got 'os:path'"),
        ("a.txt", "xlf", "a.txt:1: expected an XLIFF file"),
    ],
)
def test_unknown_formats(name: str, format: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Document.read(name, b"hello", format)


class Shouted(Format):
    """A format of another package."""

    def __init__(self, content: bytes, language: str | None = None) -> None:
        if not content.isupper():
            raise ValueError("too quiet")
        self.units = [Unit(content.decode())]

    def translated(self, targets, drafts, language) -> bytes:  # type: ignore[no-untyped-def]
        return str(targets[0]).upper().encode()


def test_other_packages_add_formats() -> None:
    with pytest.raises(PluginError, match="must be a subclass of"):
        FORMATS.register(str, name="loud")  # type: ignore[arg-type]
    FORMATS.register(Shouted, name="loud")
    try:
        assert Document.read("a.loud", b"HELLO").translated({0: "hola"}) == b"HOLA"
        with pytest.raises(PluginError, match=r"loud: ValueError: too quiet \(.*test_formats.py"):
            Document.read("a.loud", b"hello")
    finally:
        del FORMATS.registered["loud"]


def test_source_tags_that_do_not_nest_stay_as_they_are() -> None:
    (unit,) = Document.read("a.html", b"<p>a <b>c <i>d</b></i></p>").units
    assert "".join(piece for piece, _ in fitting(unit, unit.source)) == unit.source


HOSTILE: dict[str, Callable[[], bytes]] = {
    "deep.xlf": lambda: b"<a>" * 100_000,
    "wide.xlf": lambda: b"<a>" + b"<b/>" * 300_001 + b"</a>",
    "entity.tmx": lambda: TMX.replace('"tmx14.dtd"', '"x" [<!ENTITY a "b">]').encode(),
    "used.tmx": lambda: TMX.replace("two", "&undefined;").encode(),
    "bomb.odt": lambda: package(CONTENT.replace("Title", "x" * (65 << 20))),
    "none.odt": lambda: b"PK\x03\x04" + b"\0" * 100,
    "text.odt": lambda: b"hello",
    "entity.odt": lambda: package(CONTENT.replace("?>", '?><!DOCTYPE x [<!ENTITY a "b">]>')),
    "utf7.html": lambda: b"<meta charset=utf-7><p>+ADw-script+AD4-</p>",
    "codec.html": lambda: b"<meta charset=zlib_codec><p>x</p>",
    "times.srt": lambda: b"hello\n" * 1000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_documents_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=rf"^{name}"):
        Document.read(name, HOSTILE[name](), language="es")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.html", "<" * 200_000),
        ("a.html", "<!--" * 50_000),
        ("a.html", "<a " * 50_000),
        ("a.html", '<a b="' * 30_000),
        ("a.html", "<b>" * 20_000 + "x" + "</i>" * 20_000),
        ("a.html", "<b>" * 20_000 + "x" + "</b>" * 20_000),
        ("a.html", "<pre>" * 50_000),
        ("a.html", "&" * 200_000),
        ("a.md", "> " * 50_000),
        ("a.md", "- " * 50_000 + "x"),
        ("a.md", "`" * 200_000),
        ("a.md", "|" * 100_000 + "\n|-|\n" + "|`" * 100_000),
        ("a.md", "[" * 200_000),
        ("a.md", "-" * 200_000 + "x"),
        ("a.md", "#" + " " * 200_000 + "x"),
        ("a.md", "x" + " " * 200_000 + "x"),
        ("a.csv", '"' * 200_001 + ","),
        ("a.csv", "," * 200_000),
        ("a.srt", "0:0:0,0 --> 0:0:0,0\n<" * 20_000),
        ("a.srt", "0:0:0,0 --> 0:0:0,0\n" + "\n" * 1 + "<a" * 100_000),
        ("a.po", 'msgid "a"\nmsgstr ""\n' * 5_000 + '"' + "\\" * 200_000),
        ("a.po", 'msgid "' + "a " * 100_000 + '"\nmsgstr ""\n'),
        ("a.txt", " " * 500_000 + "\n"),
        ("a.xlf", "<a " + "b='" * 100_000),
    ],
)
def test_hostile_documents_end(name: str, content: str) -> None:
    """They are read, and written, in a time that grows with their size: this test would not end else."""
    try:
        document = Document.read(name, content.encode())
    except InputError:
        return
    document.translated({i: unit.source for i, unit in enumerate(document.units)})


def test_a_number_may_have_the_separators_of_the_language() -> None:
    document = Document.read("a.txt", b"It has 3.5 MB, see https://e.org.\n")
    assert document.complaints({0: "Tiene 3,5 MB: https://e.org."}) == []
    (found,) = document.complaints({0: "Tiene 4,5 MB: https://e.org."})
    assert found.reason == "the translation has no '3.5 MB'; the source has no '4,5 MB'"


def test_lost_tags_and_placeholders_are_named_together() -> None:
    document = Document.read("a.html", b"<p>See <b>this</b> at https://e.org.</p>")
    (found,) = document.complaints({0: "Vea <b>esto."})
    assert found.reason == "the translation has no '</b>'; the translation has no 'https://e.org'"

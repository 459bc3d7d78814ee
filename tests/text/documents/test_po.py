"""Catalogues of gettext: what is written is what msgfmt reads, and nothing else changes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from hopefear.base import InputError
from hopefear.text.documents import Document, State

CATALOGUE = (Path(__file__).parent / "samples" / "catalogue.po").read_text("utf-8")
HEADER = CATALOGUE[: CATALOGUE.index("#. for translators")]
CORPUS = Path(os.environ.get("HOPEFEAR_SHARED", "../shared"), "data", "python-docs")
PLACES = sorted(CORPUS.glob("*/po/*/*.po"))


def test_messages_contexts_flags_and_plural_forms_are_read() -> None:
    document = Document.read("a.po", CATALOGUE.encode())
    assert [unit.source for unit in document.units] == [
        "Open %s",
        'one\n\ttwo "quoted" \\ back\n',
        "new %d",
        "{n} file",
        "{n} files",
    ]
    assert [unit.state for unit in document.units] == [
        State.NEW,
        State.DONE,
        State.DRAFT,
        State.NEW,
        State.NEW,
    ]
    assert [unit.profile for unit in document.units] == ["printf", "plain", "printf", "printf", "printf"]
    first = document.units[0]
    assert (first.context, first.notes, first.line) == ("menu", "for translators", 13)
    assert Document.read("a.po", CATALOGUE.encode(), profile="rst").units[1].profile == "rst"


def test_only_the_translation_changes() -> None:
    document = Document.read("a.po", CATALOGUE.encode())
    out = document.translated({0: "Abrir %s"}, language="es").decode()
    wanted = CATALOGUE.replace('msgid "Open %s"\nmsgstr ""', 'msgid "Open %s"\nmsgstr "Abrir %s"')
    assert out == wanted.replace('"Language: \\n"', '"Language: es\\n"')


def test_a_replaced_translation_is_no_longer_fuzzy() -> None:
    document = Document.read("a.po", CATALOGUE.encode())
    out = document.translated({2: "nuevo %d"}, language="es").decode()
    assert '#, c-format\nmsgid "new %d"\nmsgstr "nuevo %d"\n' in out
    assert "old" not in out


def test_a_translation_that_lost_a_placeholder_is_fuzzy_and_named() -> None:
    document = Document.read("a.po", CATALOGUE.encode())
    targets = {0: "Abrir", 3: "un fichero", 4: "{n} {n} ficheros"}
    assert [(one.unit, one.reason, one.line) for one in document.complaints(targets)] == [
        (0, "the translation has no '%s'", 13),
        (4, "the translation has '{n}' more often", 27),
    ]
    out = document.translated(targets).decode()
    assert '#, fuzzy, c-format\nmsgctxt "menu"' in out
    assert out.count("fuzzy") == 3
    assert 'msgstr[0] "un fichero"\nmsgstr[1] "{n} {n} ficheros"' in out


def test_line_feeds_at_the_ends_are_those_of_the_message() -> None:
    out = Document.read("a.po", CATALOGUE.encode()).translated({1: "uno\n\tdos", 0: "\nAbrir %s\n"}).decode()
    assert 'msgstr ""\n"uno\\n"\n"\\tdos\\n"\n' in out
    assert 'msgstr "Abrir %s"' in out


@pytest.mark.parametrize(
    ("language", "forms", "rule"),
    [("ja", 1, "nplurals=1; plural=0;"), ("es-MX", 2, "plural=(n != 1);"), ("pl", 3, "nplurals=3;")],
)
def test_a_template_becomes_a_catalogue(language: str, forms: int, rule: str) -> None:
    template = CATALOGUE.replace("charset=UTF-8", "charset=CHARSET").replace(
        "nplurals=2; plural=(n != 1);", "nplurals=INTEGER; plural=EXPRESSION;"
    )
    document = Document.read("a.pot", template.encode(), language=language)
    assert len(document.units) == 3 + forms
    targets = {3 + form: f"{{n}} ñ {form}" for form in range(forms)}
    out = document.translated(targets, language=language).decode()
    assert out.count("msgstr[") == forms
    assert rule in out and "charset=UTF-8" in out and f"Language: {language}\\n" in out


def test_long_lines_are_broken_as_the_catalogue_breaks_them() -> None:
    text = "word " * 40
    wrapped = (
        HEADER + 'msgid ""\n"a long message that is broken after a blank because it is so long that it "\n'
    )
    wrapped += '"needs two lines"\nmsgstr ""\n'
    out = Document.read("a.po", wrapped.encode()).translated({0: text.strip()}).decode()
    lines = out[out.rindex("msgstr") :].splitlines()
    assert lines[0] == 'msgstr ""' and max(map(len, lines)) == 72 and len(lines) == 4
    whole = HEADER + f'msgid "{text}"\nmsgstr ""\n'
    assert (
        f'msgstr "{text.strip()}"'
        in Document.read("a.po", whole.encode()).translated({0: text.strip()}).decode()
    )


def test_the_encoding_of_the_header_is_kept() -> None:
    content = CATALOGUE.replace("UTF-8", "ISO-8859-1").replace("uno", "año").encode("latin-1")
    document = Document.read("a.po", content)
    assert document.units[1].target == "año\n"
    assert "señal %s".encode("latin-1") in document.translated({0: "señal %s"})
    assert [one.reason for one in document.complaints({0: "日本 %s"})] == [
        "the document's encoding lacks 日本"
    ]
    assert document.translated({0: "日本 %s"}) == content


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("msgid msgstr\n", r"a.po:1: expected a line of a catalogue"),
        ('msgid "a"\n"b\nmsgstr ""\n', "a.po:2: expected a line"),
        ('msgid "a"\n', "a.po:1: expected msgstr"),
        ('msgid "a"\n# comment\nmsgstr ""\n', "a.po:2: expected msgstr, got a comment"),
        ('msgid "a"\nmsgid "b"\nmsgstr ""\n', "a.po:2: expected a line"),
        ('msgstr "a"\n', "a.po:1: expected a line"),
        ("Hello\n", "a.po:1: expected a line"),
        ("\xff", "expected a text in UTF-8"),
        ('"Content-Type: text/plain; charset=utf-7\\n"\n', "the encoding that it declares, utf-7"),
    ],
)
def test_what_is_no_catalogue(content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Document.read("a.po", content.encode("latin-1"))


@settings(max_examples=30)
@given(some.lists(some.text(some.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_any_text_is_read_as_it_was_written(texts: list[str]) -> None:
    content = HEADER + "".join(f'msgid "{number}"\nmsgstr ""\n\n' for number in range(len(texts)))
    written = Document.read("a.po", content.encode()).translated(dict(enumerate(texts)))
    read = Document.read("a.po", written)
    assert [unit.target or "" for unit in read.units] == [text.strip("\n") for text in texts]


@pytest.mark.skipif(not PLACES, reason="the shared python-docs is not there")
def test_real_catalogues_stay_and_their_own_translations_change_only_line_ends() -> None:
    for path in PLACES:
        content = path.read_bytes()
        document = Document.read(path.name, content)
        assert document.translated({}) == content
        drafts = {i for i, unit in enumerate(document.units) if unit.state is State.DRAFT}
        same = {i: unit.target for i, unit in enumerate(document.units) if unit.target}
        out = Document.read(path.name, document.translated(same, drafts=drafts))
        assert out.units == document.units or [(a.source, a.target, a.state) for a in out.units] == [
            (a.source, a.target, a.state) for a in document.units
        ]


@pytest.mark.skipif(shutil.which("msgfmt") is None, reason="msgfmt is not installed")
def test_msgfmt_accepts_what_is_written(tmp_path: Path) -> None:
    for number, path in enumerate(PLACES):
        document = Document.read(path.name, path.read_bytes())
        targets = {i: unit.source.replace("the", 'ÑÑ\t"x\\y') for i, unit in enumerate(document.units)}
        check(tmp_path / f"{number}.po", document.translated(targets, language="es"))
    document = Document.read("a.po", CATALOGUE.encode())
    targets = {0: "Abrir %s\n", 1: "uno", 2: "perdido", 3: "un fichero", 4: "{n} ficheros"}
    check(tmp_path / "a.po", document.translated(targets, language="es"))
    template = CATALOGUE.replace("charset=UTF-8", "charset=CHARSET").replace(
        "nplurals=2; plural=(n != 1);", "nplurals=INTEGER; plural=EXPRESSION;"
    )
    for language in ("ja", "es", "ru", "ar", "sl"):
        document = Document.read("a.pot", template.encode(), language=language)
        targets = {i: unit.source for i, unit in enumerate(document.units)}
        check(tmp_path / f"{language}.po", document.translated(targets, language=language))


def check(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    command = ["msgfmt", "--check-format", "--check-domain", "-o", os.devnull, str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

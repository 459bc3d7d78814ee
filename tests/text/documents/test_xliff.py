"""XLIFF as tools write it: segments, versions, protected text, placeholders, lines."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from hopefear.base import InputError
from hopefear.text.documents import DividedUnit, Document, State

NAMESPACE = 'xmlns="urn:oasis:names:tc:xliff:document:1.2"'
FILE = (
    '<xliff version="1.2" {}><file source-language="en" target-language="es" original="a"><body>{}</body>'
    "</file></xliff>"
)
SOURCE = (
    '<source>One. Two.</source><seg-source><mrk mtype="seg" mid="1">One.</mrk> '
    '<mrk mtype="seg" mid="2">Two.</mrk></seg-source>'
)
BOTH = '<mrk mtype="seg" mid="1">Uno.</mrk> <mrk mtype="seg" mid="2">Dos.</mrk>'


def read(unit: str, namespace: str = NAMESPACE, **options: str) -> Document:
    content = FILE.format(namespace, f'<trans-unit id="1">{unit}</trans-unit>')
    return Document.read("a.xlf", content.encode(), **options)


def translated(document: Document, *targets: str) -> str:
    out = document.translated(dict(enumerate(targets)), language="es")
    ElementTree.fromstring(out)
    complaints = document.complaints(dict(enumerate(targets)))
    assert document.differences(out, complaints) == []
    return out.decode()


@pytest.mark.parametrize(
    "target", ["", "<target/>", '<target><mrk mtype="seg" mid="1"/> <mrk mtype="seg" mid="2"></mrk></target>']
)
def test_each_segment_is_a_unit_and_stays_in_its_mark(target: str) -> None:
    document = read(SOURCE + target)
    assert [(unit.source, unit.state) for unit in document.units] == [
        ("One.", State.NEW),
        ("Two.", State.NEW),
    ]
    assert f'<target state="translated">{BOTH}</target>' in translated(document, "Uno.", "Dos.")
    half = translated(document, "Uno.")
    assert '<target state="needs-review-translation"><mrk mtype="seg" mid="1">Uno.</mrk>' in half


def test_a_segment_that_is_translated_stays() -> None:
    document = read(SOURCE + '<target><mrk mtype="seg" mid="1"/> <mrk mtype="seg" mid="2">2</mrk></target>')
    assert [unit.target for unit in document.units] == [None, "2"]
    assert BOTH.replace("Dos.", "2") in translated(document, "Uno.")


def test_a_translation_without_segments_is_that_of_the_whole() -> None:
    (unit,) = read(SOURCE + "<target>Uno y dos.</target>").units
    assert (unit.target, unit.state, len(unit.codes)) == ("Uno y dos.", State.DONE, 4)


@pytest.mark.parametrize("protected", ['mtype="protected"', 'mtype="x-a" translate="no"'])
def test_protected_text_stays(protected: str) -> None:
    document = read(f"<source>Say <mrk {protected}>the light</mrk>.</source>")
    (tag,) = document.units[0].tags
    assert f"<mrk {protected}>the light</mrk> digo" in translated(document, f"{tag} digo")
    assert [one.reason for one in document.complaints({0: "digo"})] == [f"the translation has no {tag!r}"]


@pytest.mark.parametrize(
    "kept",
    ["%@", "%1$@", "{{ a }}", "{{a.b}}", "${a}", "%name%", "{0}", "%1$s", "{n, plural, one {# x} other {y}}"],
)
def test_placeholders_of_programs_stay(kept: str) -> None:
    document = read(f"<source>See {kept} now.</source>")
    assert [one.reason for one in document.complaints({0: "Mira."})] == [f"the translation has no {kept!r}"]


def test_profiles_add_up() -> None:
    document = read("<source>See ``a b`` at {0}.</source>", profile="rst")
    assert [one.reason for one in document.complaints({0: "Mira."})] == [
        "the translation has no '``a b``'; the translation has no '{0}'"
    ]


def test_lines_of_preserved_space_stay() -> None:
    unit = read('<source xml:space="preserve">One\ntwo</source>').units[0]
    assert len(DividedUnit(unit).places) == 2
    assert len(DividedUnit(read("<source>One\ntwo</source>").units[0]).places) == 1


@pytest.mark.parametrize("namespace", ["", NAMESPACE.replace("1.2", "1.1")])
def test_files_without_a_namespace_and_of_version_1_1_are_read(namespace: str) -> None:
    out = translated(read("<source>One.</source>", namespace), "Uno.")
    assert '<target state="translated">Uno.</target>' in out


def test_other_versions_are_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match=r"got <xliff> 1.2 of the namespace 'urn:x'"):
        read("<source>One.</source>", 'xmlns="urn:x"')


def test_new_elements_have_the_line_ends_of_the_document() -> None:
    document = read("\r\n  <source>One.</source>\r\n")
    assert "</source>\r\n  <target state=" in translated(document, "Uno.")


def test_a_changed_state_has_no_old_sub_state() -> None:
    content = (
        '<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="es">'
        '<file id="f"><unit id="u"><segment state="initial" subState="a:b"><source>One.</source></segment>'
        "</unit></file></xliff>"
    )
    out = translated(Document.read("a.xlf", content.encode()), "Uno.")
    assert '<segment state="translated"><source>' in out


def test_a_memory_of_all_languages_is_read() -> None:
    content = (
        '<tmx version="1.4"><header srclang="*all*"/><body><tu srclang="*all*"><tuv xml:lang="es">'
        '<seg>Uno</seg></tuv><tuv xml:lang="en"><seg>One</seg></tuv></tu></body></tmx>'
    )
    (unit,) = Document.read("a.tmx", content.encode(), language="es").units
    assert (unit.source, unit.target) == ("One", "Uno")


def test_another_translation_is_not_approved() -> None:
    content = FILE.format(
        NAMESPACE, '<trans-unit id="1" approved="yes"><source>a</source><target>b</target></trans-unit>'
    )
    document = Document.read("a.xlf", content.encode())
    assert 'approved="no"' in translated(document, "c")
    assert b'approved="yes"' in document.translated({0: "b"})

"""``hopefear translate``: documents in, documents out."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sessions import write_written_system

from ..conftest import Run

GIVEN = ("translate", "-c", "cdec.ini", "-w", "weights")
HEADER = 'msgid ""\nmsgstr ""\n"Language: \\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'


def test_a_catalogue(run: Run, toy: Path) -> None:
    content = HEADER + (
        'msgid "la casa"\nmsgstr ""\n\nmsgid "la\\n"\nmsgstr "kept\\n"\n\n'
        '#, fuzzy\nmsgid "la  casa.  la roja."\nmsgstr "kept"\n'
    )
    (toy / "a.po").write_text(content)
    more = "[X] ||| casa. ||| house. ||| p=0\n[X] ||| roja. ||| red. ||| p=0\n"
    (toy / "grammar").write_text((toy / "grammar").read_text() + more)
    done = run(*GIVEN, "a.po", "-o", "b.po", "--language", "en")
    wanted = content.replace('"la casa"\nmsgstr ""', '"la casa"\nmsgstr "the house"')
    assert (toy / "b.po").read_text() == wanted.replace("Language: ", "Language: en")
    assert done.stderr == "a.po: 1 units translated, 2 kept\n"
    run(*GIVEN, "a.po", "-o", "b.po", "--replace")
    out = (toy / "b.po").read_text()
    assert 'msgid "la  casa.  la roja."\nmsgstr "the house. the red."' in out and "fuzzy" not in out


def test_tags_around_sentences_stay_where_they_are(run: Run, toy: Path) -> None:
    (toy / "a.html").write_text("<p><b>la casa</b></p>\n<p><i>la</i>\n casa<br>la &amp; roja</p>")
    run(*GIVEN, "a.html", "-o", "b.html", status=1)
    first = (toy / "b.html").read_text().splitlines()[0]
    assert first == "<p><b>the house</b></p>"


def test_what_is_lost_is_named_with_file_and_line(run: Run, toy: Path) -> None:
    (toy / "grammar").write_text((toy / "grammar").read_text() + "[X] ||| https://a.b/c ||| page ||| p=0\n")
    (toy / "a.md").write_text("# la casa\n\nla https://a.b/c\n")
    done = run(*GIVEN, "a.md", "-o", "b.md", status=1)
    wanted = "a.md:3: the translation has no 'https://a.b/c'\na.md: 2 units translated, 0 kept, 1 to check\n"
    assert done.stderr == wanted
    assert (toy / "b.md").read_text().startswith("# the house\n\n")


def test_a_unit_without_a_translation_stays(run: Run, toy: Path) -> None:
    (toy / "cdec.ini").write_text((toy / "cdec.ini").read_text() + "add_pass_through_rules=false\n")
    (toy / "a.txt").write_text("la casa\nperro\n")
    done = run(*GIVEN, "a.txt", "-o", "b.txt", status=1)
    assert (toy / "b.txt").read_text() == "the house\nperro\n"
    first, last = done.stderr.splitlines()
    assert first.startswith("a.txt:2: no translation: ")
    assert last == "a.txt: 1 units translated, 0 kept, 1 without a translation"
    run(*GIVEN, "a.txt", "-o", "b.txt", "--max-words", "1", status=1)
    assert (toy / "b.txt").read_text() == "la casa\nperro\n"


def test_several_documents_go_to_a_folder(run: Run, toy: Path) -> None:
    (toy / "a.txt").write_text("la casa\n")
    (toy / "b.csv").write_text("source,target\nla casa,\nla,kept\n")
    run(*GIVEN, "a.txt", "b.csv", "-o", "out", "--threads", "2")
    assert (toy / "out" / "a.txt").read_text() == "the house\n"
    assert (toy / "out" / "b.csv").read_text() == "source,target\nla casa,the house\nla,kept\n"
    (toy / "again").mkdir()
    (toy / "again" / "a.txt").write_text("la\n")
    done = run(*GIVEN, "a.txt", "again/a.txt", "-o", "out", status=2)
    assert "expected documents of different names, got a.txt twice" in done.stderr
    (toy / "there").touch()
    done = run(*GIVEN, "a.txt", "b.csv", "-o", "there", status=2)
    assert "expected a folder for 2 documents, got a file" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.txt",), "none.txt: cannot be read: No such file or directory"),
        (("a.po",), "a.po:2: expected a line of a catalogue"),
        (("a.txt", "--profile", "tex"), "expected one of plain, rst, markdown"),
        (("a.txt", "--format", "epub"), "expected a format of csv"),
    ],
)
def test_wrong_input_writes_nothing(run: Run, toy: Path, arguments: tuple[str, ...], message: str) -> None:
    (toy / "a.txt").write_text("la\n")
    (toy / "a.po").write_text('msgid "a"\nla casa\n')
    assert message in run(*GIVEN, *arguments, "-o", "out", status=2).stderr
    assert not (toy / "out").exists()


def test_a_document_cannot_name_grammars_or_be_a_lattice(run: Run, toy: Path) -> None:
    content = '<seg grammar="/etc/passwd">la</seg>\n((("la",0,1),),)\nla ||| the red\n'
    (toy / "a.txt").write_text(content)
    done = run(*GIVEN, "a.txt", "-o", "b.txt", status=1)
    assert (toy / "b.txt").read_text() == content
    reasons = done.stderr.splitlines()[:3]
    assert all("no translation: no derivation covers" in reason for reason in reasons)


def test_an_equal_sentence_of_which_less_is_kept_is_another_one(run: Run, tmp_path: Path) -> None:
    """Braces are a placeholder by one flag only: there the word in them is not translated."""
    write_written_system(tmp_path)
    message = '#, {}\nmsgctxt "{}"\nmsgid "la {{casa}} verde"\nmsgstr "{}"\n\n'
    kinds = {"c-format": "her {home} raw", "python-brace-format": "her {casa} raw"}
    for order in (kinds, [*kinds][::-1]):
        text, wanted = (
            HEADER + "".join(message.format(kind, kind, said[kind]) for kind in order)
            for said in (dict.fromkeys(kinds, ""), kinds)
        )
        (tmp_path / "a.po").write_text(text)
        run(*GIVEN, "a.po", "-o", "b.po")
        assert (tmp_path / "b.po").read_text() == wanted

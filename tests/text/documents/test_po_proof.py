"""Catalogues are proven: what msgfmt would refuse is named, and what it accepts is written."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hopefear.text.documents import Document, Po

HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n{}\n'
TWO = HEADER.format('"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n')
THREE = HEADER.format(
    '"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 ? 1 : 2);\\n"\n'
)
PLURAL = '#, c-format\nmsgid "One file"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""\n'


@pytest.mark.parametrize(
    ("flag", "source", "placeholders"),
    [
        ("c", "% 5.*f of %<PRIu64> %m 100%%", ["% 5.*f", "%<PRIu64>", "%m", "%%"]),
        ("objc", "Hi %1$@ and %@", ["%1$@", "%@"]),
        ("perl", "a '%s' %vd", ["%s", "%vd"]),
        ("perl-brace", "a {one} { b }", ["{one}"]),
        ("python, python-brace", "%(a b)s in {0:{1}}", ["%(a b)s", "{0:{1}}"]),
        ("php", "%'*10s %1$05d", ["%'*10s", "%1$05d"]),
        ("qt", "a %1 to %L2 %n", ["%1", "%L2", "%n"]),
        ("kde", "%2 to %1.", ["%2", "%1"]),
        ("ruby", "%{a}, %<b>05d %s", ["%{a}", "%<b>05d", "%s"]),
        ("sh", "a $one ${two}.", ["$one", "${two}"]),
        ("lua", "a %s", ["%s"]),
        ("java", "it''s {0} '{1}'", ["''", "{0}", "'{1}'"]),
        ("java-printf", "%1$s %tY %n", ["%1$s", "%tY", "%n"]),
        ("boost", "%1% %|2$s| %s", ["%1%", "%|2$s|", "%s"]),
        ("lisp", "~a ~3,'0d ~:@r", ["~a", "~3,'0d", "~:@r"]),
        ("scheme", "a ~s", ["~s"]),
        ("tcl", "a %1$s", ["%1$s"]),
        ("gcc-internal", "%<a%> %qs %wd", ["%<", "%>", "%qs", "%wd"]),
        ("no-c", "100% of all", []),
    ],
)
def test_the_placeholders_of_all_flags(flag: str, source: str, placeholders: list[str]) -> None:
    flags = ", ".join(f"{name}-format" for name in flag.split(", "))
    content = f'{TWO}#, {flags}\nmsgid "{source}"\nmsgstr ""\n'
    document = Document.read("a.po", content.encode())
    (complaint,) = document.complaints({0: "x"}) or [None]
    lost = "; ".join(f"the translation has no {one!r}" for one in dict.fromkeys(placeholders))
    assert (complaint.reason if complaint else "") == lost


@pytest.mark.parametrize(
    ("singular", "plural", "target", "reason"),
    [
        ("%d file", "%d files", "a file", ""),
        ("%(who)s has a file", "%(who)s has %(n)d files", "a file", "the translation has no '%(who)s'"),
        ("%1$s has %2$d file", "%1$s has %2$d files", "%1$s has a file", ""),
        ("%1$s has %2$d file", "%1$s has %2$d files", "%2$d file", "the translation has no '%1$s'"),
        ("{n} of {m}", "{n} of {m}", "{n}", "the translation has no '{m}'"),
    ],
)
def test_the_form_for_one_may_leave_out_the_number_alone(
    singular: str, plural: str, target: str, reason: str
) -> None:
    flag = "python-brace" if "{" in singular else "python" if "(" in singular else "c"
    content = (
        f'{TWO}#, {flag}-format\nmsgid "{singular}"\nmsgid_plural "{plural}"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    )
    found = Document.read("a.po", content.encode()).complaints({0: target})
    assert [one.reason for one in found] == [reason] * bool(reason)


def test_a_form_for_one_and_twenty_one_needs_the_number() -> None:
    two, three = (Document.read("a.po", (head + PLURAL).encode()) for head in (TWO, THREE))
    assert [unit.source for unit in two.units] == ["One file", "%d files"]
    assert [unit.source for unit in three.units] == ["%d files"] * 3


def test_line_feeds_at_both_ends_are_as_many_as_those_of_the_message() -> None:
    content = f'{TWO}msgid "\\n\\nOne.\\n\\n\\n"\nmsgstr ""\n'
    out = Document.read("a.po", content.encode()).translated({0: "Uno.\n"})
    (unit,) = Document.read("a.po", out).units
    assert unit.target == "\n\nUno.\n\n\n"


def test_flags_of_an_obsolete_message_are_its_own() -> None:
    content = f'{TWO}#, fuzzy, c-format\n#~ msgid "%s"\n#~ msgstr "%s"\n\nmsgid "One."\nmsgstr ""\n'
    document = Document.read("a.po", content.encode())
    assert document.units[0].placeholders is None
    out = document.translated({0: "Uno."})
    assert b"#, fuzzy, c-format\n#~" in out and document.differences(out) == []


def test_a_header_without_a_last_line_feed_is_completed() -> None:
    content = (
        b'msgid ""\nmsgstr "Content-Type: text/plain; charset=latin1"\n\nmsgid "One" ".\\n"\nmsgstr ""\n'
    )
    document = Document.read("a.po", content)
    assert document.units[0].source == "One.\n"
    out = document.translated({0: "Día."}, language="es")
    assert 'charset=latin1\\n"\n"Language: es\\n' in out.decode("latin-1")
    assert Document.read("a.po", out).units[0].target == "Día.\n" and document.differences(out) == []


MESSAGE = '# note\n#, c-format\nmsgctxt "c"\nmsgid "One %s\\n"\nmsgstr ""\n\n'
GOOD = f'{TWO}{MESSAGE}{PLURAL}\n#~ msgid "x"\n#~ msgstr "y"\n'


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('msgstr ""\n\n', 'msgstr "Uno %s\\n"\n\n'), None),
        (('msgstr ""\n\n', 'msgstr "Uno\\n"\n\n'), "msgstr has other placeholders"),
        (('msgstr ""\n\n', 'msgstr "Uno %s"\n\n'), "msgstr has not the line feeds"),
        (('msgstr ""\n\n', 'msgstr "Uno %s\\n\n\n'), "the written catalogue cannot be read"),
        (("# note", "# not"), "the message has other comments"),
        (("#~ msgid", "#~msgid"), "the message has other comments"),
        (('"One %s', '"Uno %s'), "the message is another one"),
        (('msgctxt "c"', 'msgctxt "d"'), "the message is another one"),
        (("#, c-format\nmsgctxt", "#, fuzzy, c-format\nmsgctxt"), "the state of a translation changed"),
        (('msgstr[0] ""\nmsgstr[1] ""', 'msgstr[0] "Uno"'), "the message has the forms"),
        (('msgstr[0] ""\nmsgstr[1] ""', 'msgstr[0] "Uno"\nmsgstr[1] "%d"'), None),
        (
            ('msgstr[0] ""\nmsgstr[1] ""', 'msgstr[0] "%s"\nmsgstr[1] "%d"'),
            "msgstr[0] has other placeholders",
        ),
        (("Plural-Forms: nplurals=2", "X-Forms: nplurals=2"), "the header has other fields"),
    ],
)
def test_what_else_changes_is_named(change: tuple[str, str], reason: str | None, tmp_path: Path) -> None:
    assert GOOD.count(change[0]) == 1
    written = GOOD.replace(*change).encode()
    found = Po.differences(GOOD.encode(), written)
    assert [one.reason[: len(reason or "")] for one in found] == ([] if reason is None else [reason])
    if reason is None and shutil.which("msgfmt"):
        (tmp_path / "a.po").write_bytes(written)
        command = ["msgfmt", "-c", "-o", "/dev/null", str(tmp_path / "a.po")]
        assert subprocess.run(command, capture_output=True).returncode == 0

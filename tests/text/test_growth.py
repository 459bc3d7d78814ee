"""The time that a hostile text takes grows as its length does."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from xml.sax.saxutils import escape

import pytest

from hopefear import InputError
from hopefear.metrics import Metric, Ter
from hopefear.text import Language, Profile, TextSystem, join_line, read_kinds, split_line
from hopefear.text.documents import DividedUnit, Document, complaints_about
from hopefear.text.profile import BUILT_IN
from hopefear.text.sentences import spans
from hopefear.text.signs import SignCounts, SignForms

from .documents.test_docx import HEAD, package
from .documents.test_formats import CONTENT
from .documents.test_formats import package as open_document

SHORT = 500
TIMES = 16
WRITTEN = (
    "a 1 . ( [ ] { < > & \" ' ` * _ | "
    "\\ / - ~ % ! : = @ $ 。 中 「 “ » http:// a@b. 1. <a <a␣ <!-- <a> </a> &# "
    "[a]( ](␣ ]( ![ `a :a: :a:` *a **a _a {{ {% %( || |a| ``a <? [^ “a s'␣ .A (a <a␣b=\" a␣ 1␣kB␣"
)
PARTS = [part.replace("␣", " ") for part in WRITTEN.split(" ")]
SYSTEMS = {name: TextSystem(Language("en"), Language("es"), Profile.named(name)) for name in BUILT_IN}
QUOTING = SignForms({"double open": "«", "double close": "»", "single open": "“", "single close": "”"})
PLAIN = SYSTEMS["plain"].of_plain_tokens(QUOTING)


def restored(system: TextSystem, text: str, *, linked: bool = True) -> None:
    tokens, written = system.reads(text)
    system.restore(tokens, [(n, n) for n in range(len(tokens))] if linked else [], written)


def signs_counted(text: str) -> None:
    SignCounts().add(text, [(0, len(text))], like="")


def of_document(name: str, text: str) -> None:
    document = Document.read(name, text.encode())
    for unit in document.units:
        assert DividedUnit(unit, "en").whole
        assert DividedUnit(unit, "en").places is not None
        complaints_about(unit, unit.source[::-1])
    document.translated({n: unit.source for n, unit in enumerate(document.units)}, language="es")


XLIFF = (
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><file source-language="en" '
    'target-language="es"><body><trans-unit id="1"><source>{}</source></trans-unit></body></file></xliff>'
)
QT = "<TS><context><message><source>{}</source><translation></translation></message></context></TS>"
FILES: dict[str, Callable[[str], str | bytes]] = {
    "a.txt": str,
    "a.csv": '"{}",\n'.format,
    "a.tsv": str,
    "a.po": lambda text: f'msgid {json.dumps(text, ensure_ascii=False)}\nmsgstr ""\n',
    "a.json": lambda text: json.dumps([text]),
    "a.xlf": lambda text: XLIFF.format(escape(text)),
    "a.tmx": lambda text: (
        f'<tmx><body><tu><tuv xml:lang="en"><seg>{escape(text)}</seg></tuv></tu></body></tmx>'
    ),
    "a.ts": lambda text: QT.format(escape(text)),
    "a.resx": lambda text: f'<root><data name="a"><value>{escape(text)}</value></data></root>',
    "a.xml": lambda text: f'<resources><string name="a">{escape(text)}</string></resources>',
    "a.srt": "1\n00:00:01,000 --> 00:00:02,000\n{}\n".format,
    "a.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n{}\n".format,
    "a.docx": lambda text: package(
        f"{HEAD}<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p></w:body></w:document>"
    ),
    "a.odt": lambda text: open_document(CONTENT.replace("Title", escape(text))),
}
"""A document whose format is given, around a text."""


def of_file(name: str, text: str) -> None:
    """Read and write what is a document, and compare the two as people's programs do."""
    made = FILES[name](text)
    try:
        document = Document.read(name, made if isinstance(made, bytes) else made.encode(), language="es")
    except InputError:
        return
    targets = {n: unit.source for n, unit in enumerate(document.units)}
    document.differences(document.translated(targets, language="es"), document.complaints(targets))


def edits(metric: Metric, text: str) -> None:
    """Compare words of two kinds in two orders, of which a search has the most shifts to try."""
    draw = Random(1)
    words, others = ([draw.choice("ab") for _ in text] for _ in range(2))
    metric.prepare([others]).stats(words)


ROUTINES: dict[str, Callable[[str], object]] = {
    **{f"pieces of {name}": system.profile.pieces for name, system in SYSTEMS.items()},
    "restored markdown": lambda text: restored(SYSTEMS["markdown"], text),
    "restored html without links": lambda text: restored(SYSTEMS["html"], text, linked=False),
    "restored plain": lambda text: restored(PLAIN, text),
    "read_target": lambda text: SYSTEMS["rst"].read_target(text, SYSTEMS["rst"].reads(text)[1]),
    "split and joined": lambda text: join_line(" ".join(split_line(text, "en"))),
    "sentences": lambda text: spans(text, "en"),
    "signs": signs_counted,
    "markdown": lambda text: of_document("a.md", text),
    "html": lambda text: of_document("a.html", f"<p>{text}</p>"),
    **{f"file {name}": partial(of_file, name) for name in FILES},
}


def seconds(use: Callable[[str], object], text: str) -> float:
    begin = time.process_time()
    use(text)
    return time.process_time() - begin


@pytest.mark.parametrize("routine", ROUTINES)
def test_time_grows_linearly(routine: str) -> None:
    """Sixteen times the length takes 256 times the time where it is squared, and less than 64 here."""
    use = ROUTINES[routine]
    use("a b")
    slow = []
    for part in PARTS[
        :: 5 if routine.startswith("file") else 3 if routine.startswith(("restored", "read")) else 1
    ]:
        short = part * (SHORT // len(part))
        for _ in range(3):  # the processor's time has its disturbances
            longer, shorter = seconds(use, short * TIMES), seconds(use, short)
            if longer < 4 * TIMES * max(shorter, 0.001):
                break
        else:
            slow.append((part, shorter, longer))
    assert slow == []


def test_shifts_of_words_that_repeat_take_linear_time() -> None:
    for _ in range(3):
        shorter, longer = (seconds(partial(edits, Ter()), "a" * size) for size in (200, 1600))
        if longer < 4 * 8 * max(shorter, 0.001):
            return
    pytest.fail(f"{shorter:.3f} s, then {longer:.3f} s")


def test_kinds_of_users_that_a_line_holds_up_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "kinds"
    path.write_text("number = ABC-\\d+\nlist = (?:\\w+,?)+;\n")
    with pytest.raises(InputError, match=r"kinds:2: .* list .* 2 s"):
        read_kinds(path)
    path.write_text("number = ABC-\\d+\nlist = \\w+(?:,\\w+)*;\nname = v(?:\\d+\\.)+\\d+\n")
    assert len(read_kinds(path).kinds) == 3

"""The time that a hostile text takes grows as its length does."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hopefear import InputError
from hopefear.text import Language, Profile, TextSystem, join_line, read_kinds, split_line
from hopefear.text.documents import DividedUnit, Document, complaints_about
from hopefear.text.profile import BUILT_IN
from hopefear.text.sentences import spans
from hopefear.text.signs import SignCounts, SignForms

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
    for part in PARTS[:: 3 if routine.startswith(("restored", "read")) else 1]:
        short = part * (SHORT // len(part))
        for _ in range(3):  # the processor's time has its disturbances
            longer, shorter = seconds(use, short * TIMES), seconds(use, short)
            if longer < 4 * TIMES * max(shorter, 0.001):
                break
        else:
            slow.append((part, shorter, longer))
    assert slow == []


def test_kinds_of_users_that_a_line_holds_up_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "kinds"
    path.write_text("number = ABC-\\d+\nlist = (?:\\w+,?)+;\n")
    with pytest.raises(InputError, match=r"kinds:2: .* list .* 2 s"):
        read_kinds(path)
    path.write_text("number = ABC-\\d+\nlist = \\w+(?:,\\w+)*;\nname = v(?:\\d+\\.)+\\d+\n")
    assert len(read_kinds(path).kinds) == 3

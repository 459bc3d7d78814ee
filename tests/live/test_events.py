"""Events are written as lines, and read as what was written, or refused."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pytest
from support.sessions import example

from hopefear.live import (
    Corrected,
    DocumentRemoved,
    DocumentRenamed,
    Drafted,
    Event,
    Measured,
    MemoryAdded,
    MemoryRemoved,
    Reopened,
    RuleRestored,
    RuleWithdrawn,
    Shown,
    TermAdded,
    TermRemoved,
    TermsAdded,
    Translated,
    TranslatedByHand,
    Withdrawn,
)
from hopefear.live.memory_index import MemoryEntry

SEGMENT = example('<seg id="a" parse="(S la casa)">la casa</seg> ||| the house ||| the home', 3)
CORRECTED = Corrected(1, 12.5, SEGMENT, ((0, 0), (1, 1)), Shown("the é", None, (1, 0), 9), (7, 8))
EVENTS = [
    CORRECTED,
    Corrected(2, 0.0, example("la ||| the")),
    Withdrawn(1),
    RuleWithdrawn("la [X,1]", "the [X,1]"),
    RuleRestored("la", "the"),
    TermAdded("La casa", "the house"),
    TermRemoved("La casa", "the house"),
    TermsAdded((("la casa", "the house"), ("el", "the"))),
    MemoryAdded(
        "é.tmx", (MemoryEntry(("la", "casa"), ("the", "house"), ((1, 1),), ("La casa", "The house")),)
    ),
    MemoryRemoved("é.tmx"),
    Drafted((3, 0), "the é"),
    Translated((3, 0), "the é"),
    TranslatedByHand((3, 0), "the é"),
    Reopened((3, 0), "the é"),
    DocumentRenamed(3, "é.po"),
    DocumentRemoved(3),
    Measured(1, "the casa", (1.0, 0.25), (("casa", "house"),)),
]


def line_of(fields: dict[str, Any]) -> str:
    text = json.dumps(fields)
    return f"{sha256(text.encode()).hexdigest()[:16]} {text}"


def fields_of(event: Event) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(event.line().partition(b" ")[2])
    return fields


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_what_is_written_is_read(event: Event) -> None:
    line = event.line().decode()
    assert line.endswith("\n") and line.count("\n") == 1
    assert Event.parse(line.rstrip("\n")) == event


def test_a_new_kind_of_event_is_one_dataclass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Event, "kinds", {**Event.kinds})

    @dataclass(frozen=True)
    class Looked(Event):
        place: tuple[int, int]
        seconds: float = 0.0

    assert Event.parse(Looked((1, 2), 0.5).line().decode().rstrip()) == Looked((1, 2), 0.5)
    with pytest.raises(ValueError, match="expected a value, got nothing"):
        Event.parse(line_of({"event": "Looked"}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"event": "Erred"}, "the kind of the event, one of .*Corrected"),
        ({"number": "1"}, "Corrected.number: expected a whole number, got text"),
        ({"time": float("nan")}, "expected finite numbers, got NaN"),
        ({"time": 10**400}, "Corrected.time: number out of range"),
        ({"who": 1}, "Corrected.who: unknown"),
        ({"links": [[2, 0]]}, "expected links of words"),
        ({"links": [[0, -1]]}, "expected links of words"),
        ({"shown": {}}, "Corrected.shown.text: expected a value"),
        ({"segment": {"references": ["x"]}}, "Corrected.segment.tokens: expected a value"),
        ({"segment": {"tokens": ["la"]}}, "expected a reference"),
        ({"segment": {"tokens": ["a b"], "references": ["x"]}}, "without blanks"),
        ({"segment": {"tokens": ["la"], "references": ["\ud800"]}}, "valid Unicode"),
        ({"segment": {"tokens": None, "references": ["x"]}}, "got a lattice"),
        ({"segment": {"tokens": ["la"], "references": ["x"], "lattice": 1}}, "lattice: expected Lattice"),
        (
            {"segment": {"tokens": ["la"], "references": ["x"], "attributes": {"a": 1}}},
            "attributes: expected text",
        ),
    ],
)
def test_wrong_fields_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Event.parse(line_of({**fields_of(CORRECTED), **change}))


@pytest.mark.parametrize("line", ["", "x", "{}", "0123456789abcdef {}"])
def test_a_wrong_checksum_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="the checksum"):
        Event.parse(line)


@pytest.mark.parametrize("text", ["[]", "7", '{"event": []}', "[" * 5000])
def test_what_is_no_event_is_refused(text: str) -> None:
    checksum = sha256(text.encode()).hexdigest()[:16]
    with pytest.raises(ValueError, match=r"the kind of the event|nested"):
        Event.parse(f"{checksum} {text}")


def test_rules_are_checked() -> None:
    with pytest.raises(ValueError, match="expected the sides of a rule"):
        RuleWithdrawn("el [X,2]", "the [X,2]")

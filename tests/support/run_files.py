"""What runs have written into their folders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hopefear.decoder import Weights


def weights(path: Path) -> dict[str, float]:
    """Return the weights of a file that are not 0."""
    found = Weights()
    found.read(path)
    return found.nonzero()


def events(run: Path, kind: str = "") -> list[dict[str, Any]]:
    """Return the events of a run's log, or those of a kind."""
    found = map(json.loads, (run / "log.jsonl").read_text("utf-8").splitlines())
    return [event for event in found if kind in ("", event["event"])]


def sessions(run: Path) -> list[dict[str, Any]]:
    """Return the sessions of a run's record."""
    found: list[dict[str, Any]] = json.loads((run / "run.json").read_text("utf-8"))["sessions"]
    return found


def are_equal_but_for_rounding(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Compare what two runs learned whose rules have different numbers.

    Values are added up in the order of these numbers, so that what is 0 in one run may be 1e-16 in the other.
    Of two translations with equal scores the one counts that comes first by these numbers, so that two rules
    that are always used together may share their weight in another way.
    """
    zeros = dict.fromkeys(one.keys() | other.keys(), 0.0)
    return {**zeros, **one} == pytest.approx({**zeros, **other}, rel=1e-3, abs=1e-3)

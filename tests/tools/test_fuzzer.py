"""A small run of the fuzzer, and what the fuzzer itself must see."""

from __future__ import annotations

import faulthandler
import os
import signal
import time
from itertools import groupby
from pathlib import Path
from random import Random

import pytest
from fuzz import fuzzer, kills, kinds
from fuzz.mutator import Mutator
from support import small_inputs
from typer.main import get_command

from hopefear.cli import app

LIGHT = [kind.name for kind in kinds.KINDS if kind.make is small_inputs.files and kind.share == 1]
"""Kinds that are read in milliseconds; the others are for the command."""


@pytest.mark.slow
def test_damaged_input_is_read_or_refused(tmp_path: Path) -> None:
    cases = fuzzer.cases_of(LIGHT, 12 * len(LIGHT), seed=1)
    found = fuzzer.Found()
    for result in fuzzer.fuzz(cases, 1, tmp_path, found):
        assert result.outcome not in fuzzer.FAULTS, f"{result.case}: {result.message}"
    total = found.total()
    assert total.total() == len(cases) and total[fuzzer.CLEAN] > 50 and total[fuzzer.REFUSED] > 100


def test_damage_is_given_by_the_seed() -> None:
    contents = set()
    for seed in (1, 1, 2):
        mutator = Mutator(Random(seed))
        contents.add(b"".join(mutator(b"grammar=grammar\nbeam_prune=0.5\n") for _ in range(50)))
    assert len(contents) == 2


def die(folder: Path) -> tuple[int, str]:
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)
    return 0, ""


def sleep(folder: Path) -> tuple[int, str]:
    time.sleep(600)
    return 0, ""


def fail(folder: Path) -> tuple[int, str]:
    raise RuntimeError("from within")


def read(folder: Path) -> tuple[int, str]:
    return 0, ""


USES = [die, read, sleep, fail, read]


def test_faults_are_counted_for_their_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "KINDS", [kinds.InputKind(f"{n}", "in", use) for n, use in enumerate(USES)])
    monkeypatch.setattr(fuzzer, "start_method", "fork")
    hangs = f"{USES.index(sleep)}"
    results = []
    for several, all_of_them in groupby((f"{n}" for n in range(len(USES))), key=hangs.__ne__):
        seconds = fuzzer.SECONDS if several else 0.1
        results += fuzzer.run_cases([(name, 0) for name in all_of_them], 1, tmp_path, seconds=seconds)
    outcomes = [(result.case[0], result.outcome) for result in results]
    assert outcomes == [("0", "crashed"), ("1", "clean"), ("2", "hung"), ("3", "traceback"), ("4", "clean")]
    assert results[0].message == "SIGSEGV" and "from within" in results[3].message
    assert (tmp_path / "kept" / "0 0 crashed").exists()


def test_each_command_that_resumes_is_killed() -> None:
    """The sessions of ``decode`` and ``serve`` are killed in their own ways."""
    known = dict(get_command(app).commands)  # type: ignore[attr-defined]
    resume = {name for name, each in known.items() if any("--resume" in one.opts for one in each.params)}
    assert kills.commands().keys() == (resume - {"decode"}) | {"build"}

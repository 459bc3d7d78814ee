"""Reads damaged input of every kind, and counts how that ends; ``python tools/fuzz/fuzzer.py --help``.

A case is a kind of input (`kinds.KINDS`), a seed and a number, which give the damage. A process reads one
case after another, and says which one before it begins: if it is ended by a signal, or does not end, the
case is known, and another process goes on behind it.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO, StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

if __name__ == "__main__":
    CHECKOUT = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(CHECKOUT / "tools"), str(CHECKOUT / "tests")]

from fuzz.mutator import Mutator

CLEAN, REFUSED, CRASHED, HUNG, TRACEBACK = "clean", "refused", "crashed", "hung", "traceback"
OUTCOMES = (CLEAN, REFUSED, CRASHED, HUNG, TRACEBACK)
FAULTS = OUTCOMES[2:]

SECONDS = 20.0
"""How long a case may take before it counts as hung."""

MEMORY = 3 << 30
"""How many bytes of the machine's memory the process may take before its case counts as crashed."""

start_method = "spawn"

UNDAMAGED = -1
"""The number of the case whose input is good."""

Case = tuple[str, int]
"""The name of a kind, and a number."""


@dataclass
class CaseResult:
    """How a case ended, and what was said."""

    case: Case
    outcome: str
    message: str


@dataclass
class Found:
    """All results so far."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    faults: list[CaseResult] = field(default_factory=list)

    def add(self, result: CaseResult) -> None:
        self.counts.setdefault(result.case[0], Counter())[result.outcome] += 1
        if result.outcome in FAULTS:
            self.faults.append(result)

    def total(self) -> Counter[str]:
        return sum(self.counts.values(), Counter[str]())

    def table(self) -> str:
        rows = [("kind", *OUTCOMES)]
        rows += [
            (kind, *(str(found[name]) for name in OUTCOMES)) for kind, found in sorted(self.counts.items())
        ]
        total = self.total()
        rows.append((f"all {total.total()}", *(str(total[name]) for name in OUTCOMES)))
        wide = max(len(row[0]) for row in rows)
        return "\n".join(f"{row[0]:{wide}}" + "".join(f"{cell:>11}" for cell in row[1:]) for row in rows)


def cases_of(kinds: Iterable[str], total: int, seed: int) -> list[Case]:
    """Share cases out to kinds, each at least one; the good input of each kind comes first."""
    from fuzz.kinds import KINDS

    shares = {kind.name: kind.share for kind in KINDS if kind.name in set(kinds)}
    whole = sum(shares.values())
    cases = [(name, n) for name, share in shares.items() for n in range(max(1, round(total * share / whole)))]
    Random(seed).shuffle(cases)
    return [*((name, UNDAMAGED) for name in shares), *cases]


def run_cases(
    cases: Sequence[Case], seed: int, folder: Path, *, seconds: float = SECONDS
) -> Iterable[CaseResult]:
    """Read cases in a process, in others if it ends."""
    left = list(cases)
    while left:
        ours, theirs = multiprocessing.Pipe()
        context: Any = multiprocessing.get_context(start_method)
        process = context.Process(target=_work, args=(theirs, left, seed, folder), daemon=True)
        process.start()
        theirs.close()
        try:
            yield from _results(ours, left, seconds, process, folder)
        finally:
            process.kill()
            process.join()


def _results(
    ours: Connection, left: list[Case], seconds: float, process: multiprocessing.Process, folder: Path
) -> Iterable[CaseResult]:
    """Yield the results of the process, and take the cases off what is left."""
    begun = False
    while left:
        outcome, message = None, ""
        try:
            if fault := _waited(ours, seconds if begun else 10 * SECONDS, process):
                outcome, message = fault
            else:
                said = ours.recv()
                if said is None:
                    begun = True
                    continue
                outcome, message = said
        except EOFError:
            process.join()
            code = process.exitcode or 0
            outcome, message = CRASHED, signal.Signals(-code).name if code < 0 else f"exit status {code}"
        if not begun:
            raise RuntimeError(f"no case of {left[0][0]} could begin: {message}")
        begun = False
        result = CaseResult(left.pop(0), outcome, message)
        if outcome in FAULTS:
            _keep(result, folder)
        yield result
        if outcome in (HUNG, CRASHED):
            return


def _waited(ours: Connection, seconds: float, process: multiprocessing.Process) -> tuple[str, str] | None:
    """Wait until the process says something; if it does not, or takes too much memory, say so."""
    end = time.monotonic() + seconds
    while not ours.poll(0.5):
        if time.monotonic() > end:
            return HUNG, f"no end after {seconds:g} s"
        try:
            pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        except (OSError, IndexError):  # it has ended, or this is no Linux
            continue
        if pages * resource.getpagesize() > MEMORY:
            return CRASHED, f"more than {MEMORY >> 20} MB of memory"
    return None


def _keep(result: CaseResult, folder: Path) -> None:
    kept = folder / "kept"
    kept.mkdir(exist_ok=True)
    name = f"{result.case[0].replace('/', ' ')} {result.case[1]} {result.outcome}"
    shutil.copy(folder / "input", kept / name)
    (kept / f"{name}.txt").write_text(result.message, "utf-8", "backslashreplace")


def _work(connection: Connection, cases: Sequence[Case], seed: int, folder: Path) -> None:
    """Read cases, in the process."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process ends this one
    import matplotlib.figure
    import typer.main

    with (
        mock.patch.object(typer.main, "get_command", cache(typer.main.get_command)),
        mock.patch.object(matplotlib.figure.Figure, "savefig", _no_picture),
    ):
        gc.disable()
        for number, case in enumerate(cases):
            _prepare(case, seed, folder)
            connection.send(None)
            connection.send(_outcome(case, folder))
            if number % 100 == 99:  # it takes longer than a case
                gc.collect()


def _no_picture(self: object, file: str | Path | BytesIO | StringIO, **settings: object) -> None:
    """Write no picture, which would take longer than all else."""
    if isinstance(file, BytesIO):
        file.write(b"picture")
    elif isinstance(file, StringIO):
        file.write("<svg>picture</svg>")
    else:
        Path(file).write_bytes(b"picture")


def _prepare(case: Case, seed: int, folder: Path) -> None:
    """Make the folder of a case, ``here``, as a copy of its good set-up with one file damaged."""
    from fuzz.kinds import KINDS

    (kind,) = (kind for kind in KINDS if kind.name == case[0])
    here, good = folder / "here", folder / f"good{[other.make for other in KINDS].index(kind.make)}"
    if not good.exists():
        _empty(here)
        kind.make(here)  # in the same place as the cases, for what is kept of paths
        here.rename(good)
    _empty(here)
    shutil.copytree(good, here, dirs_exist_ok=True)
    path = next(iter(sorted(here.glob(kind.file))))
    draw = Random(f"{seed} {case[0]} {case[1]}")
    content = path.read_bytes()
    others = [other.read_bytes() for other in sorted(here.iterdir()) if other.is_file() and other != path]
    new, mutator = content, Mutator(draw)
    if case[1] != UNDAMAGED:
        new = kind.inside(content, lambda part: mutator(part, others), draw)
    path.write_bytes(new)
    (folder / "input").write_bytes(new)


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _outcome(case: Case, folder: Path) -> tuple[str, str]:
    from fuzz.kinds import KINDS

    from hopefear.base import InputError

    (kind,) = (kind for kind in KINDS if kind.name == case[0])
    try:
        status, errors = kind.use(folder / "here")
    except InputError as error:
        return REFUSED, str(error)
    except BaseException:
        return TRACEBACK, traceback.format_exc()
    if case[1] == UNDAMAGED and status:
        return TRACEBACK, f"good input was refused\n{errors}"
    if status in (0, 1) and "Traceback" not in errors:
        return CLEAN, errors
    said = any(line.startswith(("hopefear: ", "Usage: ", "Error: ")) for line in errors.splitlines())
    if status == 2 and "Traceback" not in errors and said:
        return REFUSED, errors
    return TRACEBACK, f"exit status {status}\n{errors}"


def fuzz(
    cases: Sequence[Case], seed: int, folder: Path, found: Found, *, seconds: float = SECONDS, jobs: int = 1
) -> Iterable[CaseResult]:
    """Read cases with a number of processes at a time, and give the results as they come."""
    import queue

    results: queue.Queue[CaseResult | BaseException | None] = queue.Queue()
    stop = threading.Event()

    def drive(job: int) -> None:
        try:
            own = folder / f"job{job}"
            own.mkdir(parents=True, exist_ok=True)
            for result in run_cases(cases[job::jobs], seed, own, seconds=seconds):
                results.put(result)
                if stop.is_set():
                    return
        except BaseException as error:
            results.put(error)
        finally:
            results.put(None)

    threads = [threading.Thread(target=drive, args=(job,), daemon=True) for job in range(jobs)]
    for thread in threads:
        thread.start()
    ended = 0
    try:
        while ended < jobs:
            result = results.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                ended += 1
                continue
            found.add(result)
            yield result
    finally:
        stop.set()


def main() -> int:
    """Run the command, and give its exit status: 1 if there was a fault."""
    from fuzz.kinds import KINDS
    from tqdm import tqdm

    names = [kind.name for kind in KINDS]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=1000, help="number of cases in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", metavar="NAME", help=f"may repeat; of {', '.join(names)}")
    parser.add_argument("--case", type=int, help="only this case of the kind, with its message")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="after which a case hangs")
    parser.add_argument("--keep", type=Path, default=Path("faults-found"), help="folder for inputs of faults")
    given = parser.parse_args()
    if unknown := set(given.kind or ()) - set(names):
        parser.error(f"unknown kind: {', '.join(unknown)}")
    cases = cases_of(given.kind or names, given.cases, given.seed)
    if given.case is not None:
        cases = [(name, given.case) for name in given.kind or names]
    found = Found()
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        try:
            results = fuzz(cases, given.seed, Path(folder), found, seconds=given.seconds, jobs=given.jobs)
            for result in tqdm(results, total=len(cases), unit="case"):
                if given.case is not None or result.outcome in FAULTS:
                    last = (
                        result.message.rstrip().rpartition("\n")[2] if given.case is None else result.message
                    )
                    tqdm.write(f"{result.case[0]} {result.case[1]}: {result.outcome}: {last}")
        except KeyboardInterrupt:
            pass
        for kept in Path(folder).glob("job*/kept/*"):
            given.keep.mkdir(parents=True, exist_ok=True)
            shutil.copy(kept, given.keep)
        print(found.table(), flush=True)  # before the folder is removed, which takes long
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())

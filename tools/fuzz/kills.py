"""Kills a command at random times until it has ended, and compares; ``python tools/fuzz/kills.py --help``.

A process of the command is killed with SIGKILL at a time drawn from the duration of a whole run, and begun
again with ``--resume`` (`build` and `experiment` go on without it), with another kill, or to its end. What it
has then written must be what a run without kills has written, byte for byte.

Live learning without ``--adapt`` cannot go on from where it was: what is compared is its file of weights,
which after a kill must be one of those that a whole session has saved, and a session that begins with these
weights must be possible. With ``--adapt``, the session goes on with the examples that were not accepted, and
its state at the end, all but the times of the corrections, must be that of a session without kills.

``hopefear serve`` is killed while a client sends corrections: the server that is started again must have all
whose answers had come, and at most the one that was under way beside them.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

if __name__ == "__main__":
    CHECKOUT = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(CHECKOUT / "tools"), str(CHECKOUT / "tests")]

from support import small_inputs as good
from support.fake_parsers import write_fakes
from support.sessions import LIVE as SYSTEM
from support.world import write_parallel_text

EQUAL, DIFFERENT = "equal", "different"
SMALL_TRANSFORMER = ("--set", "width=8", "--set", "layers=1", "--set", "subwords=20")
SMALL_NETWORK = ("--set", "embedding=8", "--set", "first=16", "--set", "history=2", "--set", "around=1")


def _results(folder: Path, *names: str) -> dict[str, bytes]:
    """Read the files that patterns name.

    Of a log, each line once (updates are repeated), without times; of a checkpoint, which has times too, what
    the run has fired.
    """
    from hopefear.tuners import read_checkpoint

    paths = sorted(path for name in names for path in folder.glob(name) if path.is_file())
    contents = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
    for name in contents:
        if name.endswith(".jsonl"):
            lines = re.sub(rb'"seconds": [^,}]*', b"", contents[name]).splitlines(keepends=True)
            contents[name] = b"".join(sorted({*lines}))
        elif name == "checkpoint":
            state = read_checkpoint(folder / name)
            fired = {key: array.tolist() for key, array in state["arrays"].items() if key.startswith("fired")}
            contents[name] = repr((state["facts"]["fired"], fired)).encode()
    return contents


@dataclass(frozen=True)
class Killed:
    """A command that is killed."""

    make: Callable[[Path], None]
    arguments: Sequence[str]
    again: Sequence[str]
    results: Sequence[str]
    output: str
    begun: str = ""  # what is there when the command is to go on; the output if empty


def commands() -> dict[str, Killed]:
    """Return the commands by name; sessions of live learning are another matter."""
    again, learned = ("--resume",), ("weights.*", "log.jsonl")
    passes = ("--passes", "12", "--feature", "RuleIndicators", "--set", "batch_size=1")
    plan = (
        good.content("plan.toml")
        .replace('tuners = ["untuned"]', 'tuners = ["untuned", "MIRA"]')
        .replace("C=0.1", "C=0.1 passes=5")
    )

    def experiment(folder: Path) -> None:
        good.files(folder)
        (folder / "plan.toml").write_text(plan, "utf-8")

    def annotated(folder: Path) -> None:
        good.files(folder)
        write_fakes(folder)
        (folder / "in").write_text("la casa\n" * 10_000, "utf-8")

    return {
        "tune": Killed(good.files, (*good.TUNE, *passes), again, (*learned, "checkpoint"), "run"),
        "hols": Killed(good.built, good.HOLS, again, (*learned, "mert/weights.*"), "run"),
        "train": Killed(
            good.built,
            (*good.TRAIN, "--passes", "12", "--set", "batch_size=1", "--set", "save_every=5"),
            again,
            (*learned, "checkpoint"),
            "run",
        ),
        "build": Killed(
            partial(write_parallel_text, sentences=30, ambiguous=True),
            good.BUILD,
            (),
            ("**/*.gz", "**/*.npz", "**/cdec.ini", "**/weights*"),
            "system",
        ),
        "experiment": Killed(
            experiment, good.EXPERIMENT, (), ("cells/*/weights", "cells/*/*.txt", "cells/*/*.npy"), "out"
        ),
        "train-joint": Killed(
            good.built,
            ("train-joint", "system", "-o", "system/joint.hfn", "--passes", "20", *SMALL_NETWORK),
            again,
            ("joint.hfn",),
            "system",
            "system/joint.hfn.checkpoint",
        ),
        "train-transformer": Killed(
            good.built,
            ("train-transformer", "system", "-o", "nmt", "--passes", "20", *SMALL_TRANSFORMER),
            again,
            ("[!.]*.*",),
            "nmt",
            "nmt/checkpoint",
        ),
        "annotate": Killed(annotated, good.ANNOTATE, (), ("made.conllu",), ""),
    }


def start(folder: Path, arguments: Sequence[str], stdin: int | None = None) -> subprocess.Popen[bytes]:
    """Start a command in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "hopefear", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def run_or_kill(folder: Path, arguments: Sequence[str], seconds: float | None) -> bool:
    """Run a command; kill it and what it has started after a time, and tell whether that was needed."""
    process = start(folder, arguments)
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: exit status {process.returncode}\n{errors.decode()}")
    return False


def run_with_kills(
    folder: Path, words: Callable[[], Sequence[str]], seconds: float, draw: Random, most: int
) -> int:
    """Run a command to its end, killed up to three times on the way; return how often it was killed."""
    most, killed = min(draw.randrange(1, 4), most), 0
    while killed < most and run_or_kill(folder, words(), draw.uniform(0, seconds)):
        killed += 1
    run_or_kill(folder, words(), None)
    return killed


def kill_often(name: str, kills: int, seed: int, folder: Path, say: Callable[[str], None]) -> Counter[str]:
    """Kill a command that often, at most three times a run; count the kills and which results were equal."""
    if name in _SESSIONS:
        return _SESSIONS[name](kills, seed, folder, say)
    chosen, draw, counts = commands()[name], Random(seed), Counter[str]()
    here, start_files = folder / "here", folder / "good"
    here.mkdir()
    chosen.make(here)
    shutil.copytree(here, start_files)
    begin = time.monotonic()
    run_or_kill(here, chosen.arguments, None)
    seconds = time.monotonic() - begin
    expected = _results(here / chosen.output, *chosen.results)
    assert expected
    number = 0
    while counts["kills"] < kills:
        shutil.rmtree(here)
        shutil.copytree(start_files, here)
        number += 1
        killed = run_with_kills(here, partial(_words, chosen, here), seconds, draw, kills - counts["kills"])
        counts["kills"] += killed
        found = _results(here / chosen.output, *chosen.results)
        wrong = sorted(
            name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)
        )
        counts[DIFFERENT if wrong else EQUAL] += 1
        say(f"run {number} of {name}, {killed} kills: {'different: ' + ', '.join(wrong) if wrong else EQUAL}")
    return counts


def _words(chosen: Killed, here: Path) -> Sequence[str]:
    """Return the command line: a run is gone on with if there is a checkpoint, and is begun anew if not."""
    if not chosen.again or not (here / (chosen.begun or chosen.output)).exists():
        return chosen.arguments
    return (*chosen.arguments, *chosen.again)


LIVE = ("decode", "-c", "cdec.ini", "-w", "weights", "-i", "examples", "--learn", "mira", "--save-every", "1")
LIVE = (*LIVE, "--save-weights", "learned")


def _pairs() -> list[tuple[str, str]]:
    return [*zip(*(good.content(name).splitlines() for name in ("in", "reference")), strict=True)]


def kill_live(kills: int, seed: int, folder: Path, say: Callable[[str], None]) -> Counter[str]:
    """Kill live learning that often; count which files of weights are those of some sentence."""
    draw, counts = Random(seed), Counter[str]()
    here = folder / "here"
    here.mkdir()
    good.files(here)
    examples = [f"{source} ||| {target}\n" for source, target in _pairs()] * 100
    begin = (here / "weights").read_bytes()
    whole, seconds = _saved(here, examples)
    for number in range(1, kills + 1):
        (here / "learned").unlink(missing_ok=True)
        (here / "weights").write_bytes(begin)
        run_or_kill(here, LIVE, draw.uniform(0, seconds))
        right = True
        if (here / "learned").exists():
            content = (here / "learned").read_bytes()
            right = content in whole
            (here / "weights").write_bytes(content)
            (here / "examples").write_text("".join(examples[:2]), "utf-8")
            run_or_kill(here, LIVE, None)
            (here / "examples").write_text("".join(examples), "utf-8")
        counts["kills"] += 1
        counts[EQUAL if right else DIFFERENT] += 1
        say(f"run {number} of live: {EQUAL if right else DIFFERENT}")
    return counts


SERVE = ("serve", "-c", "cdec.ini", "-w", "weights", "--state", "state", "--port", "0", "--rate", "1e9")


def kill_serve(kills: int, seed: int, folder: Path, say: Callable[[str], None]) -> Counter[str]:
    """Kill a server that often while a document is corrected; count how often nothing was lost."""
    draw, counts = Random(seed), Counter[str]()
    SYSTEM.write(folder)
    answered: list[str] = []
    path = ""
    for number in range(kills + 1):
        process = subprocess.Popen(
            [sys.executable, "-m", "hopefear", *SERVE], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("ready: ").strip()
        if not path:
            path = f"api/sessions/{ask(url, 'api/sessions')[0]['id']}"
            lines = "".join(f"la casa es palabra{i}\n" for i in range(5000))
            ask(url, f"{path}/documents?name=a.txt", "POST", lines.encode())
        kept = [one["target"] for one in ask(url, f"{path}/documents/1")["text"] if one["target"]]
        learned = ask(url, path)["accepted"]
        right = kept[: len(answered)] == answered and len(kept) - len(answered) in (0, 1)
        right = right and learned == len(kept)
        if number:
            counts["kills"] += 1
            counts[EQUAL if right else DIFFERENT] += 1
            state = EQUAL if right else DIFFERENT
            say(f"kill {number} of serve: {len(answered)} answered, {len(kept)} kept: {state}")
        answered = kept
        timer = Timer(draw.uniform(0, 3), process.kill)
        timer.start()
        with contextlib.suppress(OSError, http.client.HTTPException):
            while number < kills:
                index = len(answered)
                body = json.dumps({"target": f"the house is word{index}", "revision": 0}).encode()
                ask(url, f"{path}/documents/1/sentences/{index}", "PUT", body)
                answered.append(f"the house is word{index}")
        timer.join()
        process.communicate()
    return counts


def ask(url: str, path: str, method: str = "GET", body: bytes | None = None) -> Any:
    """Send a request to a server, and return what it answers; a document is its only body without JSON."""
    kind = "application/octet-stream" if "/documents?" in path else "application/json"
    request = urllib.request.Request(url + path, body, {"content-type": kind}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


def _saved(here: Path, examples: Sequence[str]) -> tuple[set[bytes], float]:
    """Return the contents of the weights file after each sentence, and the seconds of a session."""

    (here / "examples").write_text("".join(examples), "utf-8")
    begin = time.monotonic()
    run_or_kill(here, LIVE, None)
    seconds = time.monotonic() - begin
    process = subprocess.Popen(
        [sys.executable, "-m", "hopefear", *("-" if word == "examples" else word for word in LIVE)],
        cwd=here,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None and process.stdout is not None
    contents = set()
    for example in examples:
        process.stdin.write(example.encode())
        process.stdin.flush()
        process.stdout.readline()  # the translation; this example may still be learned from, those before not
        with contextlib.suppress(FileNotFoundError):
            contents.add((here / "learned").read_bytes())
    process.stdin.close()
    process.wait()
    contents.add((here / "learned").read_bytes())
    return contents, seconds


ADAPT = (*LIVE, "--adapt", "rules,lm")


def kill_adapting(kills: int, seed: int, folder: Path, say: Callable[[str], None]) -> Counter[str]:
    """Kill sessions that adapt that often, each at most three times; count which ended in the same state."""
    draw, counts = Random(seed), Counter[str]()
    here = folder / "here"
    here.mkdir()
    good.files(here)
    examples = [f"{source} ||| {target} {i % 7}\n" for i in range(30) for source, target in _pairs()]
    (here / "examples").write_text("".join(examples), "utf-8")
    begin = time.monotonic()
    run_or_kill(here, ADAPT, None)
    seconds, expected = time.monotonic() - begin, _state(here)
    assert _accepted(here) == len(examples)
    number = 0
    while counts["kills"] < kills:
        for path in here.glob("learned*"):
            path.unlink()
        number += 1
        killed = run_with_kills(here, partial(_rest, here, examples), seconds, draw, kills - counts["kills"])
        counts["kills"] += killed
        right = _state(here) == expected
        counts[EQUAL if right else DIFFERENT] += 1
        say(f"run {number} of adapt, {killed} kills: {EQUAL if right else DIFFERENT}")
    return counts


def _rest(here: Path, examples: Sequence[str]) -> Sequence[str]:
    """Write the examples that were not accepted, and give the command line."""
    (here / "examples").write_text("".join(examples[_accepted(here) :]), "utf-8")
    return (*ADAPT, "--resume") if (here / "learned.session").exists() else ADAPT


def _accepted(here: Path) -> int:
    """Count the corrections in the whole lines of the journal of a session."""
    journal = here / "learned.session.journal"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def _state(here: Path) -> tuple[Any, ...]:
    """Return corrections and state of a session, without times and places of the input, and its weights."""
    from hopefear.live import Corrected, Event
    from hopefear.tuners.contract.checkpoint import read_checkpoint

    found = []
    for line in (here / "learned.session.journal").read_text("utf-8").splitlines():
        event = Event.parse(line)
        assert isinstance(event, Corrected)
        segment = replace(event.segment, id=0, index=0, where="")
        found.append(replace(event, time=0.0, segment=segment))
    state = read_checkpoint(here / "learned.session")
    arrays = {name: array.tobytes() for name, array in state["arrays"].items()}
    return found, json.dumps(state["facts"], sort_keys=True), arrays, (here / "learned").read_bytes()


_SESSIONS = {"live": kill_live, "adapt": kill_adapting, "serve": kill_serve}


def main() -> int:
    """Run the command, and give its exit status: 1 if a result was different."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    names = (*commands(), *_SESSIONS)
    parser.add_argument("--command", choices=names, action="append", help="may repeat; all if not given")
    parser.add_argument("--kills", type=int, default=50, help="of each command")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    wrong, say = 0, partial(print, flush=True)
    for name in given.command or names:
        with tempfile.TemporaryDirectory(prefix="kills") as folder:
            counts = kill_often(name, given.kills, given.seed, Path(folder), say)
        wrong += counts[DIFFERENT]
        say(f"{name}: {counts['kills']} kills, {counts[EQUAL]} equal, {counts[DIFFERENT]} different")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""What commands read and have stored is data: what it names as a class is not loaded (SECURITY.md)."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from support import command
from support import small_inputs as good
from support.plans import cells_here

from hopefear.cli import COMMANDS
from hopefear.metrics.catalogue import metrics
from hopefear.plugins.registry import known
from hopefear.tuners.catalogue import tuners
from hopefear.tuners.contract.checkpoint import FORMAT, read_checkpoint, write_checkpoint

from .conftest import Run

pytestmark = pytest.mark.long(24)

EVIL = """\
from pathlib import Path
Path({ran!r}).touch()
from hopefear.metrics import Bleu
from hopefear.feature_extractors import RuleIndicators
from hopefear.tuners import Mira
class E(RuleIndicators): pass
class M(Bleu): pass
class T(Mira): pass
"""
"""A module whose import is noticed, with classes that would do."""


@pytest.fixture
def ran(corpus: Path) -> Callable[[], bool]:
    """Tell whether the module `EVIL` beside everything has been imported since the last question."""
    mark = corpus / "ran"
    (corpus / "evil.py").write_text(EVIL.format(ran=str(mark)))

    def tell() -> bool:
        there = mark.exists()
        mark.unlink(missing_ok=True)
        return there

    return tell


NAMES = {name.lower(): "E" for name in known()}
NAMES |= {name.lower(): "M" for name in metrics.known()} | {name.lower(): "T" for name in tuners.known()}
PATTERN = re.compile(rf'"({"|".join(map(re.escape, NAMES))})(?=["| ])', re.IGNORECASE)


def evil_names(text: str) -> str:
    """Name a class of the module in place of each name of a catalogue in JSON."""
    return PATTERN.sub(lambda found: f'"evil:{NAMES[found[1].lower()]}', text)


def poison(folder: Path) -> int:
    """Name classes of the module in a folder's JSON; count the files that differ."""
    changed = 0
    for path in folder.rglob("*.json*"):
        if path.suffix in (".json", ".jsonl"):
            text = path.read_text("utf-8")
            path.write_text(evil_names(text), "utf-8")
            changed += evil_names(text) != text
    return changed


def test_a_run_of_tune(run: Run, corpus: Path, tune: tuple[object, ...], ran: Callable[[], bool]) -> None:
    named = ("--feature", "RuleIndicators", "--tuner", "Mira", "--metric", "bleu")
    tune = (*tune, "--passes", 1, "-o", "run", *named)
    run(*tune)
    run("features", "run", "--sentences", "2")
    assert poison(corpus / "run")
    message = "expected the name of an installed class, got the path of one: run/run.json is data"
    assert message in run("features", "run", status=2).stderr
    run("report", "run")
    run(*tune, "--resume", status=2)
    assert not ran()
    run("features", "run", "--sentences", "2", "--allow-code")
    assert ran()


def test_a_run_that_names_another_configuration(
    run: Run, corpus: Path, sample: Path, tune: tuple[object, ...], ran: Callable[[], bool]
) -> None:
    run(*tune, "--passes", 1, "-o", "run")
    other = corpus / "other"
    other.mkdir()
    text = (sample / "cdec.ini").read_text().replace("=grammar", f"={sample}/grammar")
    text = text.replace("KLanguageModel lm", f"KLanguageModel {sample}/lm")
    (other / "cdec.ini").write_text(f"{text}\nfeature_function=evil:E\n")
    record = corpus / "run" / "run.json"
    facts = json.loads(record.read_text())
    facts["sessions"][0]["folder"] = str(other)
    command = facts["sessions"][0]["command"]
    command[command.index(str(sample / "cdec.ini"))] = "other/cdec.ini"
    record.write_text(json.dumps(facts))
    assert "evil:E: expected the name of an installed class" in run("features", "run", status=2).stderr
    assert not ran()
    command[command.index("other/cdec.ini")] = "cdec.ini"  # there is one only in the stored folder
    record.write_text(json.dumps(facts))
    refused = run("features", "run", status=2).stderr
    assert f"cdec.ini: no such file; the run was started in {other}: start this command there" in refused
    assert not ran()


def changed(text: str, folder: Path, *, place: bool) -> str:
    """Name classes of the module in stored text; or the folder ``other``, where the run was started."""
    if place:
        return text.replace(json.dumps(str(folder)), json.dumps(str(folder / "other")))
    return evil_names(text)


def poison_all(folder: Path, *, place: bool) -> int:
    """Change the text in everything that commands have stored in a folder; count the files that differ."""
    count = 0
    for path in filter(Path.is_file, [*folder.rglob("*")]):
        before = path.read_bytes()
        if path.suffix in (".json", ".jsonl"):
            path.write_text(changed(path.read_text("utf-8"), folder, place=place), "utf-8")
        elif path.name.endswith(".jsonl.gz"):
            text = gzip.decompress(before).decode()
            path.write_bytes(gzip.compress(changed(text, folder, place=place).encode(), mtime=0))
        elif before.startswith(FORMAT.encode()):
            state = read_checkpoint(path)
            facts = json.loads(changed(json.dumps(state["facts"]), folder, place=place))
            write_checkpoint(path, {**state, "facts": facts})
        elif path.suffix == ".journal":
            lines = [line.partition(" ")[2] for line in before.decode().splitlines()]
            texts = [changed(text, folder, place=place).encode() for text in lines]
            path.write_bytes(b"".join(b"%s %s\n" % (check_sum(text), text) for text in texts))
        elif path.suffix == ".sqlite":
            poison_rows(path, folder, place=place)
        count += path.read_bytes() != before
    return count


def check_sum(text: bytes) -> bytes:
    return sha256(text).hexdigest()[:16].encode()


def poison_rows(path: Path, folder: Path, *, place: bool) -> None:
    """Change the texts in a data base."""
    with closing(sqlite3.connect(path)) as base, base:
        tables = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row, *cells in base.execute(f"SELECT rowid, * FROM {table}").fetchall():
                columns = [one[1] for one in base.execute(f"PRAGMA table_info({table})")]
                for column, cell in zip(columns, cells, strict=True):
                    if isinstance(cell, str):
                        quoted = json.dumps(cell)
                        new = json.loads(changed(quoted, folder, place=place))
                        base.execute(f'UPDATE {table} SET "{column}" = ? WHERE rowid = ?', (new, row))


def trained(folder: Path) -> None:
    good.built(folder)
    assert command.call([*good.TRAIN], b"", folder).returncode == 0


STORED = {
    "decode --learn --adapt": (
        good.live_session,
        (*good.ADAPT, "--save-weights", "w", "--resume"),
    ),
    "tune": (
        good.tuned(),
        (*good.TUNE, "--passes", "2", "--feature", "RuleIndicators", "--resume"),
    ),
    "hols": (good.hols, (*good.HOLS, "--resume")),
    "train": (trained, (*good.TRAIN, "--resume")),
    "experiment": (good.experiment, good.EXPERIMENT),
    "experiment --report": (good.experiment, (*good.EXPERIMENT, "--report")),
    "experiment --export": (good.experiment, (*good.EXPERIMENT, "--export", "kept")),
    "features": (good.ranked, ("features", "run")),
    "report": (good.ranked, ("report", "run")),
    "build": (good.built, good.BUILD),
    "annotate": (good.annotated, good.ANNOTATE),
}
"""Commands that read what commands have stored: what made it, and the arguments."""

NAME_CLASSES = {f"{name}, stored" for name in STORED.keys() - {"build", "annotate"}}
NAME_FOLDERS = {f"{name}, stored" for name in ("tune", "features", "train", "hols")}
"""Those whose stored files name classes, or the folder that the command was started in."""


@pytest.mark.parametrize("name", [*good.USES, *(f"{name}, stored" for name in STORED)])
def test_every_command(name: str, tmp_path: Path) -> None:
    """Nothing that a command reads, but what SECURITY.md calls code, can name what is run."""
    if name in good.USES:
        use = good.USES[name]
        make, arguments, given = use.make, use.arguments, use.stdin
    else:
        (make, arguments), given = STORED[name.removesuffix(", stored")], ""
    here, start, mark = (tmp_path / part for part in ("here", "start", "ran"))
    here.mkdir()
    make(here)  # in the same place as the runs, for what is kept of paths
    here.rename(start)
    for place in (False, True):
        shutil.copytree(start, here)
        other = here / "other"
        other.mkdir()
        for folder in (here, other):
            (folder / "evil.py").write_text(EVIL.format(ran=str(mark)))
        changes = poison_all(here, place=place)
        assert changes or name not in (NAME_FOLDERS if place else NAME_CLASSES)
        with cells_here():
            done = command.call(list(arguments), given.encode(), here)
        assert done.returncode in (0, 1, 2) and b"Traceback" not in done.stderr
        assert not mark.exists()
        shutil.rmtree(here)


def test_that_is_every_command() -> None:
    tried = {name.split()[0] for name in (*good.USES, *good.NOT_TRIED)}
    assert tried - {"--version", "--help"} == {name for group in COMMANDS.values() for name in group}

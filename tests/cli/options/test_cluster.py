"""``--cluster local:2``: the same output as without it, whatever becomes of the workers."""

from __future__ import annotations

import importlib.util
import os
import signal
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from support.ray_nodes import descendants, is_agent, wait_for_the_end
from support.waiting import PATIENCE, wait_until
from support.world import configure, contents, write_parallel_text

from hopefear.cli.io.answers import Answering
from hopefear.cli.io.output import Output
from hopefear.decoder import Decoder, parse_line
from hopefear.parallel import WorkerDied

pytestmark = pytest.mark.long(45)
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")

PLUGINS = '''
import os
import signal
import time
from pathlib import Path

from hopefear.plugins import EdgeFeatures, FeatureTable


class Dies(EdgeFeatures):
    """Ends its process on sentences with a word; where `once` names a file, only until that is there."""

    def __init__(self, *, word: str = "fatal", once: Path | None = None):
        self.word, self.once = word, once

    def fire(self, edges, segment):
        if self.word in (segment.tokens or ()) and not (self.once and self.once.exists()):
            if self.once:
                self.once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return FeatureTable.from_pairs(len(edges), [(0, "First"), (0, f"F{len(edges)}")])


class Waits(EdgeFeatures):
    """Says which process it is in, and waits until it was in three."""

    def __init__(self, *, folder: Path):
        self.folder = folder

    def fire(self, edges, segment):
        (self.folder / str(os.getpid())).touch()
        while len(list(self.folder.iterdir())) < 3:
            time.sleep(0.01)
        return FeatureTable.empty(len(edges))
'''
TOY = ("-c", "cdec.ini", "-w", "weights")
DIED = "standard input:2: sentence s2: workers died 2 times while working on it"
CLUSTER = ("--cluster", "local:2")


@pytest.fixture
def mortal(toy: Path) -> Path:
    (toy / "mortal.py").write_text(PLUGINS)
    with (toy / "weights").open("a") as weights:
        weights.write("PassThrough -10\n")
    return toy


@pytest.mark.slow
@needs_ray
def test_the_sample_decodes_to_the_same_bytes(sample, corpus, run):
    ini = (sample / "cdec.ini").read_text()
    for name in ("grammar.gz", "lm.arpa.gz"):
        ini = ini.replace(name, str(sample / name))
    for name, short in (("dev.es", "es"), ("dev.es.trees", "trees")):
        lines = (sample / name).read_text("utf-8").splitlines(keepends=True)[:6]
        (corpus / short).write_text("".join(lines), "utf-8")
    found = []
    for where in ((), CLUSTER):
        folder = corpus / f"out{len(where)}"
        folder.mkdir()
        kinds = ("forest_output", "extract_rules", "show_derivations")
        asked = "".join(f"{kind}={folder / kind}\n" for kind in kinds)
        (corpus / "cdec.ini").write_text(ini + asked)
        options = ("-k", 3, "--feature", "SoftSyntax", "--feature", "WordPairs", "--trees", "trees")
        weights = ("-w", sample / "weights.init")
        done = run("decode", "-c", "cdec.ini", *weights, "-i", "es", *options, *where)
        found.append((done.stdout, contents(folder)))
    assert found[0][0].count("\n") > 6 and len(found[0][1]) == 3 * 6
    assert found[0] == found[1]


@needs_ray
def test_all_kinds_of_lines_and_a_worker_that_dies_once(mortal, run):
    configure(mortal, "feature_function=mortal:Dies --once died")
    with (mortal / "weights").open("a") as weights:
        weights.write("First 0.5\n")
    (mortal / "frozen").write_text("F5 0\nF6 1\n")
    (mortal / "own").write_text("[X] ||| fatal ||| lethal ||| p=1\n[X] ||| amarilla ||| yellow ||| p=1\n")
    lines = [
        "la casa",
        "",
        '<seg id="own" grammar="own">la casa amarilla</seg>',
        "((('la', 1.5, 1),('roja', 2.5, 1),),(('casa', {'cost': 1}, 1),),)",
        "la casa ||| the home",
        "la casa ||| the horse",
        "unknown",
        '<seg grammar="own">fatal casa</seg>',
        *["la casa roja"] * 30,
    ]
    text = "".join(f"{line}\n" for line in lines)
    options = ("-k", 2, "--freeze", "frozen")
    parallel = run("decode", *TOY, *options, *CLUSTER, text=text, status=1)
    assert (mortal / "died").exists()
    serial = run("decode", *TOY, *options, text=text, status=1)
    assert parallel.stdout == serial.stdout
    known = {number for number in range(20) if f"F{number}=" in serial.stdout}
    assert known and known <= {5, 6}
    assert sorted(parallel.stderr.splitlines()) == sorted(serial.stderr.splitlines())


@needs_ray
def test_a_sentence_that_workers_die_of_is_reported(mortal, run):
    lines = ["la casa", '<seg id="s2">fatal casa</seg>', *["la casa roja"] * 20]
    configure(mortal, "add_pass_through_rules=true", "feature_function=mortal:Dies")
    done = run("decode", *TOY, *CLUSTER, text="".join(f"{line}\n" for line in lines), status=1)
    assert done.stdout == "the house\n\n" + "the red house\n" * 20
    assert done.stderr == f"hopefear: {DIED}\n"


def test_a_sentence_that_workers_die_of_is_skipped(toy):
    segment = parse_line("fatal", index=1, where="standard input:2")
    answering = Answering(Decoder(toy / "cdec.ini"), Output(), skip=True)
    lost = answering.lost(replace(segment, id="s2"), WorkerDied("twice", times=2))
    assert (lost.text, lost.problem) == ("\n", None)
    assert lost.skipped is not None and str(lost.skipped[1]) == DIED
    told = replace(answering, skip=False).lost(
        replace(segment, id="s2"), WorkerDied("twice", times=2, last_words="oh")
    )
    assert told.problem == f"{DIED}; last output: oh"
    with pytest.raises(WorkerDied, match="no worker is left"):
        answering.lost(segment, WorkerDied("no worker is left"))


@needs_ray
def test_nothing_is_lost_or_doubled_when_a_worker_is_killed(mortal, run, tmp_path):
    pids = tmp_path / "pids"
    pids.mkdir()
    configure(mortal, f"feature_function=mortal:Waits {pids}", "add_pass_through_rules=true")

    def kill_one_of_two() -> None:
        wait_until(lambda: len(list(pids.iterdir())) == 2, "two workers are at work")
        os.kill(int(next(pids.iterdir()).name), signal.SIGKILL)

    killer = Thread(target=kill_one_of_two)
    killer.start()
    done = run("decode", *TOY, *CLUSTER, text="".join(f"la casa x{number}\n" for number in range(60)))
    killer.join()
    assert done.stdout == "".join(f"the house x{number}\n" for number in range(60))
    assert len(list(pids.iterdir())) == 3


@needs_ray
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_an_open_pipe_is_answered_and_a_signal_ends_all(
    toy, start, monkeypatch, short_folder, number, status
):
    monkeypatch.setenv("TMPDIR", str(short_folder))
    process = start("decode", *TOY, "--cluster", "local:1")
    for _ in range(3):
        process.stdin.write("la casa\n")
        process.stdin.flush()
        assert process.stdout.readline() == "the house\n"
    begun = {each for each in descendants(process.pid) if not is_agent(each)}
    assert len(begun) > 3 and list(short_folder.iterdir())
    process.send_signal(number)
    assert process.wait(timeout=PATIENCE) == status
    assert process.stdout.read() == process.stderr.read() == ""
    assert not list(short_folder.iterdir())
    wait_for_the_end(begun)


@needs_ray
def test_extraction(tmp_path, run):
    write_parallel_text(tmp_path)
    text = ("-s", "train.f", "-t", "train.e", "-a", "train.align", "-i", "test.f")
    found = []
    for name, where in (("one", ()), ("two", CLUSTER)):
        run("extract", *text, "-o", f"{name}.gz", *where)
        found.append((tmp_path / f"{name}.gz").read_bytes())
    assert found[0] == found[1]


@needs_ray
def test_tuning_reports_what_fired_in_the_workers(tune, run):
    options = ("--tuner", "Pro", "--passes", 2, "--feature", "RuleIndicators", "--feature", "WordPairs")
    found = []
    for where in ((), CLUSTER):
        done = run(*tune, *options, "-o", f"run{len(where)}", *where)
        found.append([line for line in done.stderr.splitlines() if line.startswith("features while tuning")])
    assert [line.split(":")[1] for line in found[0]] == [" RuleIndicators", " WordPairs"]
    assert found[0] == found[1]


@pytest.mark.parametrize("where", ["local:0", "local:x", "somewhere"])
@needs_ray
def test_wrong_places_are_refused(toy, run, where):
    complaint = run("decode", *TOY, "--cluster", where, text="la\n", status=2).stderr
    assert complaint.startswith("hopefear: expected a") and where in complaint


def test_learning_takes_no_cluster(toy, run):
    done = run("decode", *TOY, "--learn", "mira", *CLUSTER, text="la ||| the\n", status=2)
    assert "learning handles one sentence at a time: expected no --cluster" in done.stderr

"""Parallel MIRA from the command line: killed, resumed, on a full disk, in processes of Ray."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import command
from support.run_files import events
from support.small_sample import small_sample, write_corpus
from support.waiting import PATIENCE, wait_until

from hopefear.tuners import read_checkpoint

pytestmark = pytest.mark.long(75)
ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")


@pytest.fixture
def options(sample: Path, corpus: Path) -> tuple[object, ...]:
    return options_of(sample, corpus)


def options_of(sample: Path, corpus: Path) -> tuple[object, ...]:
    return (
        *("tune", "-c", sample / "cdec.ini", "-w", sample / "weights.init", "--source", corpus / "es"),
        *("--reference", corpus / "en.0", "--reference", corpus / "en.1", "--output", "run"),
        *("--tuner", "ParallelMira", "--feature", "RuleIndicators"),
    )


def wait_for(log: Path, lines: int, process: subprocess.Popen[str]) -> None:
    wait_until(lambda: log.exists() and log.read_text().count("\n") >= lines, f"{lines} lines", process)


def learned(folder: Path) -> bytes:
    return (folder / "weights.final").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "where"),
    [
        pytest.param(signal.SIGINT, ("--set", "schedule=length"), id="interrupted"),
        pytest.param(signal.SIGKILL, ("--set", "schedule=arrival"), id="killed"),
    ],
)
def test_a_run_goes_on_after_its_end_was_not_its_own(options, run, start, tmp_path, how, where):
    options = (*options, "--passes", 3, "--set", "save_every=5")
    process = start(*options, *where)
    wait_for(tmp_path / "run" / "log.jsonl", 16, process)
    process.send_signal(how)
    assert process.wait(PATIENCE) == (-signal.SIGKILL if how == signal.SIGKILL else 130)
    assert not (tmp_path / "run" / "weights.final").exists()
    order = tmp_path / "run" / "checkpoint.schedule"
    begun = order.read_text()
    run(*options, *where, "--resume")
    assert order.read_text().startswith(begun)
    assert len(order.read_text().split()) == 3 * 12
    # The run without the stop: where the clock decided, the one that went the same way, in threads.
    same = where if "schedule=length" in where else ("--set", f"replay={order}")
    run(*options, "--output", "whole", *same)
    assert learned(tmp_path / "run") == learned(tmp_path / "whole")


def test_the_log_tells_of_messages(options, run, tmp_path):
    run(*options, "--passes", 1)
    last = events(tmp_path / "run")[-1]
    assert last["event"] == "pass"
    assert last["messages"] == 12
    assert 500 < last["message_bytes"] / 12 < 50_000


@pytest.mark.slow
@ray
def test_without_a_number_there_is_a_learner_for_each_worker(options, run, tmp_path):
    """And as many as before where a run goes on, whatever the size of the cluster then."""

    def learners() -> str:
        return read_checkpoint(tmp_path / "run" / "checkpoint")["facts"]["settings"]["workers"]

    begun = run(*options, "--passes", 1, "--cluster", "local:2")
    assert "learners: 2, on 2 workers" in begun.stderr.splitlines()
    assert learners() == "2"
    for passes, where in ((2, ("--cluster", "local:1")), (3, ())):
        done = run(*options, "--passes", passes, "--resume", *where)
        assert "learners: 2, as in the checkpoint" in done.stderr.splitlines()
        assert learners() == "2" and f"pass {passes}:" in done.stderr
    for given in (("--set", "workers=3"), ("--tuner", "ParallelMira workers=3")):
        done = run(*options, "--passes", 4, "--resume", *given, status=2)
        assert "expected workers=2, as in the checkpoint, got 3" in done.stderr


FULL = """
begun=$1; left=$2; shift 2
mkdir run && mount -t tmpfs -o size=1m tmpfs run || exit 77
cp -r "$begun"/. run
dd if=/dev/zero of=run/reserve bs=4k count=$left 2> /dev/null
dd if=/dev/zero of=run/filler bs=4k 2> /dev/null
rm run/reserve
"$@" --resume --passes 3
echo "status $?"
cp run/checkpoint after
ls run
"""
TO_A_FULL_DISK = ("--passes", "1", "--set", "save_every=4")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a corpus, and the folder of a run of one pass on it."""
    folder = tmp_path_factory.mktemp("begun")
    write_corpus(folder)
    given = [*options_of(small_sample(), folder), *TO_A_FULL_DISK]
    done = command.call([*map(str, given)], b"", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("pages", "file"), [(0, "run/run.json"), (5, "run/checkpoint")])
def test_a_full_disk_leaves_the_last_checkpoint(begun, tmp_path, pages, file):
    if shutil.which("unshare") is None:
        pytest.skip("no unshare")
    done = subprocess.run(
        [
            *("unshare", "-rm", "sh", "-c", FULL, "sh", str(begun / "run"), str(pages)),
            *(
                sys.executable,
                "-m",
                "hopefear",
                *map(str, options_of(small_sample(), begun)),
                *TO_A_FULL_DISK,
            ),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"no small disk can be made: {done.stderr}")
    assert done.returncode == 0, done.stderr
    assert "status 2" in done.stdout
    assert done.stderr.endswith(f"hopefear: {file}: No space left on device\n"), done.stderr
    assert "Traceback" not in done.stderr
    assert read_checkpoint(tmp_path / "after")
    if file != "run/checkpoint":  # some may have been written before
        assert (tmp_path / "after").read_bytes() == (begun / "run" / "checkpoint").read_bytes()
    assert "checkpoint.part" not in done.stdout


@pytest.mark.parametrize("tuner", ["Mira", "ForestMert"])
def test_a_cluster_for_nothing_is_refused(options, run, tuner):
    done = run(*options, "--cluster", "local:2", "--tuner", tuner, status=2)
    assert f"{tuner} does not run on a cluster: expected ParallelMira, Hols or a batch tuner" in done.stderr


def workers(pid: int) -> list[int]:
    """Return the processes with hopefear's objects that a process has Ray keep, the oldest first."""
    parents, begun = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if (entry / "cmdline").read_bytes().startswith(b"ray::HopefearProcess"):
                    begun[int(entry.name)] = int(fields[19])
            except OSError:  # it has ended
                continue
            parents[int(entry.name)] = int(fields[1])

    def belongs(child: int) -> bool:
        return child == pid or (child in parents and belongs(parents[child]))

    return sorted(filter(belongs, begun), key=lambda child: (begun[child], child))


DEADLY = """\
import os
from pathlib import Path
from hopefear.plugins import EdgeFeatures, FeatureTable

class Deadly(EdgeFeatures):
    def fire(self, edges, segment):
        if segment.id == 5:
            with Path("deaths").open("a") as file:
                file.write("died")
            os._exit(1)
        return FeatureTable.from_pairs(len(edges.rule), [])
"""


@pytest.mark.slow
@ray
def test_killed_workers_and_a_killed_coordinator_change_nothing(options, run, start, tmp_path):
    options = (*options, "--passes", 8, "--set", "save_every=5", "--set", "snapshot_every=7")
    process = start(*options, "--cluster", "local:2")
    log, order, killed = tmp_path / "run" / "log.jsonl", tmp_path / "run" / "checkpoint.schedule", []
    wait_for(log, 16, process)
    process.kill()
    assert process.wait(PATIENCE) == -signal.SIGKILL
    assert not (tmp_path / "run" / "weights.final").exists()
    begun = order.read_text()
    process = start(*options, "--cluster", "local:2", "--resume")
    for lines in (30, 60):
        wait_for(log, lines, process)
        killed.append(workers(process.pid)[-2])  # the last ones are the learners
        os.kill(killed[-1], signal.SIGKILL)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert len(set(killed)) == 2
    assert "workers that died and were restarted: 2" in errors
    assert order.read_text().startswith(begun)
    run(*options, "--output", "threads", "--set", f"replay={order}")
    assert learned(tmp_path / "run") == learned(tmp_path / "threads")


@pytest.mark.slow
@ray
def test_a_sentence_that_kills_is_reported_and_the_rest_completes(options, run, tmp_path):
    (tmp_path / "deadly.py").write_text(DEADLY)
    options = (*options, "--feature", "deadly:Deadly", "--passes", 1)
    done = run(*options, "--set", "sentences_a_call=1", "--cluster", "local:2", "--on-error", "skip")
    lines = (tmp_path / "run" / "errors.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == ["5"]
    assert "2 workers died on sentence 6; the segment is skipped" in lines[0]
    assert (tmp_path / "deaths").read_text() == "died" * 4  # twice before the first pass
    assert "workers that died and were restarted: 2" in done.stderr
    assert "skipped 1 sentence" in done.stderr
    assert (tmp_path / "run" / "weights.final").exists()

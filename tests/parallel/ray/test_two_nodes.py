"""Two Ray nodes on this machine, one of which is killed again and again."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ray")

from support import CHECKOUT, command
from support.ray_nodes import Loopback, Namespaces, TwoNodes
from support.small_sample import small_sample
from support.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.long(55)
DRIVER = str(CHECKOUT / "tests" / "support" / "on_two_nodes.py")
PLUGIN = '''
import os

from support.on_two_nodes import hold
from pathlib import Path

from hopefear.plugins import EdgeFeatures, FeatureTable


class Holds(EdgeFeatures):
    """Holds the second node's first sentence until the node is killed."""

    def fire(self, edges, segment):
        if os.environ.get("TEST_NODE") == "1":
            hold(Path.cwd())
        return FeatureTable.empty(len(edges))
'''


@pytest.fixture(scope="module")
def nodes() -> Iterator[TwoNodes]:
    """Yield two nodes: that see each other by a cable only, or where none can be laid, on loopback."""
    nodes = TwoNodes(network())
    yield nodes
    nodes.close()


def network() -> Loopback | Namespaces:
    if os.geteuid() == 0 and shutil.which("ip") is not None:
        with contextlib.suppress(OSError):
            return Namespaces()
    return Loopback()


def result(process: subprocess.Popen[str]) -> str:
    out, complaints = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, complaints
    return out


def kill_the_second(nodes: TwoNodes, process: subprocess.Popen[str], folder: Path) -> None:
    """Kill it when it surely holds something."""
    wait_until((folder / "held").exists, "something is held", process)
    nodes.kill_second()
    (folder / "killed").touch()


def begin(nodes: TwoNodes, task: str, folder: Path) -> subprocess.Popen[str]:
    nodes.have_second()
    return nodes.begin(sys.executable, DRIVER, task, nodes.address, str(folder), folder=folder)


@pytest.mark.slow
def test_the_sample_is_decoded_when_a_node_is_killed(nodes: TwoNodes, tmp_path: Path) -> None:
    sample = small_sample()
    ini = (sample / "cdec.ini").read_text()
    for name in ("grammar.gz", "lm.arpa.gz"):
        ini = ini.replace(name, str(sample / name))
    (tmp_path / "cdec.ini").write_text(f"{ini}\nfeature_function=holds:Holds\n")
    (tmp_path / "holds.py").write_text(PLUGIN)
    lines = (sample / "dev.es").read_text("utf-8").splitlines(keepends=True)[:30]
    (tmp_path / "es").write_text("".join(lines), "utf-8")
    decode = ["decode", "-c", "cdec.ini", "-i", "es", "-k", "2", "-w", str(sample / "weights.init")]
    alone = command.call(decode, b"", tmp_path)
    assert alone.returncode == 0, alone.stderr
    nodes.have_second()
    hopefear = [sys.executable, "-m", "hopefear", *decode]
    process = nodes.begin(*hopefear, "--cluster", nodes.address, folder=tmp_path)
    kill_the_second(nodes, process, tmp_path)
    assert result(process) == alone.stdout.decode()


@pytest.mark.slow
def test_a_node_is_lost_in_map(nodes: TwoNodes, tmp_path: Path) -> None:
    process = begin(nodes, "map", tmp_path)
    kill_the_second(nodes, process, tmp_path)
    found = json.loads(result(process))
    assert found.pop("restarts") >= 1
    assert found == {
        "workers": 4,
        "nodes": ["0", "1"],
        "actors": [["0", "1"]] * 2,
        "namespaces": nodes.network.namespaces,
        "folders": 1,
        "same sum": True,
        "all results": True,
    }


@pytest.mark.slow
def test_learners_are_lost_with_a_node(nodes: TwoNodes, tmp_path: Path) -> None:
    process = begin(nodes, "mira", tmp_path)
    kill_the_second(nodes, process, tmp_path)
    assert json.loads(result(process)) == {"same": True, "lost learners": 2}


ON_LOOPBACK = """
import sys
from hopefear.parallel.ray import open_executor
with open_executor(sys.argv[1]) as executor:
    print(*executor.map(abs, range(-3, 0)))
"""


@pytest.mark.slow
def test_a_cluster_on_loopback_is_joined(tmp_path: Path) -> None:
    nodes = TwoNodes(Loopback())
    try:
        process = nodes.begin(sys.executable, "-c", ON_LOOPBACK, nodes.address, folder=tmp_path)
        assert nodes.address.startswith("127.0.0.1:") and result(process) == "3 2 1\n"
    finally:
        nodes.close()

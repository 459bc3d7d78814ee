"""How Ray is started and joined."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from socket import socket

import pytest
from ray_nodes import descendants, is_agent

pytest.importorskip("ray")

from hopefear.cluster import Connection, connection
from hopefear.decoder import InputError

LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def listening(processes: set[int]) -> set[str]:
    """Give the addresses, in the kernel's notation, that processes listen on."""
    inodes = {
        line.split()[9]: line.split()[1].partition(":")[0]
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        if line.split()[3] == "0A"
    }
    found = set()
    for process in processes:
        for descriptor in Path(f"/proc/{process}/fd").glob("*"):
            try:
                target = os.readlink(descriptor)
            except OSError:
                continue
            found.add(inodes.get(target.removeprefix("socket:[").removesuffix("]"), ""))
    return found - {""}


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux' /proc")
def test_ray_listens_on_loopback_only(ray_here: Connection) -> None:
    with ray_here.executor():
        found = listening(descendants(os.getpid()))
    assert found
    assert found <= LOOPBACK


@pytest.mark.parametrize("address", ["local:0", "local:x", "localhost", ":80", "127.0.0.1:0", "127.0.0.1:x"])
def test_no_address(address: str) -> None:
    with pytest.raises(InputError, match="expected"):
        Connection(address)


def test_nothing_answers() -> None:
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(InputError, match=f"expected a Ray cluster at {address}, got: .*refused"):
        Connection(address)


def test_a_second_connection(ray_here: Connection) -> None:
    with pytest.raises(InputError, match="without a connection to Ray"):
        Connection("local")


def test_ray_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install hopefear\[cluster\]"):
        Connection("local")


def test_another_version_of_hopefear(ray_here: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    from hopefear.cluster import processes

    found = processes.hopefear_version()
    monkeypatch.setattr(processes, "version", lambda _: "99.0")
    with pytest.raises(InputError, match=f"expected hopefear 99.0 on .*, got {re.escape(found)}$"):
        ray_here.executor()


def test_no_worker_is_left_when_the_driver_is_killed(tmp_path: Path) -> None:
    script = (
        "import time\nfrom hopefear.cluster import open_executor\n"
        "with open_executor('local:1') as executor:\n    print('ready', flush=True)\n    time.sleep(60)\n"
    )
    driver = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    assert driver.stdout is not None
    assert driver.stdout.readline() == "ready\n"
    processes = {process for process in descendants(driver.pid) if not is_agent(process)}
    assert len(processes) > 3
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    driver.stdout.close()
    left = processes
    for _ in range(150):
        left = {process for process in processes if Path(f"/proc/{process}/exe").exists()}
        if not left:
            break
        time.sleep(0.1)
    assert not left


def test_ray_is_imported_only_by_a_cluster(tmp_path: Path) -> None:
    assert importlib.util.find_spec("ray") is not None
    script = "import sys, hopefear.cluster, hopefear.decoder.executor; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False, cwd=tmp_path).returncode == 0

"""How Ray is started and joined."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from threading import Thread

import pytest
from support.ray_nodes import descendants, is_agent, wait_for_the_end
from support.waiting import PATIENCE

pytest.importorskip("ray")

import ray

from hopefear.base import InputError
from hopefear.parallel.ray import Connection, connection

LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def listening(processes: set[int]) -> set[str]:
    """Return the addresses, in the kernel's notation, that processes listen on."""
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


@pytest.mark.slow
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


@pytest.mark.parametrize("host", ["a..b", "x" * 70])
def test_no_name_of_a_machine(host: str) -> None:
    with pytest.raises(InputError, match=f"expected a Ray cluster at {host}:6379, got: "):
        Connection(f"{host}:6379")


@pytest.fixture
def listener() -> Iterator[socket]:
    """Yield a socket where connections are taken, and nothing is said."""
    with socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.settimeout(PATIENCE)
        yield listening


def address_of(listener: socket) -> str:
    return f"127.0.0.1:{listener.getsockname()[1]}"


def test_what_listens_is_silent(
    listener: socket, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "JOIN_SECONDS", 0.5)
    address = address_of(listener)
    with pytest.raises(InputError, match=f"expected a Ray cluster at {address}, got: timed out"):
        Connection(address)
    assert capfd.readouterr() == ("", "")


def test_what_listens_is_not_ray() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        Thread(target=server.serve_forever).start()
        try:
            with pytest.raises(InputError, match="got another program that listens there"):
                Connection(f"127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()


def test_joining_may_be_interrupted(listener: socket, tmp_path: Path) -> None:
    script = f"from hopefear.parallel.ray import Connection\nConnection({address_of(listener)!r})"
    joining = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    with listener.accept()[0] as silent:
        assert silent.recv(1)  # and now it waits for an answer
        joining.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in joining.communicate(timeout=PATIENCE)[1]


def test_a_ray_that_lacks_what_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.delattr("ray._private.utils.set_sigterm_handler")
    message = (
        f"expected a version of Ray that has ray._private.utils.set_sigterm_handler, got {ray.__version__}"
    )
    with pytest.raises(InputError, match=re.escape(message)):
        Connection("local")


NO_START = """
import sys, tempfile
from hopefear.parallel.ray import Connection
from hopefear.base import InputError
if sys.argv[1:]:
    tempfile.tempdir = sys.argv[1]
else:
    from ray._private import services
    services.GCS_SERVER_EXECUTABLE = "/gone/gcs_server"
try:
    Connection("local:1")
except InputError as error:
    print(str(error).partition("\\n")[0])
"""


def test_ray_does_not_start(tmp_path: Path) -> None:
    for arguments, path in (([], "/gone/gcs_server"), (["/tmp/gone"], "/tmp/gone/")):
        command = [sys.executable, "-c", NO_START, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert done.stdout.startswith("expected Ray to start on this machine, got: "), done
        assert f"No such file or directory: '{path}" in done.stdout


def test_a_second_connection(ray_here: Connection) -> None:
    with pytest.raises(InputError, match="already connected to Ray"):
        Connection("local")


def test_ray_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r'pip install "hopefear\[cluster\]"'):
        Connection("local")


def test_another_version_of_hopefear(ray_here: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    from hopefear.parallel.ray import processes

    found = processes.hopefear_version()
    monkeypatch.setattr(processes, "version", lambda _: "99.0")
    with pytest.raises(InputError, match=f"expected hopefear 99.0 on .*, got {re.escape(found)}$"):
        ray_here.executor()


@pytest.mark.slow
def test_nothing_is_left_when_the_driver_is_killed(short_folder: Path) -> None:
    script = (
        "import time\nfrom hopefear.parallel.ray import open_executor\n"
        "with open_executor('local:1') as executor:\n    print('ready', flush=True)\n    time.sleep(60)\n"
    )
    environment = {**os.environ, "TMPDIR": str(short_folder)}
    command = [sys.executable, "-c", script]
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=short_folder, env=environment)
    assert driver.stdout is not None
    assert driver.stdout.readline() == "ready\n"
    processes = {process for process in descendants(driver.pid) if not is_agent(process)}
    assert len(processes) > 3
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    driver.stdout.close()
    wait_for_the_end(processes)
    (left_behind,) = short_folder.iterdir()
    assert left_behind.stat().st_mode & 0o077 == 0
    foreign, used = short_folder / "hf", short_folder / "hf2"
    foreign.mkdir()
    used.mkdir()
    with (used / "hopefear.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        next_one = "from hopefear.parallel.ray import Connection\nConnection('local:1').close()"
        subprocess.run([sys.executable, "-c", next_one], check=True, cwd=short_folder, env=environment)
    assert set(short_folder.iterdir()) == {foreign, used}


def test_ray_is_imported_only_by_a_cluster(tmp_path: Path) -> None:
    assert importlib.util.find_spec("ray") is not None
    script = "import sys, hopefear.parallel.ray, hopefear.parallel.executor; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False, cwd=tmp_path).returncode == 0

"""Ray processes, and Ray nodes on this machine: in network namespaces, or on ports of its loopback."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from socket import socket

from . import CHECKOUT
from .waiting import PATIENCE, wait_until

TESTS = CHECKOUT / "tests"
SIZE = ["--num-cpus=2", f"--object-store-memory={100 * 2**20}", "--min-worker-port=0", "--max-worker-port=0"]
# The death of a node is noticed after a second or so, not after half a minute.
HEALTH = {"initial_delay_ms": "0", "period_ms": "300", "timeout_ms": "1000", "failure_threshold": "3"}
# Without the processes that `Connection` leaves out, too.
START = """
import sys
from ray._private.node import Node
from ray.scripts.scripts import main
Node.start_api_server = Node.start_log_monitor = Node.start_monitor = lambda *_, **__: None
sys.argv[0] = "ray"
main()
"""
# Ray takes the outer address for 127.0.0.1, and then listens on all.
START_ON_LOOPBACK = f"""
from ray._private import services
services.get_node_ip_address = lambda *_: "127.0.0.1"
{START}
"""


class Loopback:
    """Both nodes at 127.0.0.1, where nobody else can reach them."""

    namespaces = 1
    start = START_ON_LOOPBACK
    addresses = ("127.0.0.1", "127.0.0.1")

    def prefix(self, number: int) -> list[str]:
        return []

    def free_port(self) -> int:
        with socket() as free:
            free.bind(("127.0.0.1", 0))
            return int(free.getsockname()[1])

    def close(self) -> None:
        pass


class Namespaces:
    """Each node in a network namespace, with one cable between the two.

    Raises
    ------
    OSError
        There is no ``ip``, or they cannot be made.
    """

    namespaces = 2
    start = START
    addresses = ("10.77.0.1", "10.77.0.2")

    def __init__(self) -> None:
        self.names = [f"hopefear{os.getpid()}{which}" for which in "ab"]
        try:
            for name in self.names:
                ip("netns", "add", name)
            here, there = self.names
            ip("link", "add", "cable", "netns", here, "type", "veth", "peer", "name", "cable", "netns", there)
            for name, address in zip(self.names, self.addresses, strict=True):
                ip("-n", name, "address", "add", f"{address}/24", "dev", "cable")
                ip("-n", name, "link", "set", "lo", "up")
                ip("-n", name, "link", "set", "cable", "up")
                ip("-n", name, "route", "add", "default", "dev", "cable")
        except OSError:
            self.close()
            raise

    def prefix(self, number: int) -> list[str]:
        return ["ip", "netns", "exec", self.names[number]]

    def free_port(self) -> int:
        return 6379  # nobody else is there

    def close(self) -> None:
        for name in self.names:
            found = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True)
            kill(set(map(int, found.stdout.split())))
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"ip {' '.join(arguments)}: {done.stderr}")


class TwoNodes:
    """A Ray cluster of one node, and of a second when asked; ``TEST_NODE`` tells which a process is on."""

    def __init__(self, network: Loopback | Namespaces) -> None:
        self.network = network
        self.folder = Path(tempfile.mkdtemp(prefix="hf", dir="/tmp"))  # the paths of sockets must be short
        self.address = f"{network.addresses[0]}:{network.free_port()}"
        self._begun: list[subprocess.Popen[str]] = []
        token = self.folder / "token"
        token.write_text(secrets.token_hex(32))
        token.chmod(0o600)
        paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("RAY_")},
            **{f"RAY_health_check_{name}": value for name, value in HEALTH.items()},
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_prestart_worker_first_driver": "0",  # there are fewer workers than CPUs
            "PYTHONPATH": paths,
        }
        try:
            port = self.address.rpartition(":")[2]
            self._start(0, "--head", f"--port={port}", "--include-dashboard=false")
        except BaseException:
            self.close()
            raise

    def have_second(self) -> None:
        """Start the second node where it is not there."""
        if not self.processes(1):
            self._start(1, f"--address={self.address}")

    def kill_second(self) -> None:
        while left := self.processes(1):  # some may begin while others are found
            kill(left)

    def begin(self, *command: str, folder: Path) -> subprocess.Popen[str]:
        """Begin a command on the first node."""
        process = subprocess.Popen(
            [*self.network.prefix(0), *command],
            env=self.environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._begun.append(process)
        return process

    def processes(self, number: int) -> set[int]:
        """Return the processes of a node: those that name its folder, and their children."""
        folder, commands, parents = str(self._folder(number)).encode(), {}, {}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                commands[int(entry.name)] = (entry / "cmdline").read_bytes()
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
        named = {number for number, command in commands.items() if folder in command}
        return named | {number for number, parent in parents.items() if parent in named}

    def close(self) -> None:
        for process in self._begun:
            process.kill()
            process.communicate()
        kill(self.processes(1) | self.processes(0))
        self.network.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _folder(self, number: int) -> Path:
        return self.folder / f"node{number}"

    def _start(self, number: int, *arguments: str) -> None:
        where = [f"--node-ip-address={self.network.addresses[number]}", f"--temp-dir={self._folder(number)}"]
        command = [sys.executable, "-c", self.network.start, "start", *where, *arguments, *SIZE]
        done = subprocess.run(
            [*self.network.prefix(number), *command],
            env={**self.environment, "TEST_NODE": str(number)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
        )
        if done.returncode:
            raise RuntimeError(f"ray start: {done.stdout.decode()}")


def kill(processes: set[int]) -> None:
    for number in processes:
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            continue


def descendants(parent: int) -> set[int]:
    """Return the processes below one."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found, new = set(), {parent}
    while new:
        found |= new
        new = {child for child, of in parents.items() if of in found} - found
    return found


def is_agent(process: int) -> bool:
    """Tell Ray's agents: they end by themselves, but some time later."""
    try:
        return b"Agent" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def wait_for_the_end(processes: Iterable[int]) -> None:
    """Wait until processes have ended: those that were killed may need a moment."""
    wait_until(
        lambda: not any(Path(f"/proc/{process}/exe").exists() for process in processes),
        "the processes have ended",
    )

"""Connections to Ray, either started on this machine or already running."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hopefear.base import InputError
from hopefear.base.texts import is_whole

from ..faults import Recovery
from .folder import Folder

if TYPE_CHECKING:
    from .ray_executor import RayExecutor

STORE_BYTES = 2 * 2**30  # shared memory; Ray spills the rest to disk
JOIN_SECONDS = 5
# The first bytes of an HTTP/2 client, with empty settings; the server answers with its settings.
HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
SETTINGS = 4  # fourth byte of the answer
LOOPBACK = ("localhost", "127.", "::1", "[::1]")


def require_ray() -> None:
    """Raise `InputError` where Ray is not installed."""
    if find_spec("ray") is None:
        raise InputError('a cluster needs Ray, which is not installed: pip install "hopefear[cluster]"')


class Connection:
    """The connection of this process to Ray; a process can have one at a time."""

    def __init__(self, address: str) -> None:
        require_ray()
        self._folder: Folder | None = None
        name, _, count = address.partition(":")
        if name == "local":
            self._slots: int | None = _number(address, count) if count else os.cpu_count() or 1
            self._begin_local(self._slots)
        else:
            self._slots = None
            self._join(address)

    def executor(
        self,
        *,
        workers: int | None = None,
        threads: int | None = None,
        recovery: Recovery | None = None,
    ) -> RayExecutor:
        """Start workers."""
        from .ray_executor import RayExecutor
        from .workers import Placement

        nodes = [
            Placement(node["NodeID"], int(node["Resources"]["CPU"]))
            for node in _nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        ]
        if not nodes:
            raise InputError("expected a node with CPUs in the cluster, got none")
        if threads is None and self._slots is not None:
            threads = 1
        chosen = [nodes[i % len(nodes)] for i in range(workers or self._slots or len(nodes))]
        placements = [Placement(each.node, threads or each.threads) for each in chosen]
        return RayExecutor(placements, recovery=recovery or Recovery())

    def close(self) -> None:
        """Disconnect from Ray, and end Ray if this connection started it."""
        import ray

        ray.shutdown()
        if self._folder is not None:
            self._folder.remove()

    def __enter__(self) -> Connection:
        """Return the connection itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the connection."""
        self.close()

    def _begin_local(self, slots: int) -> None:
        import ray

        _prepare(loopback=True)
        if (
            not any(map(os.environ.get, ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")))
            and not (Path.home() / ".ray" / "auth_token").exists()
        ):
            os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)  # else Ray writes one to the home folder
        parent = tempfile.gettempdir()
        free = shutil.disk_usage("/dev/shm").free if os.path.isdir("/dev/shm") else STORE_BYTES
        try:
            with _signals_kept(), _expected("Ray to start on this machine"):
                # The paths of Ray's sockets in this folder may have at most 107 bytes.
                self._folder = Folder(Path(parent if len(parent) < 25 else "/tmp"))
                ray.init(
                    address="local",
                    num_cpus=slots,
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                    object_store_memory=max(100 * 2**20, min(STORE_BYTES, free // 2)),
                    _temp_dir=str(self._folder.path / "r"),  # Ray makes this folder writable for all
                )
            found = _nodes()[0]["NodeManagerAddress"]
            if found != "127.0.0.1":
                raise InputError(f"expected Ray {ray.__version__} to listen on 127.0.0.1 only, got {found}")
        except BaseException:
            self.close()
            raise

    def _join(self, address: str) -> None:
        import ray
        from ray._private import ray_constants

        host, colon, port = address.rpartition(":")
        if not colon or not host:
            raise InputError(f"expected a cluster as local, local:n or host:port, got {address!r}")
        _check_listener(address, host.strip("[]"), _number(address, port))
        _prepare(loopback=host.startswith(LOOPBACK))
        tries = _set_private(ray_constants, "NUM_REDIS_GET_RETRIES", 1)  # a try takes half a minute
        try:
            with _expected(f"to join the Ray cluster at {address}"):
                ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except BaseException:
            ray.shutdown()
            raise
        finally:
            _set_private(ray_constants, "NUM_REDIS_GET_RETRIES", tries)


@contextlib.contextmanager
def open_executor(address: str) -> Iterator[RayExecutor]:
    """Connect as `Connection` does, and start workers; at the end, close both."""
    with Connection(address) as connection:
        executor = connection.executor()
        with executor:
            yield executor


def _nodes() -> list[dict[str, Any]]:
    import ray

    return list(ray.nodes())  # type: ignore[no-untyped-call]


def _prepare(*, loopback: bool) -> None:
    """Set options for which Ray has no arguments."""
    import ray

    if ray.is_initialized():
        raise InputError("this process is already connected to Ray: close that connection first")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else each worker warns about it
    from ray._private import node, ray_constants, utils, worker

    # Otherwise Ray replaces 127.0.0.1 by the machine's external address, and listens on all addresses.
    _set_private(ray_constants, "ENABLE_RAY_CLUSTER", not loopback)
    # Ray prints messages of its own to standard output, where translations may go.
    _set_private(worker, "print_to_stdstream", lambda *_, **__: None)
    # Ray would install its own handler of SIGTERM.
    _set_private(utils, "set_sigterm_handler", lambda _: None)
    # These processes serve a dashboard, log messages and an autoscaler. None is used, and to start them takes
    # half of the time.
    for process in ("api_server", "log_monitor", "monitor"):
        _set_private(node.Node, f"start_{process}", lambda *_, **__: None)


def _set_private(module: ModuleType | type, name: str, value: Any) -> Any:
    """Set a private attribute of Ray, which other versions may lack, and return its old value."""
    if not hasattr(module, name):
        found = version("ray")
        raise InputError(f"expected a version of Ray that has {module.__name__}.{name}, got {found}")
    before = getattr(module, name)
    setattr(module, name, value)
    return before


def _check_listener(address: str, host: str, port: int) -> None:
    """Raise `InputError` if no Ray listens at the address; Ray itself would wait for a long time."""
    try:
        with socket.create_connection((host, port), JOIN_SECONDS) as connection:
            if os.environ.get("RAY_USE_TLS", "0") != "0":
                return
            connection.sendall(HELLO)
            answer = connection.recv(len(HELLO))
    except (OSError, UnicodeError) as error:
        raise InputError(f"expected a Ray cluster at {address}, got: {error}") from error
    if answer[3:4] != bytes([SETTINGS]):
        raise InputError(f"expected a Ray cluster at {address}, got another program that listens there")


@contextlib.contextmanager
def _expected(what: str) -> Iterator[None]:
    """Turn errors in the block into `InputError`."""
    try:
        yield
    except Exception as error:
        raise InputError(f"expected {what}, got: {error}") from error


@contextlib.contextmanager
def _signals_kept() -> Iterator[None]:
    """Hold SIGINT and SIGTERM back until Ray has started, which must not be interrupted by an exception."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda number, frame: came.append(number)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    for came_first in came[:1]:
        signal.raise_signal(came_first)


def _number(address: str, number: str) -> int:
    if not is_whole(number) or not 0 < int(number) < 65536:
        raise InputError(f"expected a number from 1 to 65535 after the colon, got {address!r}")
    return int(number)

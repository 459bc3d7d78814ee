"""Start processes with the same modules and files as this process."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from hopefear.base import InputError
from hopefear.base.texts import BLANK, split_lines

LAST_LINES = 6
# Lines of Ray in a worker's standard error, and frames of Ray and hopefear at the bottom of a crash's stack.
NOISE = re.compile(
    r"\s*$|:job_id|:actor_name|\*\*\* |PC: |\s+@ |\[\d{4}-|Extension modules"
    r'|\s+File ".*/(hopefear/parallel|ray)/'
)


def hopefear_version() -> str:
    """Return the installed version of hopefear."""
    try:
        return version("hopefear")
    except PackageNotFoundError:
        return "unknown"


def start_process(module: str, kind: str, arguments: Sequence[Any], *, node: str, threads: int = 1) -> Any:
    """Start a process that holds an object; ``call`` calls the object's methods."""
    where = NodeAffinitySchedulingStrategy(node_id=node, soft=True)
    # No CPUs: it never waits for another process to end. A byte: else Ray ignores the preferred node.
    options = {"num_cpus": 0, "memory": 1, "max_concurrency": threads, "scheduling_strategy": where}
    paths = [os.path.abspath(path) for path in sys.path]
    return _process().options(**options).remote(paths, os.getcwd(), module, kind, *arguments)


class Greeting(NamedTuple):
    """The first reply of a process: its host, its version of hopefear, its log."""

    host: str
    version: str
    log: str

    def check(self) -> None:
        """Raise `InputError` if the process has another version of hopefear."""
        if self.version != hopefear_version():
            raise InputError(f"expected hopefear {hopefear_version()} on {self.host}, got {self.version}")

    def last_words(self) -> str:
        """Return the last lines of the process's log in one line; empty if the log is on another machine."""
        log = Path(self.log)
        try:
            text = log.read_text("utf-8", errors="replace") if log.is_file() else ""
        except OSError:
            return ""
        said = [line.strip(BLANK)[:200] for line in split_lines(text) if not NOISE.match(line)]
        return " | ".join(said[-LAST_LINES:])


def _process() -> Any:
    class HopefearProcess:
        """Pickled by value, because modules are not found in the new process before `paths` are set."""

        def __init__(self, paths: list[str], folder: str, module: str, kind: str, *arguments: Any) -> None:
            import importlib
            import os
            import signal
            import sys

            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the calling process
            if os.path.isdir(folder):
                os.chdir(folder)  # relative paths mean the same
            known = [path for path in paths if os.path.exists(path)]
            sys.path[:] = known + [path for path in sys.path if path not in known and path != folder]
            self.object: Any = None
            self.version = ""
            try:
                self.version = importlib.import_module("hopefear.parallel.ray.processes").hopefear_version()
            except ImportError as error:
                self.version = f"an error: {error}"
                return
            self.object = getattr(importlib.import_module(module), kind)(*arguments)

        def about(self) -> tuple[str, str, str]:
            import os
            import platform

            log = os.path.realpath("/proc/self/fd/2")  # Ray writes it to a file
            return platform.node(), self.version, log

        def call(self, method: str, *arguments: Any) -> Any:
            return getattr(self.object, method)(*arguments)

    return ray.remote(HopefearProcess)

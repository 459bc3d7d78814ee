"""Waiting until something has come to be."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 300.0
"""Seconds after which a test is lost."""


def wait_until(is_so: Callable[[], object], what: str, process: subprocess.Popen[Any] | None = None) -> None:
    """Ask again and again; fail when it does not come, or when a process that should bring it has ended."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert process is None or process.poll() is None, f"ended before: {what}: {process.communicate()}"
        assert time.monotonic() < deadline, f"still not: {what}"
        time.sleep(0.005)

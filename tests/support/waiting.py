"""Waiting until something has come to be."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 300.0
"""Seconds after which a test is lost."""


def wait_until(is_so: Callable[[], object], what: str) -> None:
    """Ask again and again; fail with what was waited for when it does not come."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, f"still not: {what}"
        time.sleep(0.005)

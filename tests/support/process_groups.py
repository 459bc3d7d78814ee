"""A process that is killed, and what becomes of those it began."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.waiting import wait_until

needs_process_groups = pytest.mark.skipif(not hasattr(os, "killpg"), reason="process groups are POSIX's")


@contextlib.contextmanager
def running(script: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Python script in its folder; at the end nothing of its process group is left."""
    process = subprocess.Popen([sys.executable, script.name], cwd=script.parent, start_new_session=True)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def check_all_end_when_killed(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, and see the others of its group end by themselves."""
    process.kill()
    process.wait()

    def all_ended() -> bool:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        return False

    wait_until(all_ended, "the processes of the group have ended")

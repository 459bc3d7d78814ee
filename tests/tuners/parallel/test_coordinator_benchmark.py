"""The benchmark of the coordinator, in small: its table is whole; how fast is not asked."""

from __future__ import annotations

import subprocess
import sys

from support import CHECKOUT
from support.waiting import PATIENCE


def test_learners_that_answer_at_once() -> None:
    script = CHECKOUT / "benchmarks" / "coordinator.py"
    command = [sys.executable, str(script), "--sentences", "20", "--markdown", "2", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert [line.split(" | ")[0] for line in done.stdout.splitlines()[2:]] == ["| 2", "| 3"]

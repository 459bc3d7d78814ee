"""A command that is killed as soon as it has saved a checkpoint.

When is a number of checkpoints, or a stage of an update of HOLS.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from hopefear.cli import app
from hopefear.tuners import read_checkpoint
from hopefear.tuners.contract import run

NETWORKS = ("train-joint", "train-transformer")


def run_killed(when: int | str, arguments: Sequence[object], folder: Path) -> None:
    """Run a command in a process, and see that it was killed."""
    command = [sys.executable, __file__, when, *arguments]
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, timeout=300)
    assert done.returncode == -signal.SIGKILL, done.stderr


def stage(checkpoint: Path) -> str:
    """Say what the run that has saved a checkpoint was at."""
    state = read_checkpoint(checkpoint)
    if "gradient" not in state["facts"]:
        return "another tuner"
    if "direction" not in state["arrays"]:
        return "gradient" if state["facts"]["gradient"]["sentences"] else "between updates"
    return "line search" if "search" in state["facts"] else "no pass yet"


def main(when: str, *arguments: str) -> None:
    saver = (
        run if arguments[0] not in NETWORKS else import_module("hopefear.tuners.contract.network_training")
    )
    write, saved = saver.write_checkpoint, 0

    def write_and_die(path: Path, *given: Any) -> None:
        nonlocal saved
        write(path, *given)
        saved += 1
        if when == (str(saved) if when.isdecimal() else stage(path)):
            os.kill(os.getpid(), signal.SIGKILL)

    saver.write_checkpoint = write_and_die
    app(arguments, prog_name="hopefear")


if __name__ == "__main__":
    main(*sys.argv[1:])

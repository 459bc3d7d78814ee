"""Commands of hopefear in processes of their own."""

from __future__ import annotations

import os
import runpy
import signal
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from .faults import Recovery, WorkerDied
from .processes import Processes

_INTERRUPTED = 128 + signal.SIGINT


def run_command(words: Sequence[str], folder: Path) -> str:
    """Run a hopefear command in a folder, in a process that ends with this one; say what went wrong.

    Raises
    ------
    KeyboardInterrupt
        If the command was interrupted.
    """
    with Processes(Recovery(attempts=1)) as processes:
        try:
            status = processes.call(_run, folder, list(words))
        except WorkerDied as error:
            return str(error)
    if status == _INTERRUPTED:
        raise KeyboardInterrupt
    return f"ended with status {status}" if status else ""


def _run(folder: Path, words: list[str]) -> int | str | None:
    """Run a command in this process and return its exit status."""
    os.chdir(folder)
    sys.argv = ["hopefear", *words]
    # The command that started this process may be loaded already, which runpy warns of.
    warnings.filterwarnings("ignore", category=RuntimeWarning, module="runpy")
    try:
        runpy.run_module("hopefear", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code
    return 0

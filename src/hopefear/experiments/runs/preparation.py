"""The commands that a plan runs before its runs."""

from __future__ import annotations

import os
import runpy
import shlex
import shutil
import sys
import warnings
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import alone_in, written_whole
from hopefear.base.progress import print_line
from hopefear.parallel import Processes, Recovery, WorkerDied

from ..plan import Preparation, settings_text

LOCK = ".preparing"
"""Name of the lock file: the folder may be a link to one that experiments share."""


def prepare(folder: Path, preparation: Preparation) -> None:
    """Run the command if its output is missing or was made by another command."""
    folder = folder.absolute()  # the command runs in another folder than this process
    folder.mkdir(parents=True, exist_ok=True)
    with alone_in(folder, LOCK, "experiment", waiting=print_line):
        _prepare(folder, preparation)


def _prepare(folder: Path, preparation: Preparation) -> None:
    output, note = folder / preparation.output, folder / f"{preparation.output}.command"
    words = [word.replace("{output}", str(output)) for word in preparation.command]
    command = settings_text(words, folder)
    if output.exists() and note.exists() and note.read_text("utf-8", "replace") == command:
        return
    note.unlink(missing_ok=True)  # before the output changes: a note must describe the output beside it
    if output.is_dir():
        shutil.rmtree(output)
    output.unlink(missing_ok=True)
    what = ""
    with Processes(Recovery(attempts=1)) as processes:
        try:
            status = processes.call(_run, folder, words)
            what = f"ended with status {status}" if status else ""
        except WorkerDied as error:
            what = str(error)
    if what or not output.exists():
        what = what or f"did not make {preparation.output}"
        raise InputError(f"hopefear {shlex.join(words)}: {what}", path=folder)
    with written_whole(note) as path:
        path.write_text(command, "utf-8")


def _run(folder: Path, words: list[str]) -> int | str | None:
    """Run a hopefear command and return its exit status."""
    os.chdir(folder)
    sys.argv = ["hopefear", *words]
    # The command that started this process may be loaded already, which runpy warns of.
    warnings.filterwarnings("ignore", category=RuntimeWarning, module="runpy")
    try:
        runpy.run_module("hopefear", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code
    return 0

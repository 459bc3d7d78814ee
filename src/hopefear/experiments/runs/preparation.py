"""The commands that a plan runs before its runs."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import alone_in, written_whole
from hopefear.base.progress import print_line
from hopefear.parallel import run_command

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
    what = run_command(words, folder)
    if what or not output.exists():
        what = what or f"did not make {preparation.output}"
        raise InputError(f"hopefear {shlex.join(words)}: {what}", path=folder)
    with written_whole(note) as path:
        path.write_text(command, "utf-8")

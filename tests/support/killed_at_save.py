"""``python killed_at_save.py NUMBER ARGUMENTS``: a command that is killed after so many checkpoints."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from hopefear.cli import app
from hopefear.tuners.contract import run


def main(number: str, *arguments: str) -> None:
    write, saved = run.write_checkpoint, 0

    def write_and_die(path: Path, *given: Any) -> None:
        nonlocal saved
        write(path, *given)
        saved += 1
        if saved == int(number):
            os.kill(os.getpid(), signal.SIGKILL)

    run.write_checkpoint = write_and_die
    app(arguments, prog_name="hopefear")


if __name__ == "__main__":
    main(*sys.argv[1:])

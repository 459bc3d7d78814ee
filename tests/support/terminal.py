"""What people see on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def screen_of(
    command: Sequence[object], *, width: int = 120, cwd: Path | None = None, status: int = 0, **streams: Any
) -> list[str]:
    """Run a command with standard error at a terminal; give its lines as they are on the screen in the end.

    Lines that a carriage return overwrites are overwritten here, too; no other way to move about is known.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **streams}
    process = subprocess.Popen([*map(str, command)], stderr=slave, cwd=cwd, **streams)
    os.close(slave)
    written = b""
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:  # how Linux says that nobody writes any more
            break
        if not part:
            break
        written += part
    os.close(master)
    assert process.wait() == status, written.decode()
    screen = []
    for line in written.decode().split("\n"):
        shown: list[str] = []
        for text in line.split("\r"):
            shown[: len(text)] = text
        screen.append("".join(shown).rstrip())
    while screen and not screen[-1]:
        del screen[-1]
    return screen

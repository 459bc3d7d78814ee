"""What pages of the documentation show: fenced blocks, the commands in them, and what these print."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")
SIMILAR = 1e-3


def blocks(page: Path, *languages: str) -> list[str]:
    """Return the content of the fenced blocks in these languages; "" is a block that names none."""
    fenced = re.findall(r"^```(\w*)[^\n]*\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [content for language, content in fenced if language in languages]


def commands(page: Path) -> list[list[str]]:
    """Return the words of each command of hopefear, without ``hopefear``, < and > for themselves."""
    shown = [block.replace("\\\n", "") for block in blocks(page, "", "sh", "console")]
    lines = [line.removeprefix("$ ") for block in shown for line in block.splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("hopefear ")]


def shell_commands(page: Path) -> list[str]:
    """Return what the blocks of a page that run hopefear give to a shell, one command each, in order."""
    found = []
    for block in blocks(page, "", "sh", "console"):
        lines = block.replace("\\\n", "").splitlines()
        if any(line.startswith("$ ") for line in lines):
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        elif not any(re.match(r" *hopefear ", line) for line in lines):
            continue
        command = ""
        for line in lines:
            command += f"{line}\n"
            if subprocess.run(["bash", "-n", "-c", command], stderr=subprocess.DEVNULL).returncode == 0:
                found.append(command.strip())
                command = ""
        assert not command, f"{page.name}: {command}"
    return [command for command in found if command and not command.startswith("#")]


def assert_alike(shown: str, printed: str, varies: bool, where: str) -> None:
    """Compare what a page shows with what was printed, numbers apart from where they vary."""
    context = f"{where}: the page shows\n{shown}\nand this is what was printed:\n{printed}"
    assert NUMBER.sub("#", " ".join(shown.split())) == NUMBER.sub("#", " ".join(printed.split())), context
    if not varies:
        pair = (
            [float(number.replace(",", "")) for number in NUMBER.findall(text)] for text in (shown, printed)
        )
        for one, other in zip(*pair, strict=True):
            assert one == pytest.approx(other, rel=SIMILAR), context

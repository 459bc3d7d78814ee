"""docs/use/writing-plugins.md is true: its files are written, its commands run, what they print is compared.

Blocks come in the order of the page. ``python title="NAME"`` is a file; in ``console`` a line ``$ COMMAND``
is run by bash and the lines behind it are what it prints, numbers to one in a thousand; in ``console varies``
(times, and what many updates lead to) numbers may differ: there is a part of the sample's sentences.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import CHECKOUT
from support.pages import assert_alike
from support.waiting import PATIENCE

pytestmark = pytest.mark.long
PAGE = CHECKOUT / "docs" / "use" / "writing-plugins.md"
SHORT = 14
TESTED = 45
"""What is left of the sample: to learn from, sentences of so many words; to test, so many sentences."""


def blocks() -> Iterator[tuple[int, str, str]]:
    """Line, info string and content of each fenced block."""
    page = PAGE.read_text("utf-8")
    for match in re.finditer(r"^```([^\n]+)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        yield page.count("\n", 0, match.start()) + 1, match[1], match[2]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command with what it prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


class Terminal:
    """Runs commands in a folder, in an environment of its own in which hopefear and pytest are installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        environment = folder / ".venv"
        venv.create(environment, symlinks=True)
        (site,) = environment.glob("lib/python*/site-packages")
        (site / "installed.pth").write_text("\n".join(filter(None, sys.path)), "utf-8")
        for tool in ("hopefear", "pip", "pytest"):
            (environment / "bin" / tool).write_text(f'#!/bin/sh\nexec python -m {tool} "$@"\n')
            (environment / "bin" / tool).chmod(0o755)
        self.environment = os.environ | {
            "PATH": os.pathsep.join((str(environment / "bin"), os.environ["PATH"])),
            "PYTHONDONTWRITEBYTECODE": "1",
            # No network: what the page installs is its own plugin.
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # an option that turns something off: 0 does
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_QUIET": "1",
        }

    def run(self, command: str) -> str:
        if command.startswith("cd "):
            self.folder /= command[3:]
            return ""
        done = subprocess.run(
            ["bash", "-c", command],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"$ {command}\n{done.stdout}"
        return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def cut_parts(folder: Path) -> None:
    """Leave a part of the sample's sentences."""
    for part in ("dev", "test"):
        sources = (folder / f"{part}.es").read_text("utf-8").splitlines()
        kept = [i for i, source in enumerate(sources) if len(source.split()) <= SHORT]
        if part == "test":
            kept = list(range(TESTED))
        assert 30 <= len(kept) < len(sources)
        for path in folder.glob(f"{part}.*"):
            lines = path.read_text("utf-8").splitlines(keepends=True)
            path.write_text("".join(lines[i] for i in kept), "utf-8")


def test_the_tutorial(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    kinds = set()
    for line, info, content in blocks():
        kind, _, rest = info.partition(" ")
        where = f"{PAGE.name}:{line}"
        kinds.add(kind)
        if kind == "python":
            (name,) = re.findall(r'^title="(\w+\.py)"$', rest)
            (terminal.folder / name).write_text(content, "utf-8")
        else:
            assert (kind, rest) in {("console", ""), ("console", "varies")}, f"{where}: {info}"
            for command, shown in commands(content):
                assert_alike(shown, terminal.run(command), rest == "varies", f"{where}: $ {command}")
                if command.startswith("cd "):
                    cut_parts(terminal.folder)
    assert kinds == {"python", "console"}


def test_the_first_plugin_has_ten_lines() -> None:
    code = next(content for _, info, content in blocks() if info.startswith("python"))
    assert len([line for line in code.splitlines() if line]) == 10

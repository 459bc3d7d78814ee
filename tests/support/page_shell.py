"""A shell in which the commands of a page run, as its reader would run them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

from .waiting import PATIENCE

SESSION = "12f694fe7f79"
"""The session of the pages: another one here."""


class Shell:
    """Runs commands by bash; a server goes on until the next one begins, or the page ends.

    Commands are those of the forked program, in the folder `forked`. A shell that installs has an environment
    of its own, with hopefear and pytest, where commands run as soon as pip has installed something.
    """

    def __init__(self, folder: Path, home: Path, forked: Path, *, installs: bool = False) -> None:
        self.folder, self.variables, self.names = folder, "", dict[str, str]()
        self.server: subprocess.Popen[str] | None = None
        tools = home / "bin"
        if installs:
            venv.create(home, symlinks=True)
            (site,) = home.glob("lib/python*/site-packages")
            (site / "installed.pth").write_text("\n".join(filter(None, sys.path)), "utf-8")
        tools.mkdir(parents=True, exist_ok=True)
        python = "python" if installs else sys.executable
        for tool in ("hopefear", "pip", "pytest") if installs else ("hopefear",):
            (tools / tool).write_text(f'#!/bin/sh\nexec "{python}" -m {tool} "$@"\n')
            (tools / tool).chmod(0o755)
        path = f"{tools}{os.pathsep}{os.environ['PATH']}"
        self.of_server = os.environ | {"HOME": str(home), "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        # No network: what a page installs is its own plugin.
        self.of_server |= {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        self.of_server |= {"PIP_QUIET": "1", "PIP_NO_BUILD_ISOLATION": "0"}  # 0 turns isolation off
        self.environment = self.of_server | {"PATH": f"{forked}{os.pathsep}{path}"}

    def run(self, command: str) -> str:
        """Run a command and return what it prints, without blanks at the ends of lines."""
        if re.match(r"hopefear (serve|watch|plugins watch)\b", command):
            self.serve(command.partition("#")[0])
            return ""
        if command.startswith("cd "):
            self.folder /= command[3:]
            return ""
        if re.match(r"\w+=\S+$", command):
            self.variables += f"{command}\n"
            return ""
        if command.startswith("pip install "):
            self.environment = self.of_server
        script = self.variables + command
        for shown, name in self.names.items():
            script = script.replace(shown, name)
        printed = self.printed(script)
        if command.endswith("/api/sessions"):
            self.names[SESSION] = json.loads(printed)[0]["id"]
        return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())

    def printed(self, script: str) -> str:
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"$ {script}\n{done.stdout}"
        return done.stdout

    def serve(self, command: str) -> None:
        self.close()
        self.server = subprocess.Popen(
            ["bash", "-c", f"exec {command} --port 0"],
            env=self.of_server,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.server.stdout is not None
        printed = ""
        for line in self.server.stdout:
            printed += line
            if found := re.search(r"^ready: http://([^/]+)/", line):
                self.names["localhost:8642"] = found[1]
                return
        raise AssertionError(f"$ {command}\n{printed}")

    def close(self) -> None:
        if self.server is not None:
            self.server.terminate()
            self.server.communicate(timeout=PATIENCE)
            self.server = None

"""``run.json``: what a run was started with, when, and how it ended."""

from __future__ import annotations

import inspect
import math
import os
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypedDict

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import digest, json_bytes, parse_json
from hopefear.base.typed import from_json
from hopefear.metrics import Metric
from hopefear.tuners.contract import Tuner

Files = Mapping[str, Path | Sequence[Path] | None]
"""The files that a run reads, by the option that names them."""

Options = Mapping[str, Any]
"""The options that choose features and rules, by their names; a run goes on with the same only."""

_LEARNED_FROM = (
    *("source", "reference", "trees", "conllu", "tags", "classes", "annotation"),
    *("dev-source", "dev-reference", "dev-trees", "dev-conllu", "dev-tags", "dev-annotation"),
)
"""Files that a run goes on with only if they have not changed."""


class RunRecord:
    """The file ``run.json``: a session for each command that worked on the run, the last one under way."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        self._path = path
        self._started, self._clock, self._cpu = _now(), time.monotonic(), time.process_time()
        self._sessions = _read_sessions(path) if resume and path.exists() else []

    def begin(self, tuner: Tuner, files: Files, options: Options | None = None) -> None:
        """Add a session."""
        config = files.get("config")
        lists = {name: [paths] if isinstance(paths, Path) else paths for name, paths in files.items()}
        facts = {name: [_facts(path) for path in paths] for name, paths in lists.items() if paths}
        options = {name: value for name, value in (options or {}).items() if value}
        if self._sessions:
            self._check_same(facts, options)
        self._sessions.append(
            {
                "command": ["hopefear", *sys.argv[1:]],
                "folder": os.getcwd(),
                "configuration": config.read_text("utf-8", "replace") if isinstance(config, Path) else None,
                "files": facts,
                "options": options,
                "tuner": {"name": type(tuner).__name__, "settings": _settings(tuner)},
                "versions": {
                    "hopefear": version("hopefear"),
                    "python": platform.python_version(),
                    "numpy": version("numpy"),
                    "platform": platform.platform(),
                },
                "started": self._started,
                "ended": None,
                "wall_seconds": 0.0,
                "cpu_seconds": 0.0,
                "passes": 0,
                "status": "running",
            }
        )
        self._write()

    def _check_same(self, facts: Mapping[str, list[dict[str, Any]]], options: Options) -> None:
        last = self._sessions[-1]
        began: Options = last["options"]
        for name in sorted({*began, *options}):
            if began.get(name) != options.get(name):
                was, now = _shown(began.get(name)), _shown(options.get(name))
                raise InputError(
                    f"the run began with {name} {was}: expected the same, got {now}", path=self._path
                )
        for name in _LEARNED_FROM:
            old, new = (
                [fact.get("sha256") for fact in files.get(name, ())] for files in (last["files"], facts)
            )
            if old != new:
                message = f"the files of --{name} have changed: expected those that the run began with"
                raise InputError(message, path=self._path)

    def count_pass(self, number: int) -> None:
        """Note that a pass is done."""
        if self._sessions:
            self._sessions[-1]["passes"] = number
            self._write()

    def note_choice(self, choice: Mapping[str, Any]) -> None:
        """Note which of several tuners was chosen, and the scores by which it was."""
        self._sessions[-1]["choice"] = dict(choice)
        self._write()

    def end(self, status: str, error: str = "") -> None:
        """Note how the session ended: ``finished``, ``stopped`` or ``failed``, and why."""
        self._sessions[-1].update(status=status, ended=_now(), **({"error": error} if error else {}))
        self._write()

    def _write(self) -> None:
        session = self._sessions[-1]
        session["wall_seconds"] = round(time.monotonic() - self._clock, 3)
        session["cpu_seconds"] = round(time.process_time() - self._cpu, 3)
        with written_whole(self._path) as beside:
            beside.write_bytes(json_bytes({"sessions": self._sessions}))


class _Earlier(TypedDict):
    """What a run that goes on asks of an earlier session."""

    files: dict[str, list[dict[str, Any]]]
    options: dict[str, Any]
    status: str


def _read_sessions(path: Path) -> list[dict[str, Any]]:
    try:
        sessions = list(parse_json(path.read_text("utf-8", "surrogateescape"))["sessions"])
        from_json(list[_Earlier], sessions, "sessions")
        for session in sessions:
            if session["status"] == "running":  # a signal that cannot be caught, or a machine that went down
                session.update(status="failed", error="the process ended before it could say why")
        json_bytes({"sessions": sessions})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        message = f"expected the sessions of the run to resume: {error}; remove the file to go on without"
        raise InputError(message, path=path) from None
    return sessions


def _shown(value: Any) -> str:
    """Write the value of an option for a message."""
    if not value:
        return "not given"
    return "given" if value is True else ", ".join(map(str, value if isinstance(value, list) else [value]))


def _facts(path: Path) -> dict[str, Any]:
    if not path.is_file():  # a pipe: it can be read but once
        return {"path": str(path)}
    with path.open("rb") as file:
        return {"path": str(path), "bytes": path.stat().st_size, "sha256": digest(file)}


def _settings(tuner: Tuner) -> dict[str, Any]:
    return {name: _plain(getattr(tuner, name)) for name in inspect.signature(type(tuner)).parameters}


def _plain(value: Any) -> Any:
    """Return what JSON can hold and people can read."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Metric):
        return value.signature()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    text = repr(value)
    return type(value).__name__ if " at 0x" in text else text


def _now() -> str:
    return datetime.now(timezone.utc).astimezone().isoformat(timespec="seconds")

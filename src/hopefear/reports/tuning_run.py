"""What the folder of a tuning run says."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.base.stored import parse_json
from hopefear.base.typed import from_json
from hopefear.decoder import Weights
from hopefear.tuners.contract import LearningLog, RunFiles

from .change import RunChange, read_change

START = "weights.start"
"""The name of a file in the folder of a run: the weights that the run began with."""


@dataclass(frozen=True)
class RecordedTuner:
    """The tuner of a session."""

    name: str
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Session:
    """A command that worked on a run, as ``run.json`` tells of it."""

    tuner: RecordedTuner
    command: list[str] | None = None
    folder: str = ""
    status: str = ""
    error: str = ""
    wall_seconds: float | None = None
    configuration: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    files: dict[str, list[RecordedFile]] = field(default_factory=dict)


@dataclass(frozen=True)
class RecordedFile:
    """A file that a session read; a pipe has no digest."""

    path: str
    sha256: str = ""


@dataclass(frozen=True)
class TuningRun:
    """What the folder of a run says."""

    folder: Path
    log: LearningLog
    paths: dict[str, Floats]
    points: list[str]
    tuner: str
    settings: dict[str, str]
    change: RunChange | None
    session: Session | None = None

    @classmethod
    def read(cls, folder: Path) -> TuningRun:
        """Read the folder of a run that has ended."""
        run = RunFiles(folder)
        log = run.read_log()
        run.check_finished()
        stages = {"start": folder / START} if (folder / START).exists() else {}
        stages |= {f"pass {number}": folder / f"weights.pass{number}" for number in log.pass_numbers}
        stages = {name: path for name, path in stages.items() if path.exists()} | {"end": run.final}
        known = [_read(path) for path in stages.values()]
        names = sorted({name for weights in known for name in weights})
        paths = {name: np.array([weights.get(name, 0.0) for weights in known]) for name in names}
        record = folder / "run.json"
        sessions = read_sessions(record) if record.exists() else []
        session = sessions[-1] if sessions else None
        tuner = "" if session is None else session.tuner.name
        settings = _settings(sessions, record)
        return cls(folder, log, paths, list(stages), tuner, settings, read_change(folder), session)

    @property
    def name(self) -> str:
        """The name of the folder, and that of the folder around it."""
        place = self.folder.resolve()
        return "/".join(filter(None, (place.parent.name, place.name)))

    def most_moved(self, most: int) -> list[str]:
        """Return the features whose weights changed most from the first point to the last."""
        change = {name: abs(path[-1] - path[0]) for name, path in self.paths.items()}
        moved = (name for name in change if change[name] > 0)
        return sorted(moved, key=lambda name: (-change[name], name))[:most]


def _read(path: Path) -> dict[str, float]:
    weights = Weights()
    weights.read(path, may_be_empty=True)
    return weights.nonzero()


def read_sessions(path: Path) -> list[Session]:
    """Read the sessions in the ``run.json`` of a run, at least one."""
    try:
        content = parse_json(path.read_text("utf-8", "surrogateescape"))
        sessions: list[Session] = from_json(list[Session], content["sessions"], "sessions")
        if not sessions:
            raise ValueError("got none")
        return sessions
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"expected the sessions of a run: {error}", path=path) from None


def _settings(sessions: list[Session], path: Path) -> dict[str, str]:
    """Return what a run was started with, and how long it took; nothing without sessions."""
    if not sessions:
        return {}
    session = sessions[-1]
    found = {"tuner": session.tuner.name}
    found |= {key: _shown(value) for key, value in session.tuner.settings.items() if value is not None}
    if session.command is not None:
        command = " ".join(map(shlex.quote, session.command))
        found["command"] = command.encode("utf-8", "backslashreplace").decode()  # as files
    if session.wall_seconds is not None:  # a run that was stopped went on in sessions of its own
        found["time"] = f"{sum(one.wall_seconds or 0.0 for one in sessions):,.1f} s"
    try:
        "".join([*found, *found.values()]).encode()
    except UnicodeEncodeError as error:  # half of a surrogate pair
        raise InputError(f"expected the sessions of a run: {error}", path=path) from None
    return found


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)

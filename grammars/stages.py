"""Stages that make files from files, and run again only if something has changed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from hopefear import _native
from hopefear.base.errors import InputError
from hopefear.base.files import alone_in, is_temporary, read_packed, written_whole
from hopefear.base.stored import digest, json_bytes, parse_json

RECORD = "stages.json"
"""Name of the file that records what the stages of its folder were made from."""

LOCK = "stages.lock"
"""Name of the lock file, held by the build that uses the folder."""

VERSION = _native.VERSION
"""hopefear's version; another version runs all stages again, because it may give other results."""


@dataclass(frozen=True)
class Stage:
    """A stage of a build."""

    name: str
    inputs: Sequence[Path]
    outputs: Sequence[str]
    make: Callable[..., object]
    settings: Mapping[str, Any] = field(default_factory=dict)


class Stages:
    """A folder of files made in stages.

    A stage is done if its settings, the contents of its inputs and outputs, and hopefear's version are the
    same as when it ran. The record is written after the outputs: if a build is interrupted, the next build
    repeats the interrupted stage, and no earlier stage.
    """

    def __init__(self, folder: Path, *, report: Callable[[str, float], None] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._report = report or (lambda name, seconds: None)
        self._met: dict[str, Sequence[str]] = {}
        self._given: set[Path] = set()
        self._sums: dict[Path, str] = {}
        if (folder / RECORD).exists():
            self._record = _read(folder / RECORD)
            return
        if not all(map(is_temporary, folder.iterdir())):
            raise InputError("expected an empty folder, or one that a build has begun", path=folder)
        self._record = {}
        self._write()  # from now on the folder belongs to the build

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other builds out of the folder."""
        with alone_in(self.folder, LOCK, "build"):
            self._record = _read(self.folder / RECORD)  # another build may have changed it until now
            yield

    def require(self, paths: Iterable[Path]) -> None:
        """Check that all given files can be read, before any stage runs."""
        for path in paths:
            self.checksum(path)
            self._given.add(path.resolve())

    def tell(self, lines: Iterable[str]) -> None:
        """Report lines of their own between stages."""
        for line in lines:
            self._report(line, -1.0)

    def checksum(self, path: Path) -> str:
        """Return the checksum of an input or of a finished output, computed once per build."""
        if path not in self._sums:
            self._sums[path] = checksum(path)
        return self._sums[path]

    def run(self, stage: Stage) -> bool:
        """Run a stage if it is not done; return whether it ran."""
        met = self._met.setdefault(stage.name, stage.outputs)
        if met != stage.outputs:
            raise ValueError(f"two stages are named {stage.name}")
        if self.is_done(stage):
            self._report(stage.name, 0.0)
            return False
        outputs = [self.folder / name for name in stage.outputs]
        start = time.monotonic()
        for path in outputs:
            path.parent.mkdir(parents=True, exist_ok=True)
        stage.make(*outputs)
        for path in outputs:
            self._sums.pop(path, None)
        sums = {name: self.checksum(path) for name, path in zip(stage.outputs, outputs, strict=True)}
        before = self._record.get(stage.name, {})
        self._record[stage.name] = {"made from": self._made_from(stage), "outputs": sums}
        self._remove(before.get("outputs", ()))
        self._write()
        self._report(stage.name, time.monotonic() - start)
        return True

    def is_done(self, stage: Stage) -> bool:
        """Tell whether a stage's outputs are made, and made from the inputs and settings of now."""
        made_from = self._made_from(stage)
        record = self._record.get(stage.name, {})
        return record.get("made from") == made_from and self._are_there(record["outputs"], stage)

    def finish(self) -> None:
        """Remove the outputs of stages that are no longer part of the build."""
        for name in self._record.keys() - self._met.keys():
            self._remove(self._record.pop(name)["outputs"])
        self._write()

    def _made_from(self, stage: Stage) -> dict[str, Any]:
        inputs = [self.checksum(path) for path in stage.inputs]
        return {"version": VERSION, "settings": _as_read(stage.settings), "inputs": inputs}

    def _remove(self, names: Iterable[str]) -> None:
        """Remove files that are neither outputs nor given inputs, and folders that become empty."""
        kept = {name for entry in self._record.values() for name in entry["outputs"]}
        for path in (self.folder / name for name in names if name not in kept):
            if path.resolve() in self._given:
                continue  # an output of an earlier build that is an input of this build
            path.unlink(missing_ok=True)
            if path.parent != self.folder and path.parent.is_dir() and not any(path.parent.iterdir()):
                path.parent.rmdir()

    def _are_there(self, sums: Mapping[str, str], stage: Stage) -> bool:
        paths = [self.folder / name for name in stage.outputs]
        return list(sums) == list(stage.outputs) and all(
            path.is_file() and self.checksum(path) == total
            for path, total in zip(paths, sums.values(), strict=True)
        )

    def _write(self) -> None:
        with written_whole(self.folder / RECORD) as part:
            part.write_bytes(json_bytes(self._record))


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal."""
    try:
        with path.open("rb") as file:
            return digest(file)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None


def _read(path: Path) -> dict[str, Any]:
    content = read_packed(path)
    try:
        record = parse_json(content)
    except ValueError:
        record = None
    if not isinstance(record, dict) or not all(map(_is_stage, record.values())):
        raise InputError("expected the record of a build's stages: build in another folder", path=path)
    return record


def _is_stage(entry: Any) -> bool:
    if not (isinstance(entry, dict) and "made from" in entry and isinstance(entry.get("outputs"), dict)):
        return False
    return all(map(_is_inside, entry["outputs"]))


def _is_inside(name: str) -> bool:
    """Tell whether a name is that of a file in the folder: outputs of earlier builds are removed."""
    path = PurePath(name)
    return name.isprintable() and not path.is_absolute() and ".." not in path.parts


def _as_read(settings: Mapping[str, Any]) -> Any:
    """Return settings as they are read from the record, with lists in place of tuples."""
    return json.loads(json.dumps(settings))

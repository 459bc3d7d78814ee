"""Steps from files to files, done again only where something changed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopefear.decoder import _native
from hopefear.decoder.errors import InputError
from hopefear.decoder.files import alone_in, written_whole

RECORD = "stages.json"
"""What a folder's stages were made from, in the folder."""

LOCK = "stages.lock"
"""Held by the build that is at work in the folder."""

VERSION = _native.VERSION
"""Hopefear's. Another one makes all stages anew: what it does may be something else."""


@dataclass(frozen=True)
class Stage:
    """A step of a build.

    Attributes
    ----------
    name : str
        One in the folder.
    inputs : sequence of Path
        The files it reads; outputs of earlier stages may be among them.
    outputs : sequence of str
        Names, within the folder, of the files it writes, each whole or not at all.
    make : callable
        Writes the outputs, whose paths it gets.
    settings : mapping
        All else that its outputs depend on, as JSON can hold it.
    """

    name: str
    inputs: Sequence[Path]
    outputs: Sequence[str]
    make: Callable[..., None]
    settings: Mapping[str, Any] = field(default_factory=dict)


class Stages:
    """A folder of files made in stages.

    A stage is done if its settings, the contents of its inputs and those of its outputs, and the version of
    hopefear, are what they were when it was made. That is recorded after its outputs are written: wherever a
    build is ended, the next one makes again the stage that was under way, and no other before it.

    Parameters
    ----------
    folder : Path
        Made where it is missing.
    report : callable, optional
        Told of each stage its name and the seconds it took, 0 where it was done.

    Raises
    ------
    InputError
        The folder holds files, but no record of stages, or a damaged one.
    """

    def __init__(self, folder: Path, *, report: Callable[[str, float], None] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._report = report or (lambda name, seconds: None)
        self._met: set[str] = set()
        self._given: set[Path] = set()
        self._sums: dict[Path, str] = {}
        if (folder / RECORD).exists():
            self._record = _read(folder / RECORD)
            return
        if any(path.name != f"{RECORD}.part" for path in folder.iterdir()):
            raise InputError("expected an empty folder, or one that a build has begun", path=folder)
        self._record = {}
        self._write()  # from now on what is there is the build's

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other builds out of the folder.

        Raises
        ------
        InputError
            Another one is at work in it, or its disk has no locks.
        """
        with alone_in(self.folder, LOCK, "build"):
            self._record = _read(self.folder / RECORD)  # another may have been at work until now
            yield

    def require(self, paths: Iterable[Path]) -> None:
        """Make sure, before anything is made, that the files that are given can be read.

        Raises
        ------
        InputError
            One cannot.
        """
        for path in paths:
            self.checksum(path)
            self._given.add(path.resolve())

    def checksum(self, path: Path) -> str:
        """Give the checksum of an input, or of an output that has been made, as this build first met it.

        Raises
        ------
        InputError
            The file cannot be read.
        """
        if path not in self._sums:
            self._sums[path] = checksum(path)
        return self._sums[path]

    def run(self, stage: Stage) -> bool:
        """Make a stage's outputs, if they are not made; tell whether they had to be.

        Raises
        ------
        InputError
            An input cannot be read.
        """
        self._met.add(stage.name)
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
        """Tell whether a stage's outputs are made, and made from the inputs and settings of now.

        Raises
        ------
        InputError
            An input cannot be read.
        """
        made_from = self._made_from(stage)
        record = self._record.get(stage.name, {})
        return record.get("made from") == made_from and self._are_there(record["outputs"], stage)

    def finish(self) -> None:
        """Remove what stages made that were not met since: the build does not ask for them any more."""
        for name in self._record.keys() - self._met:
            self._remove(self._record.pop(name)["outputs"])
        self._write()

    def _made_from(self, stage: Stage) -> dict[str, Any]:
        inputs = [self.checksum(path) for path in stage.inputs]
        return {"version": VERSION, "settings": _as_read(stage.settings), "inputs": inputs}

    def _remove(self, names: Iterable[str]) -> None:
        """Remove files that are no outputs any more, nor given, and folders that they leave empty."""
        kept = {name for entry in self._record.values() for name in entry["outputs"]}
        for path in (self.folder / name for name in names if name not in kept):
            if path.resolve() in self._given:
                continue  # an earlier build made it, and this one reads it
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
            part.write_text(json.dumps(self._record, indent=1, ensure_ascii=False) + "\n", "utf-8")


def checksum(path: Path) -> str:
    """Give the SHA-256 of a file's content, in hexadecimal.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    return digest.hexdigest()


def _read(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    except ValueError:
        record = None
    if not isinstance(record, dict) or not all(map(_is_stage, record.values())):
        raise InputError("expected the record of a build's stages: build in another folder", path=path)
    return record


def _is_stage(entry: Any) -> bool:
    return isinstance(entry, dict) and "made from" in entry and isinstance(entry.get("outputs"), dict)


def _as_read(settings: Mapping[str, Any]) -> Any:
    """Give settings as they come back from the record: tuples are lists there."""
    return json.loads(json.dumps(settings))

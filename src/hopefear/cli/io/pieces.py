"""Files that a long job writes piece by piece, and that get their names when complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import locked
from hopefear.base.progress import ProgressBar
from hopefear.base.signals import Stopped, StopSignals


class PieceFile:
    """A file that is ``NAME.part`` until it is complete."""

    def __init__(self, path: Path, *, end: bytes, resume: bool, force: bool) -> None:
        self.path = path
        self.part = path.with_name(path.name + ".part")
        self.pieces = self._size = 0
        if self.part.exists() and not resume and not force:
            raise InputError(
                "exists, left by a job that was stopped: --resume continues the job, --force starts again",
                path=self.part,
            )
        found = [file for file in (self.part, self.path) if resume and file.exists()]
        self.found = found[0] if found else None
        if self.found is not None:
            self._find_whole_pieces(self.found, end)

    @property
    def whole(self) -> bool:
        """Whether the file is complete."""
        return self.found == self.path

    def write(self, pieces: Iterator[str], *, total: int, progress: str) -> int:
        """Write the missing pieces; give 0, or the exit status for the signal that stopped the job."""
        if self.whole:
            return 0
        with (
            StopSignals() as signals,
            locked(self.part, InputError("another job is writing this file", path=self.part)) as file,
            ProgressBar(total, done=self.pieces, name=progress, unit="piece") as bar,
        ):
            if file.seek(0, os.SEEK_END) < self._size or not self.part.exists():
                raise InputError("another job has changed this file", path=self.part)
            file.truncate(self._size)
            try:
                for _ in range(self.pieces, total):
                    with signals.waiting():
                        piece = next(pieces)
                    file.write(piece.encode())
                    file.flush()
                    self.pieces += 1
                    bar.update()
            except Stopped:
                return signals.exit_status
            os.fsync(file.fileno())
            os.replace(self.part, self.path)
        return 0

    def _find_whole_pieces(self, path: Path, end: bytes) -> None:
        position = 0
        with path.open("rb") as file:
            for line in file:
                position += len(line)
                if line == end or (not end and line.endswith(b"\n")):
                    self._size = position
                    self.pieces += 1

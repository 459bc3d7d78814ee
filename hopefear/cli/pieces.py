"""Files that a long job writes piece by piece, and that are there when all pieces are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hopefear.decoder import InputError
from hopefear.decoder.progress import ProgressBar

from .signals import Stopped, StopSignals


class PieceFile:
    """A file that grows as ``NAME.part`` and gets its name when it is whole.

    Parameters
    ----------
    path : Path
        Its name.
    end : bytes
        The line that ends a piece; empty where each line is a piece.
    resume, force : bool
        What to do with a part that is there: go on behind its last whole piece, or begin anew. To resume
        where there is the file and no part is to leave it as it is.

    Attributes
    ----------
    found : Path or None
        The part or the file that is gone on from.
    pieces : int
        Its whole pieces.

    Raises
    ------
    InputError
        There is a part, and neither `resume` nor `force`.
    """

    def __init__(self, path: Path, *, end: bytes, resume: bool, force: bool) -> None:
        self.path = path
        self.part = path.with_name(path.name + ".part")
        self.pieces = self._size = 0
        if self.part.exists() and not resume and not force:
            raise InputError(
                "left by a job that was stopped: --resume goes on, --force begins anew", path=self.part
            )
        found = [file for file in (self.part, self.path) if resume and file.exists()]
        self.found = found[0] if found else None
        if self.found is not None:
            self._find_whole_pieces(self.found, end)

    @property
    def whole(self) -> bool:
        """Whether nothing is left to do."""
        return self.found == self.path

    def write(self, pieces: Iterator[str], *, total: int, progress: str) -> int:
        """Write the pieces that lack; give 0, or the exit status for the signal that stopped the job.

        Parameters
        ----------
        pieces : iterator of str
            From number `self.pieces` on; made one by one.
        total : int
            Pieces of the whole file.
        progress : str
            What the progress bar says.
        """
        if self.whole:
            return 0
        with (
            StopSignals() as signals,
            self.part.open("ab") as file,
            ProgressBar(total, done=self.pieces, name=progress, unit="piece") as bar,
        ):
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

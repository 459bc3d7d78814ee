"""A folder for Ray's files, removed later where the process that made it was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

PREFIX, LOCK = "hf", "hopefear.lock"


class Folder:
    """A new folder, which nobody else may look into; a lock tells that it is used.

    What killed processes of the same user have left beside it is removed.

    Parameters
    ----------
    parent : Path
        Where it is made.

    Attributes
    ----------
    path : Path

    Raises
    ------
    OSError
        It cannot be made.
    """

    def __init__(self, parent: Path) -> None:
        _remove_left(parent)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        begun = self.path / "begun"
        self._lock = begun.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        begun.rename(self.path / LOCK)  # so that nobody sees it unlocked

    def remove(self) -> None:
        """Remove it with all that it holds."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def _remove_left(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        lock = folder / LOCK
        try:
            if {folder.lstat().st_uid, lock.lstat().st_uid} != {os.geteuid()}:
                continue
            with lock.open("r+") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # it is no such folder, or somebody uses it

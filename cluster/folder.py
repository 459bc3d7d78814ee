"""A folder for Ray's files, removed later where the process that made it was killed."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from hopefear.decoder import InputError
from hopefear.decoder.files import alone_in

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
    InputError
        Its disk has no locks.
    """

    def __init__(self, parent: Path) -> None:
        _remove_left(parent)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        self._lock = ExitStack()
        self._lock.enter_context(alone_in(self.path, "begun", "Ray"))
        (self.path / "begun").rename(self.path / LOCK)  # so that nobody sees it unlocked

    def remove(self) -> None:
        """Remove it with all that it holds."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def _remove_left(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            if {folder.lstat().st_uid, (folder / LOCK).lstat().st_uid} != {os.geteuid()}:
                continue
            with alone_in(folder, LOCK, "Ray"):
                shutil.rmtree(folder, ignore_errors=True)
        except (OSError, InputError):
            continue  # it is no such folder, or somebody uses it

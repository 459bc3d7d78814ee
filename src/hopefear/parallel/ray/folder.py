"""A folder for Ray's files, which is removed even if its process was killed."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import alone_in

PREFIX, LOCK = "hf", "hopefear.lock"
TRIES, SECONDS = 40, 0.05


class Folder:
    """A new locked folder of this user; folders that killed processes have left beside it are removed."""

    def __init__(self, parent: Path) -> None:
        _remove_left(parent)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        self._lock = ExitStack()
        self._lock.enter_context(alone_in(self.path, "begun", "Ray"))
        (self.path / "begun").rename(self.path / LOCK)  # so that no process sees it unlocked

    def remove(self) -> None:
        """Remove the folder and its content; Ray's last processes may still write there while they end."""
        for _ in range(TRIES):
            shutil.rmtree(self.path, ignore_errors=True)
            if not self.path.exists():
                break
            time.sleep(SECONDS)
        self._lock.close()


def _remove_left(parent: Path) -> None:
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            if {folder.lstat().st_uid, (folder / LOCK).lstat().st_uid} != {os.geteuid()}:
                continue
            with alone_in(folder, LOCK, "Ray"):
                shutil.rmtree(folder, ignore_errors=True)
        except (OSError, InputError):
            continue  # the folder is of another kind, or in use

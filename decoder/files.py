"""Files that are written whole or not at all, and locks for folders that one process at a time may use."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import InputError


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside the file to write to, which replaces the file if no error occurred.

    Raises
    ------
    OSError
        The file cannot be written or replaced. The error always names the file, not the temporary path.
    """
    target = Path(path)
    beside = target.parent / f"{target.name}.part"
    try:
        yield beside
        os.replace(beside, target)
    except OSError as error:
        if error.filename is None or str(error.filename) == str(beside):
            error.filename = str(target)
        raise
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def alone_in(folder: Path, lock: str, worker: str) -> Iterator[None]:
    """Keep other processes that ask for the same lock out of a folder.

    Parameters
    ----------
    lock : str
        Name of the file in the folder that is locked.
    worker : str
        What uses the folder, for the message: "build".

    Raises
    ------
    InputError
        Another process holds the lock, or the file system has no locks.
    """
    with (folder / lock).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"another {worker} is using this folder", path=folder) from None
        except OSError as error:
            raise InputError(f"cannot be locked: {error.strerror}", path=folder) from None
        yield

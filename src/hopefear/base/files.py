"""Files that are written whole or not at all, and locks for folders that one process at a time may use."""

from __future__ import annotations

import errno
import fcntl
import gzip
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter
from pathlib import Path
from typing import BinaryIO, cast

from .errors import InputError, shown
from .unpacking import unpack

_TEMPORARY = re.compile(r"\..*\.[0-9a-f]{16}\.part(-journal)?", re.DOTALL)
"""Names of temporary files; SQLite puts a journal beside its file."""

_OPEN_FILES = re.compile(r"/dev/(stdin|stdout|stderr|fd/.*)|/proc/.*", re.DOTALL)
"""Names that stand for open files, which must not be replaced."""


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary file to write to, which replaces the file if no error occurred."""
    named = Path(path)
    try:
        mode = os.stat(named).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(named))
    if (mode is not None and not stat.S_ISREG(mode)) or _OPEN_FILES.fullmatch(os.path.abspath(named)):
        try:
            yield named
        except OSError as error:
            error.filename = error.filename or str(named)
            raise
        return
    target = Path(os.path.realpath(named))
    temporary = target.parent / f".{target.name[:40]}.{secrets.token_hex(8)}.part"
    try:
        with _exclusive(temporary, 0o666 if mode is None else mode & 0o666 | 0o600):
            yield temporary
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode) & 0o777)
            _sync(temporary)
            os.replace(temporary, target)
        with suppress(OSError):  # not all file systems can
            _sync(target.parent)
    except OSError as error:
        if error.filename is None or str(error.filename) == str(temporary):
            error.filename, error.filename2 = str(named), None
        raise
    except InputError as error:
        if error.path == str(temporary):
            message = str(error).removeprefix(f"{shown(temporary)}: ")
            raise type(error)(message, path=named) from None
        raise
    finally:
        temporary.unlink(missing_ok=True)


def read_packed(path: str | os.PathLike[str]) -> bytes:
    """Read a file, uncompressed if its name ends in ``.gz``, ``.bz2`` or ``.xz``."""
    try:
        content = Path(path).read_bytes()
        return unpack(content, path) if os.fspath(path).endswith((".gz", ".bz2", ".xz")) else content
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None


def write_packed(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file whole, compressed if its name ends in ``.gz``."""
    if os.fspath(path).endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    try:
        with written_whole(path) as beside:
            beside.write_bytes(content)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", path=path) from None


@contextmanager
def written_packed(path: str | os.PathLike[str], level: int) -> Iterator[BinaryIO]:
    """Open a file to write whole, as `written_whole` does; compressed if its name ends in ``.gz``."""
    with written_whole(path) as part, part.open("wb") as file:
        if os.fspath(path).endswith(".gz"):
            # Without file name and time, the same text gives the same bytes.
            with gzip.GzipFile("", "wb", level, file, mtime=0) as packed:
                yield cast(BinaryIO, packed)
        else:
            yield file


@contextmanager
def _exclusive(path: Path, mode: int) -> Iterator[None]:
    """Make a new file, and hold its lock, which shows that its writer is alive."""
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(number)


def _sync(path: Path) -> None:
    """Have the content of a file or folder written to the disk."""
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def is_temporary(path: Path) -> bool:
    """Tell whether a file is a temporary file of `written_whole`, by its name."""
    return _TEMPORARY.fullmatch(path.name) is not None


def remove_temporary(folder: Path) -> None:
    """Remove the temporary files in a folder and its subfolders whose writers are dead."""
    for path in filter(is_temporary, folder.rglob(".*.part*")):
        with suppress(OSError):
            number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(number)


def append_whole(path: str | os.PathLike[str], content: bytes, *, sync: bool = False) -> None:
    """Append to a file, which is created if it is missing; if an error occurs, nothing is appended."""
    try:
        number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            _append(number, content, sync)
        finally:
            os.close(number)
    except OSError as error:
        error.filename = os.fspath(path)
        raise


def _append(number: int, content: bytes, sync: bool) -> None:
    written = 0
    try:
        while written < len(content):
            written += os.write(number, content[written:])
        if sync:
            os.fsync(number)
    except OSError:
        # The end of the file is this part, unless another process has appended since.
        end = os.lseek(number, 0, os.SEEK_CUR) if written else 0
        if written and os.fstat(number).st_size == end:
            os.ftruncate(number, end - written)
        raise


def cut_to_lines(path: str | os.PathLike[str]) -> int:
    """Remove the part of a line at the end of a file; return its number of bytes."""
    with open(path, "r+b") as file:
        size = kept = file.seek(0, os.SEEK_END)
        while kept:
            begin = max(0, kept - (1 << 16))
            file.seek(begin)
            end = file.read(kept - begin).rfind(b"\n")
            if end >= 0:
                kept = begin + end + 1
                break
            kept = begin
        if kept < size:
            file.truncate(kept)
    return size - kept


@contextmanager
def alone_in(
    folder: Path, lock: str, worker: str, *, waiting: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Keep other processes that ask for the same lock out of a folder."""
    taken = InputError(f"another {worker} is using this folder", path=folder)
    with locked(folder / lock, taken, waiting=waiting):
        remove_temporary(folder)
        yield


@contextmanager
def alone_writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep other processes that do the same from writing a file or a folder, which may not be there yet."""
    real = Path(os.path.realpath(path))
    is_special = real.exists() and not (real.is_file() or real.is_dir())
    if is_special or _OPEN_FILES.fullmatch(os.path.abspath(path)) or not os.access(real.parent, os.W_OK):
        yield
        return
    lock = real.with_name(f".{real.name[:200]}.lock")
    number = _first_to_lock(lock)
    if number is None:
        raise InputError("another process is writing this", path=path)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(number)


def _first_to_lock(path: Path) -> int | None:
    """Open a file, made if it is missing, with its lock; None if another process has the lock."""
    while True:
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(number).st_ino == os.stat(path).st_ino:
                return number
        except BlockingIOError:
            os.close(number)
            return None
        except FileNotFoundError:
            pass  # its owner has just removed it: this one keeps nobody out
        except OSError:
            return number  # a file system without locks
        os.close(number)


@contextmanager
def locked(
    path: Path, taken: InputError, *, waiting: Callable[[str], None] | None = None
) -> Iterator[BufferedWriter]:
    """Open a file to append to it, and hold its lock until it is closed."""
    with open(path, "ab", opener=_without_links) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waiting is None:
                raise taken from None
            waiting(str(taken))
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            raise InputError(f"cannot be locked: {error.strerror}", path=taken.path) from None
        yield file


def _without_links(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)

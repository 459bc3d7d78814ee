"""Files compressed with gz, bz2 or xz, as their first bytes show, and what archives may unpack to."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase
from typing import Any, BinaryIO, NamedTuple, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from .errors import InputError, naming_file

DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
"""What Python raises for a compressed file that is damaged; of bz2 also OSError and ValueError."""

PEEKED = 6
"""The number of bytes at the begin of a file that tell how it is compressed."""

# native/base/line_reader.cc has the same two: 10 to 30 is usual for texts, 50 for k-best lists.
_MOST_INFLATION = 200
_INFLATED_FREELY = 16 << 20  # bytes

LARGEST_CONTENT = 512 << 20
"""The most bytes of a compressed file that is read as a whole, unpacked."""


class Packing(NamedTuple):
    """A way to compress files."""

    name: str
    open: Callable[[Any], Any]

    def unpacking(self, file: BinaryIO, path: str | os.PathLike[str] | None = None) -> BinaryIO:
        """Return what is in a file, no more than a text can be packed in; errors name `path`."""
        return cast(BinaryIO, BufferedReader(_Unpacking(file, self, path), 1 << 17))


_GZ = Packing("gz", gzip.open)
_BZ2 = Packing("bz2", bz2.open)
_XZ = Packing("xz", lzma.open)


class _Counted:
    """A file to read whose bytes are counted."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        part = self._file.read(size)
        self.count += len(part)
        return part


class _Unpacking(RawIOBase):
    """A compressed file, unpacked as it is read."""

    def __init__(self, file: BinaryIO, packing: Packing, path: str | os.PathLike[str] | None) -> None:
        self._path = path
        self._file, self._packed = file, _Counted(file)
        self._inside = packing.open(self._packed)
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            part = self._inside.read1(len(buffer))
        except MemoryError:  # of xz: a file says how much
            raise InputError("expected a compressed file that needs less memory to unpack") from None
        self._count += len(part)
        with naming_file(self._path) if self._path else nullcontext():
            check_unpacked(self._count, self._packed.count)
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        if not self.closed:
            self._inside.close()
            self._file.close()
        super().close()


def check_unpacked(count: int, packed: int) -> None:
    """Refuse that so many bytes come out of so few, as no text does."""
    if count > max(_INFLATED_FREELY, packed * _MOST_INFLATION):
        message = f"expected a compressed file that unpacks to at most {_MOST_INFLATION} times its size"
        raise InputError(message)


def check_members(archive: ZipFile) -> None:
    """Refuse a zip archive as `check_unpacked` does, by the sizes that it says."""
    members = archive.infolist()
    check_unpacked(sum(member.file_size for member in members), sum(m.compress_size for m in members))
    for member in members:
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):  # zipfile unpacks others at once
            raise InputError(f"{member.filename}: expected a file that is stored or deflated")


def read_member(archive: ZipFile, member: ZipInfo) -> bytes:
    """Read a file of an archive piece by piece: as a whole, one that is larger than it says is unpacked."""
    with archive.open(member) as file:
        return b"".join(iter(partial(file.read, 1 << 20), b""))


def packing_of(begin: bytes) -> Packing | None:
    """Return how a file that begins so is compressed; None if it is not."""
    if begin.startswith(b"\x1f\x8b"):
        return _GZ
    if begin.startswith(b"BZh") and begin[4:6] in (b"1A", b"\x17\x72"):
        return _BZ2
    return _XZ if begin.startswith(b"\xfd7zXZ\0") else None


def unpacked(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file to read what is in it; the native readers use this, too."""
    with open(path, "rb") as file:
        packing = packing_of(file.read(PEEKED))
    return packing.unpacking(open(path, "rb"), path) if packing else open(path, "rb")


def unpack(content: bytes, path: str | os.PathLike[str]) -> bytes:
    """Return what is in a file of that content, which may be compressed."""
    packing = packing_of(content[:PEEKED])
    if packing is None:
        return content
    with naming_file(path):
        try:
            inside = packing.unpacking(BytesIO(content)).read(LARGEST_CONTENT + 1)
        except InputError:
            raise
        except (*DAMAGED, OSError, ValueError) as error:
            raise InputError(f"expected a whole {packing.name} file: {error}") from None
        if len(inside) > LARGEST_CONTENT:
            raise InputError(f"expected at most {LARGEST_CONTENT >> 20} MB, unpacked")
        return inside

"""Packages: archives of which some files are texts in XML, as of OpenDocument and Word."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from hopefear.base import InputError
from hopefear.base.unpacking import check_members, read_member

_LARGEST = 256 << 20  # bytes of all members, unpacked
_LARGEST_TEXT = 64 << 20  # bytes of a member that is a text
_MOST_MEMBERS = 20_000


def read_texts(content: bytes, kind: str, main: str, is_text: Callable[[str], bool]) -> dict[str, bytes]:
    """Return the texts of a package by their names; `main` must be there."""
    with _reading(kind), zipfile.ZipFile(io.BytesIO(content)) as package:
        members = package.infolist()
        texts = [member for member in members if is_text(member.filename)]
        if len(members) > _MOST_MEMBERS or sum(member.file_size for member in members) > _LARGEST:
            raise InputError(f"expected {kind} of at most {_LARGEST >> 20} MB, unpacked")
        if any(member.file_size > _LARGEST_TEXT for member in texts):
            raise InputError(f"expected {kind} with at most {_LARGEST_TEXT >> 20} MB of text")
        if main not in (member.filename for member in texts):
            raise InputError(f"expected {kind}, got a package without {main}")
        check_members(package)
        return {member.filename: read_member(package, member) for member in texts}


def with_texts(content: bytes, kind: str, texts: Mapping[str, bytes]) -> bytes:
    """Return a package with other texts; every other file keeps its bytes."""
    out = io.BytesIO()
    with (
        _reading(kind),
        zipfile.ZipFile(io.BytesIO(content)) as package,
        zipfile.ZipFile(out, "w") as written,
    ):
        for member in package.infolist():
            data = texts.get(member.filename)
            written.writestr(member, read_member(package, member) if data is None else data)
    return out.getvalue()


@contextmanager
def _reading(kind: str) -> Iterator[None]:
    """Turn the errors of a damaged package into an `InputError`."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise InputError(f"expected {kind}: {error}") from None

"""Weights that one process changes while another decodes with them.

The weights are in a text file that only grows: lines ``name value`` in cdec's format, and an empty line after
each update. Later values replace earlier values. Lines after the last empty line do not count yet, so that a
reader never sees half an update. In ``FILE.names`` beside the file, the reader lists the features that it
scores, one per line.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from hopefear._native import name_fault
from hopefear.base.errors import InputError
from hopefear.base.files import append_whole
from hopefear.base.texts import split_words


class LiveWeights:
    """The writer of live weights.

    Parameters
    ----------
    path : path
        The file of weights, created if it is missing; its content is kept.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.path.touch()

    def update(self, weights: Mapping[str, float]) -> None:
        """Set some weights, all in effect from the reader's next sentence on.

        Raises
        ------
        InputError
            No feature can have a name, or a value is not finite; nothing is set.
        """
        for name, value in weights.items():
            if fault := name_fault(name):
                raise InputError(f"a feature name {fault}, got {name!r}")
            if not math.isfinite(value):
                raise InputError(f"the weight of {name} must be finite, got {value}")
        lines = "".join(f"{name} {float(value)!r}\n" for name, value in weights.items())
        append_whole(self.path, (lines + "\n").encode("utf-8", "surrogateescape"))


class LiveWeightsReader:
    """The reader of live weights, which decodes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = _GrowingFile(path, end=b"\n\n")
        self._file.check()

    def read(self) -> dict[str, float]:
        """Return the weights that were set since the last call."""
        weights = {}
        for line in self._file.read():
            if not line:
                continue
            name, *values = split_words(line) or ("",)
            try:
                weights[name] = float(*values)
            except (TypeError, ValueError):
                weights[name] = math.nan
            if not math.isfinite(weights[name]) or len(values) != 1:
                raise InputError(f"expected a line 'name value', got {line[:80]!r}", path=self._file.path)
        return weights


class NameFile:
    """The names of the features that the reader of live weights scores."""

    def __init__(self, weights: str | os.PathLike[str]) -> None:
        self._path = Path(os.fspath(weights) + ".names")
        self._file = _GrowingFile(self._path, end=b"\n")
        self._known: set[str] = set()

    def clear(self) -> None:
        """Empty the list."""
        self._path.write_bytes(b"")
        self._known.clear()

    def add(self, names: Iterable[str]) -> None:
        """Add names that are not in the list yet."""
        new = [name for name in names if name not in self._known]
        if new:
            text = "".join(name + "\n" for name in new)
            append_whole(self._path, text.encode("utf-8", "surrogateescape"))
            self._known.update(new)

    def names(self) -> set[str]:
        """Return all names in the list, from all processes."""
        self._known.update(self._file.read())
        return self._known


class _GrowingFile:
    """Reads what was added to a file."""

    def __init__(self, path: str | os.PathLike[str], *, end: bytes) -> None:
        self.path = Path(path)
        self._end = end
        self._offset = 0

    def check(self) -> int:
        try:
            size = os.stat(self.path).st_size
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=self.path) from None
        if size < self._offset:
            raise InputError(
                f"expected a file that only grows, got {size} bytes where {self._offset} were before",
                path=self.path,
            )
        return size

    def read(self) -> list[str]:
        """Return the new lines up to the last empty line."""
        if self.check() == self._offset:
            return []
        with open(self.path, "rb") as file:
            file.seek(self._offset)
            data = file.read()
        data = data[: data.rfind(self._end) + len(self._end)] if self._end in data else b""
        self._offset += len(data)
        return data.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n") if data else []

"""Checkpoints: the states of tuners in files, checked when they are written and when they are read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.state import State
from hopefear.base.stored import digest, parse_json, read_arrays

from .base import TuningError

FORMAT = "hopefear checkpoint 3"
_LINE = len(FORMAT) + 1 + 2 * sha256().digest_size + 1


def _fault(arrays: Mapping[str, NDArray[Any]]) -> str | None:
    """Say what is wrong with arrays of whatever form, None if nothing is."""
    for name, array in arrays.items():
        if array.dtype.kind not in "iuf":
            return f"expected {name} to be an array of numbers, got {array.dtype}"
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            return f"expected finite numbers in {name}, got {array[~np.isfinite(array)][0]}"
    return None


def _first_line(file: BinaryIO) -> bytes:
    """Return the first line of a file whose content, from here to its end, is a state."""
    return f"{FORMAT} {digest(file)}\n".encode()


def write_checkpoint(path: str | os.PathLike[str], state: State) -> None:
    """Write a state, all or nothing: a line with the format and a checksum, then an npz archive.

    Raises
    ------
    TuningError
        The state has a number that is not finite, or an array of something else. The file stays as it was.
    OSError
        The file cannot be written.
    """
    arrays = {name: np.asarray(array) for name, array in state["arrays"].items()}
    fault = _fault(arrays)
    try:
        facts = json.dumps(state["facts"], allow_nan=False).encode()
    except ValueError as error:
        fault = fault or str(error)
    if fault:
        raise TuningError(f"the state of the tuner cannot be saved in {os.fspath(path)}: {fault}")
    stored: dict[str, Any] = {f"array_{name}": array for name, array in arrays.items()}
    with written_whole(path) as beside, open(beside, "wb+") as file:
        file.write(bytes(_LINE))
        np.savez(file, facts=np.frombuffer(facts, np.uint8), **stored)
        file.seek(_LINE)
        line = _first_line(file)
        file.seek(0)
        file.write(line)


def read_checkpoint(path: str | os.PathLike[str]) -> State:
    """Read a state that `write_checkpoint` wrote.

    Whether it is what a tuner expects is seen when it is loaded: see `hopefear.base.state.load`.

    Raises
    ------
    InputError
        The file is missing, damaged, no checkpoint, or a checkpoint of an earlier version.
    """
    try:
        with open(path, "rb") as file:
            line = file.read(_LINE)
            if not line.startswith(FORMAT.encode()):
                raise ValueError(f"expected {FORMAT!r}, got an earlier version or another file")
            if line != _first_line(file):
                raise ValueError("expected the content that was written, got a file with another checksum")
            file.seek(_LINE)
            stored = read_arrays(file)
        facts = parse_json(stored.pop("facts").tobytes(), finite=True)
        arrays = {name.removeprefix("array_"): array for name, array in stored.items()}
        if fault := _fault(arrays):
            raise ValueError(fault)
        return {"facts": facts, "arrays": arrays}
    except FileNotFoundError:
        raise InputError("no such file; expected a checkpoint to resume from", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    except (ValueError, KeyError) as error:
        raise InputError(f"the file is not a checkpoint of a tuner: {error}", path=path) from None


def state_to_resume(checkpoint: str | os.PathLike[str] | None) -> State:
    """Read the checkpoint that a run is to go on from."""
    if checkpoint is None:
        raise ValueError("expected a checkpoint to resume from, got None")
    return read_checkpoint(checkpoint)


@contextmanager
def resuming(checkpoint: str | os.PathLike[str] | None) -> Iterator[None]:
    """Let errors about a restored state name the checkpoint's file; with None, do nothing."""
    try:
        yield
    except InputError as error:
        if checkpoint is None or error.path is not None:
            raise
        raise InputError(str(error), path=checkpoint) from error


def check_resumed(saved: dict[str, Any], settings: dict[str, Any]) -> None:
    """Refuse to go on from a checkpoint with other settings than it was saved with."""
    for name, value in settings.items():
        before = saved.get(name, "None")  # of a setting that came later than the checkpoint
        if before != value:
            raise InputError(f"expected {name}={before}, as in the checkpoint, got {value}")

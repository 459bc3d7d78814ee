"""From a foreign configuration to a folder with a cdec.ini."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.lines import each_line

from .joshua import read_joshua
from .moses import read_moses
from .system import System

READERS: dict[str, Callable[[Path], System]] = {"moses": read_moses, "joshua": read_joshua}
"""Readers of configurations by the decoder's name."""


def read_system(path: str | os.PathLike[str], decoder: str | None = None) -> System:
    """Read the configuration of a foreign decoder."""
    if decoder is None:
        sections = any(re.fullmatch(r"\s*\[[\w-]+\]\s*", line) for line in each_line(path))
        decoder = "moses" if sections else "joshua"
    if decoder not in READERS:
        raise InputError(f"expected {' or '.join(READERS)}, got {decoder!r}")
    return READERS[decoder](Path(path))


def convert(
    path: str | os.PathLike[str], folder: str | os.PathLike[str], decoder: str | None = None
) -> list[str]:
    """Write the system of a foreign configuration as a cdec.ini with grammars and weights.

    Every derivation has the score that the foreign decoder gives it. n-gram models stay where they are.

    Parameters
    ----------
    folder : path
        The folder of the new system, made if it is missing.
    decoder : str, optional
        See `read_system`.

    Returns
    -------
    list of str
        What is not carried over, with file and line.

    Raises
    ------
    InputError
        With file and line: something is wrong, or changes scores and is not carried over.
    OSError
        A file cannot be written.
    """
    system = read_system(path, decoder)
    system.write(Path(folder))
    return list(dict.fromkeys(system.notices))

"""The table of the coarse distortion model: counts of nonterminals by size and reordering.

A text file, plain or gzip, with a line ``S N0 N1`` for each size S, ``1`` to ``9`` and ``10+``: among the
nonterminals of extracted rules that span S source words, N0 were not reordered and N1 were. Lines that begin
with ``#`` are comments. ``hopefear distortion-table`` writes it.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import InputError
from hopefear.plugins.trees import read_lines

LONGEST = 10
"""Nonterminals that span so many words or more are of one size."""

SIZES = (*map(str, range(1, LONGEST)), f"{LONGEST}+")


def read_log_probabilities(path: Path | str) -> NDArray[np.float64]:
    """Read a table as relative frequencies.

    Returns
    -------
    array of float64, shape (2, 10)
        log P(R | S) by R and by S - 1.

    Raises
    ------
    InputError
        The file cannot be read, a line is malformed, a size is missing or there twice, or a count is not
        above zero: its probability would have no logarithm.
    """
    counts: dict[str, list[float]] = {}
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        size = fields[0]
        if len(fields) != 3 or size not in SIZES:
            message = f"expected a size, 1 to 9 or 10+, and two counts, got {line!r}"
            raise InputError(message, path=path, line=number)
        if size in counts:
            raise InputError(f"size {size} is there twice", path=path, line=number)
        try:
            counts[size] = [_count(field) for field in fields[1:]]
        except ValueError:
            message = f"expected two counts above zero (from more sentences, if need be), got {line!r}"
            raise InputError(message, path=path, line=number) from None
    missing = [size for size in SIZES if size not in counts]
    if missing:
        raise InputError(f"expected a line for each size, {', '.join(missing)} missing", path=path)
    table = np.array([counts[size] for size in SIZES]).T
    log_probabilities: NDArray[np.float64] = np.log(table / table.sum(axis=0))
    return log_probabilities


def _count(text: str) -> float:
    count = float(text)
    if not (count > 0 and math.isfinite(count)):
        raise ValueError
    return count

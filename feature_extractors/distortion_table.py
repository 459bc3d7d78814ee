"""The table of the coarse distortion model: counts of nonterminals by size and reordering.

The table is a text file, plain or gzip, with a line ``S N0 N1`` for each size S, ``1`` to ``9`` and ``10+``:
of the nonterminals in extracted rules that span S source words, N0 were not reordered and N1 were reordered.
Lines that begin with ``#`` are comments. ``hopefear distortion-table`` writes the table.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopefear.base.lines import each_line
from hopefear.base.texts import split_words
from hopefear.plugins import InputError

LONGEST = 10
"""The largest size, for nonterminals that span this many words or more."""

SIZES = (*map(str, range(1, LONGEST)), f"{LONGEST}+")


def read_log_probabilities(path: Path | str) -> NDArray[np.float64]:
    """Read a table as relative frequencies."""
    counts: dict[str, list[float]] = {}
    for number, line in enumerate(each_line(path), 1):
        fields = split_words(line)
        if not fields or fields[0].startswith("#"):
            continue
        size = fields[0]
        if len(fields) != 3 or size not in SIZES:
            message = f"expected a size, 1 to 9 or 10+, and two counts, got {line!r}"
            raise InputError(message, path=path, line=number)
        if size in counts:
            raise InputError(f"expected each size once, got {size} again", path=path, line=number)
        try:
            counts[size] = [_count(field) for field in fields[1:]]
        except ValueError:
            message = f"expected two counts above zero, got {line!r}: count over more sentences"
            raise InputError(message, path=path, line=number) from None
    missing = [size for size in SIZES if size not in counts]
    if missing:
        raise InputError(f"expected a line for each size, got none for {', '.join(missing)}", path=path)
    table = np.array([counts[size] for size in SIZES]).T
    log_probabilities: NDArray[np.float64] = np.log(table / table.sum(axis=0))
    return log_probabilities


def _count(text: str) -> float:
    count = float(text)
    if not (count > 0 and math.isfinite(count)):
        raise ValueError
    return count

"""n-gram models as ARPA files."""

from __future__ import annotations

import io
import os

import numpy as np
from numpy.typing import NDArray

from hopefear.base.files import written_packed
from hopefear.base.progress import ProgressBar

from .ngram_model import ModelLevel, NgramModel

LOG_ZERO = -99.0
"""The value for the logarithm of 0; KenLM cannot read infinity."""

_AT_A_TIME = 1 << 16


def write_arpa(model: NgramModel, path: str | os.PathLike[str]) -> None:
    """Write a whole ARPA file in the order of lmplz, with 7 digits; the same model gives the same bytes."""
    words = np.array(model.words, object)
    sizes = [len(level.first) for level in model.levels]
    with (
        written_packed(path, 6) as binary,
        io.TextIOWrapper(binary, "utf-8", newline="\n") as file,
        ProgressBar(sum(sizes), name="writing", unit="n-gram", scale=True) as bar,
    ):
        file.write("\\data\\\n")
        file.writelines(f"ngram {order}={size}\n" for order, size in enumerate(sizes, 1))
        for order, level in enumerate(model.levels, 1):
            file.write(f"\n\\{order}-grams:\n")
            log_probability, log_backoff = _log10(level.probability), _log10(level.backoff)
            for start in range(0, len(level.first), _AT_A_TIME):
                part = slice(start, min(start + _AT_A_TIME, len(level.first)))
                columns = _words(words, model.levels[:order], np.arange(part.start, part.stop))
                texts = map(" ".join, zip(*columns, strict=True))
                probabilities = log_probability[part].tolist()
                ends = ["\n"] * len(probabilities)  # the longest n-grams have no backoff
                if order < len(sizes):
                    ends = [f"\t{backoff:.7g}\n" for backoff in log_backoff[part].tolist()]
                rows = zip(probabilities, texts, ends, strict=True)
                file.writelines(f"{probability:.7g}\t{text}{end}" for probability, text, end in rows)
                bar.update(len(probabilities))
        file.write("\n\\end\\\n")


def _words(
    words: NDArray[np.object_], levels: tuple[ModelLevel, ...], ngrams: NDArray[np.int64]
) -> list[list[str]]:
    """Return the first words of the last level's n-grams, then their second words, and so on."""
    columns = []
    for level in reversed(levels):
        columns.append(words[level.first[ngrams]].tolist())
        ngrams = level.suffix[ngrams]
    return columns


def _log10(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Take logarithms of probabilities, which may be above 1 by rounding."""
    logs = np.full(values.shape, LOG_ZERO)
    np.log10(values, out=logs, where=values > 0)
    np.minimum(logs, 0.0, out=logs)
    return logs

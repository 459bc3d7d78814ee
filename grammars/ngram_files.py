"""Estimate n-gram models from text files, as ARPA files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from hopefear.base.errors import InputError
from hopefear.base.lines import read_lines
from hopefear.base.progress import progress_bar
from hopefear.decoder.lengths import MAX_WORDS, LongSentences

from .arpa import write_arpa
from .lmplz import find_lmplz, run_lmplz
from .ngram_counts import HIGHEST_ORDER, NgramCounts, count_ngrams, sentences
from .ngram_model import estimate

Estimator = Literal["auto", "ours", "lmplz"]


def estimate_arpa(
    texts: Sequence[str | Path],
    order: int,
    output: str | os.PathLike[str],
    *,
    prune: Sequence[int] = (),
    fallback: Sequence[float] | None = None,
    skip_symbols: bool = False,
    max_words: int = MAX_WORDS,
    use: Estimator = "auto",
) -> str | None:
    """Estimate an n-gram model from text files, and write it as an ARPA file."""
    if not 1 <= order <= HIGHEST_ORDER:
        raise InputError(f"expected an order from 1 to {HIGHEST_ORDER}, got {order}")
    program = None if use == "ours" else find_lmplz()
    long = LongSentences(max_words)
    if program is not None:
        words = (
            words
            for path in texts
            for words in sentences(_lines(path), path=path, skip_symbols=skip_symbols, long=long)
        )
        run_lmplz(program, words, order, output, prune=prune, fallback=fallback)
    elif use == "lmplz":
        raise InputError("expected lmplz on the path, found none: install KenLM, or give --use ours")
    else:
        parts = [
            count_ngrams(_lines(path), order, path=path, skip_symbols=skip_symbols, long=long)
            for path in texts
        ]
        write_arpa(estimate(NgramCounts.merged(parts), prune=prune, fallback=fallback), output)
    long.warn()
    return program


def _lines(path: str | Path) -> Iterator[str]:
    """Iterate over the lines of a file with a progress bar."""
    for _, line in progress_bar(read_lines(path), name="reading", unit="line", scale=True):
        yield line

"""``hopefear distortion-table``: the table of the coarse distortion model, counted in aligned text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopefear.base.progress import print_line
from hopefear.decoder.lengths import TEXT_MAX_WORDS

from ..command import argument, command, option


@command
def distortion_table(
    source: Path = argument("Source sentences, one per line; plain or gz."),
    target: Path = argument("Translations of the source sentences; plain or gz."),
    alignment: Path = argument("Word alignments of the sentence pairs, source-target: 0-0 1-2."),
    output: Path = option("File for the table.", "-o", writes=True),
    sentences: int = option("Number of sentence pairs to count in, from the first.", default=10_000, min=1),
    max_span: int = option("Most source words of an initial phrase.", default=15, min=1, max=255),
    max_symbols: int = option("Most source symbols of a rule.", default=5, min=2, max=20),
    min_gap: int = option("Fewest source words of a nonterminal.", default=1, min=1, max=255),
    reverse: bool = option("The links of the alignment are target-source.", default=False),
    max_words: int = option(
        "The most words of a side; a longer pair is left out, and counted.", default=TEXT_MAX_WORDS, min=1
    ),
) -> None:
    """Count how often extracted rules reorder nonterminals of each size.

    The table is for the feature function StructuralDistortion --granularity coarse --table TABLE.

    For example:

      hopefear distortion-table train.ja.gz train.en.gz train.align.gz -o distortion.txt
    """
    from hopefear.grammars.distortion_table import DistortionCounter, count_distortion, write_distortion_table

    counter = DistortionCounter(max_span=max_span, max_symbols=max_symbols, min_gap=min_gap)
    counts = count_distortion(
        source,
        target,
        alignment,
        sentences=sentences,
        counter=counter,
        reverse=reverse,
        max_words=max_words,
    )
    write_distortion_table(counts, output)
    print_line(f"{output}: {summary(counts)}")


def summary(counts: NDArray[np.int64]) -> str:
    """Say how many nonterminals a table counts."""
    return f"{counts.sum():,} nonterminals, {counts[:, 1].sum():,} of them reordered"

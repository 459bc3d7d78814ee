"""``hopefear distortion-table``: the table of the coarse distortion model, counted in aligned text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import refusing


@refusing
def distortion_table(
    source: Annotated[Path, typer.Argument(help="Source sentences, one per line; plain or gz.")],
    target: Annotated[Path, typer.Argument(help="Translations of the source sentences; plain or gz.")],
    alignment: Annotated[
        Path, typer.Argument(help="Word alignments of the sentence pairs, source-target: 0-0 1-2.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the table.")],
    sentences: Annotated[
        int, typer.Option(min=1, help="Number of sentence pairs to count in, from the first.")
    ] = 10_000,
    max_span: Annotated[int, typer.Option(min=1, help="Most source words of an initial phrase.")] = 15,
    max_symbols: Annotated[int, typer.Option(min=2, help="Most source symbols of a rule.")] = 5,
    min_gap: Annotated[int, typer.Option(min=1, help="Fewest source words of a nonterminal.")] = 1,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="The links of the alignment are target-source.")
    ] = False,
) -> None:
    """Count how often extracted rules reorder nonterminals of each size.

    The table is for the feature function StructuralDistortion --granularity coarse --table TABLE.

    For example:

      hopefear distortion-table train.ja.gz train.en.gz train.align.gz -o distortion.txt
    """
    from hopefear.grammars.distortion_table import (
        DistortionCounter,
        count_distortion,
        write_distortion_table,
    )

    counter = DistortionCounter(max_span=max_span, max_symbols=max_symbols, min_gap=min_gap)
    counts = count_distortion(
        source, target, alignment, sentences=sentences, counter=counter, reverse=reverse
    )
    write_distortion_table(counts, output)

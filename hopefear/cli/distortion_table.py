"""``hopefear distortion-table``: what the coarse distortion model knows, counted in aligned text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .errors import refusing


@refusing
def distortion_table(
    source: Annotated[Path, typer.Argument(help="Source sentences, one a line; plain or gz.")],
    target: Annotated[Path, typer.Argument(help="Their translations.")],
    alignment: Annotated[Path, typer.Argument(help="Their word alignments, source-target: 0-0 1-2.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The table.")],
    sentences: Annotated[int, typer.Option(min=1, help="The first so many are counted.")] = 10_000,
    max_span: Annotated[int, typer.Option(min=1, help="Source words of an initial phrase.")] = 15,
    max_symbols: Annotated[int, typer.Option(min=2, help="Source symbols of a rule.")] = 5,
    min_gap: Annotated[int, typer.Option(min=1, help="Source words of a nonterminal.")] = 1,
    reverse: Annotated[bool, typer.Option("--reverse", help="The links are target-source.")] = False,
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

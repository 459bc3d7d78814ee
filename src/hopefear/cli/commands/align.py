"""``hopefear align``: word alignments of a parallel text."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from hopefear.base.progress import at_terminal

from ..errors import refusing


class Symmetrisation(str, Enum):
    """A method to combine the alignments of the two directions."""

    grow_diag_final_and = "grow-diag-final-and"
    intersection = "intersection"
    union = "union"


@refusing
def align(
    source: Annotated[
        Path, typer.Option("--source", "-s", help="Source sentences, one per line; plain or gz.")
    ],
    target: Annotated[
        Path,
        typer.Option(
            "--target", "-t", help="Translations of the source sentences, one per line; plain or gz."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="File for the alignment; compressed if the name ends in .gz."),
    ],
    symmetrisation: Annotated[
        Symmetrisation, typer.Option(help="Method to combine the alignments of the two directions.")
    ] = Symmetrisation.grow_diag_final_and,
) -> None:
    """Align the words of a parallel text.

    The aligner is eflomal, in both directions; pip install "hopefear[align]" installs it. The output has a
    line for each sentence pair with its links, source-target: 0-0 1-2. The output of another aligner in this
    format can be used in its place.

    For example:

      hopefear align -s train.es.gz -t train.en.gz -o train.align.gz

      hopefear align -s train.es -t train.en -o train.align --symmetrisation intersection
    """
    from hopefear.grammars.alignment import align as align_texts

    align_texts(source, target, output, symmetrisation=symmetrisation.value, progress=at_terminal(sys.stderr))

"""``hopefear align``: word alignments of a parallel text."""

from __future__ import annotations

import sys
from pathlib import Path

from hopefear.base.progress import at_terminal, print_line

from ..command import command, option
from ..options import ParallelText, Symmetrisation


@command
def align(
    *,
    text: ParallelText,
    output: Path = option("File for the alignment; compressed if the name ends in .gz.", "-o", writes=True),
    symmetrisation: Symmetrisation = option(
        "Method to combine the alignments of the two directions.", default=Symmetrisation.grow_diag_final_and
    ),
) -> None:
    """Align the words of a parallel text.

    The aligner is eflomal, in both directions; pip install "hopefear[align]" installs it. The output has a
    line for each sentence pair with its links, source-target: 0-0 1-2. eflomal takes no seed: another run
    gives other links. The output of another aligner in this format can be used in its place.

    For example:

      hopefear align -s train.es.gz -t train.en.gz -o train.align.gz

      hopefear align -s train.es -t train.en -o train.align --symmetrisation intersection
    """
    from hopefear.grammars.alignment import align as align_texts

    pairs = align_texts(
        text.source,
        text.target,
        output,
        symmetrisation=symmetrisation.value,
        max_words=text.max_words,
        progress=at_terminal(sys.stderr),
    )
    print_line(f"{output}: links of {pairs:,} sentence pairs")

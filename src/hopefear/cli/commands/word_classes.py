"""``hopefear word-classes``: classes of the words of a text, for token types and annotations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import refusing


@refusing
def word_classes(
    text: Annotated[Path, typer.Argument(help="Tokenised sentences, one per line; plain or gz.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the classes.")],
    classes: Annotated[int, typer.Option("--classes", min=1, help="Number of classes.")] = 50,
    rounds: Annotated[
        int, typer.Option(min=1, help="Rounds over all words at most; fewer if no word moves.")
    ] = 10,
) -> None:
    """Divide the words of a text into classes by the exchange algorithm, as mkcls does.

    The output has a word and its class per line. It is for token types, class:FILE, and for --classes.

    For example:

      hopefear word-classes train.en.gz -o en.classes
    """
    from hopefear.grammars.word_classes import find_classes, write_classes

    write_classes(find_classes(text, classes, rounds), output)

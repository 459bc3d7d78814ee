"""``hopefear word-classes``: classes of the words of a text, for token types and annotations."""

from __future__ import annotations

from pathlib import Path

from hopefear.base.progress import print_line

from ..command import argument, command, option
from ..options import LEFT_OUT


@command
def word_classes(
    text: Path = argument("Tokenised sentences, one per line; plain or gz."),
    output: Path = option("File for the classes.", "-o", writes=True),
    classes: int = option("Number of classes.", default=50, min=1),
    rounds: int = option("Rounds over all words at most; fewer if no word moves.", default=10, min=1),
    max_words: int = LEFT_OUT,
) -> None:
    """Divide the words of a text into classes by the exchange algorithm, as mkcls does.

    The output has a word and its class per line. It is for token types, class:FILE, and for --classes.

    For example:

      hopefear word-classes train.en.gz -o en.classes
    """
    from hopefear.grammars.word_classes import find_classes, write_classes

    found = find_classes(text, classes, rounds, max_words=max_words)
    write_classes(found, output)
    print_line(f"{output}: {len(found):,} words in {len({*found.values()})} classes")

"""``hopefear classes``: word classes of a text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopefear.base.progress import print_line

from ..errors import refusing


@refusing
def classes(
    text: Annotated[
        list[Path], typer.Option("--text", "-s", help="File of sentences, one per line; may repeat.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="File of the classes.")],
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="Number of classes.")] = 50,
    passes: Annotated[int, typer.Option(min=1, help="Most passes over the words.")] = 20,
) -> None:
    """Find word classes for features of words and for n-grams of classes.

    Words with the same neighbours come into the same class, by the exchange algorithm of mkcls. The file has
    a line for each word: the number of its class in bits, the word, and its count. Features take the file as
    a type of token, class:FILE.

    For example:

      hopefear classes -s train.en.gz -o en.classes

      hopefear classes -s train.en.gz -s news.en -o en.classes --number 100

      hopefear tune -c cdec.ini -s dev.es -r dev.en -o run/ --feature "TargetBigrams --types class:en.classes"
    """
    from hopefear.base.lines import read_lines
    from hopefear.grammars.ngram_counts import NgramCounts, count_ngrams
    from hopefear.grammars.word_clusters import cluster_words

    counts = [count_ngrams((line for _, line in read_lines(path)), 2, path=path) for path in text]
    bigrams = counts[0] if len(counts) == 1 else NgramCounts.merged(counts)
    found = cluster_words(bigrams, number, passes=passes, path=text[0])
    found.save(output)
    print_line(f"{len(found.words):,} words in {number} classes after {len(found.likelihoods)} passes")

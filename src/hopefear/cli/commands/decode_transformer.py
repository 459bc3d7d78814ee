"""``hopefear decode-transformer``: translate with a Transformer alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from hopefear.base.lines import each_line
from hopefear.base.texts import split_words

from ..command import argument, command, option

AT_ONCE = 200
"""Sentences that are translated together."""
DIGITS = 15


@command
def decode_transformer(
    model: Path = argument("Folder of train-transformer, or of another CTranslate2 model."),
    input: Path = option("File of sentences, one per line; - is standard input.", "-i", default=Path("-")),
    *,
    k_best: int | None = option(
        "Write k-best lists of this length.", "-k", default=None, min=1, shown="no lists"
    ),
    beam: int = option("Size of the beam; at least that of the lists.", default=4, min=1),
) -> None:
    """Translate sentences, one per line, with a Transformer alone.

    The model reads and writes the tokens that it was trained on. With -k, the output has k-best lists in
    cdec's form; the score is the natural logarithm of the probability. combine joins such lists with forests.

    For example:

      hopefear decode-transformer nmt/ < in > out

      hopefear decode-transformer nmt/ -k 20 < in > nmt.nbest
    """
    from hopefear.neural import TranslationModel

    from ..io.output import candidate_line

    translator = TranslationModel(model)
    lists = chain.from_iterable(
        translator.translate(part, beam=beam, n_best=k_best or 1) for part in _parts(input)
    )
    for number, found in enumerate(lists):
        if k_best is None:
            print(found[0].text)
        for text, _, score in found if k_best is not None else ():
            named = {"Transformer": score}
            sys.stdout.write(candidate_line(number, text, named, score, digits=DIGITS))


def _parts(path: Path) -> Iterator[list[str]]:
    lines = (" ".join(split_words(line)) for line in each_line(path))
    while part := list(islice(lines, AT_ONCE)):
        yield part

"""``hopefear rescore``: features from outside in k-best lists, and the lists by other weights."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.lines import count_lines, read_texts
from hopefear.base.progress import ProgressBar, at_terminal
from hopefear.decoder import KBestList, Weights

from ..command import argument, command, option
from .combine import MOST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hopefear.tuners.pool import NewFeatures

DIGITS = 15
"""Of the numbers in the output: those of the lists do not change."""


@command
def rescore(
    lists: Path = argument("File of k-best lists; - is standard input.", metavar="LISTS"),
    values: list[str] = option(
        "A feature, and a file with its value for each translation, one per line; may repeat.",
        metavar="NAME=FILE",
        default=(),
    ),
    scorer: list[str] = option(
        "A scorer of batches, an entry point or package.module:Class, and arguments; may repeat.",
        metavar="NAME",
        default=(),
    ),
    source: Path | None = option("Sentences of the lists, one per line, for scorers.", "-s", default=None),
    batch: int = option("The most translations that a scorer gets at once.", default=64, min=1),
    weights: Path | None = option("Order the lists by these weights.", "-w", default=None),
    best: bool = option("Write the best translation of each sentence instead of lists.", default=False),
) -> None:
    """Add features from outside to k-best lists, and order the lists by weights.

    The lists are those of decode -k, of Moses, Joshua or cdec, plain or gz, in lines
    "number ||| translation ||| features". The output has the same translations in cdec's form, with the new
    features. Any batch tuner learns weights from it: tune --kbest.

    With --weights, the translations of a sentence are ordered by their scores, and the lines have the
    scores; without, the order stays, and the lines have no scores.

    With --best, the output has a line for each sentence, from number 0 to the greatest; the line is empty if
    there is no translation.

    For example:

      hopefear rescore dev.nbest --values NMT=dev.nmt > dev.new

      hopefear rescore dev.nbest --scorer nmt:Translator -s dev.es > dev.new

      hopefear tune --kbest dev.new -r dev.en -w weights -o run/

      hopefear rescore test.new -w run/weights.final --best > out
    """
    from hopefear.tuners.pool import read_kbest, with_features

    from ..io.output import candidate_line

    if best and weights is None:
        raise InputError("--best needs --weights")
    if source is not None and not scorer:
        raise InputError("--source needs --scorer")
    known = Weights()
    if weights is not None:
        known.read(weights)
    added = list(_new_features(values, scorer, source, batch))
    shown = at_terminal(sys.stderr) and not at_terminal(sys.stdout)
    written, is_empty = 0, True
    with ProgressBar(count_lines(lists) if shown else None, unit="translation", show=shown) as bar:
        for number, found in with_features(read_kbest(lists, known), added, known, batch):
            if weights is not None:
                found, scores = _ordered(found, known)
            if best:
                if not written <= number < MOST:
                    message = f"--best: expected a sentence from {written} to {MOST - 1}, got {number}"
                    raise InputError(message, path=lists)
                print("\n" * (number - written) + found.texts[0])
                written = number + 1
            else:
                for i, text in enumerate(found.texts):
                    score = None if weights is None else float(scores[i])
                    line = candidate_line(number, text, _features(found, i, known), score, digits=DIGITS)
                    sys.stdout.write(line)
            bar.update(len(found))
            is_empty = False
    if is_empty:
        raise InputError("expected k-best lists, got an empty file", path=lists)


def _new_features(
    values: list[str], scorers: list[str], source: Path | None, batch: int
) -> Iterator[NewFeatures]:
    from hopefear.tuners.pool import FileOfValues, ScoredFeatures, create_scorer

    for text in values:
        name, equals, path = text.partition("=")
        if not (name and equals and path):
            raise InputError(f"--values: expected NAME=FILE, got {text}")
        yield FileOfValues(name, path)
    if scorers and source is None:
        raise InputError("--scorer needs --source")
    if source is not None:
        sources = read_texts(source)
        for line in scorers:
            yield ScoredFeatures(create_scorer(line, base=Path()), sources, batch)


def _ordered(found: KBestList, weights: Weights) -> tuple[KBestList, NDArray[np.float64]]:
    scores = found.scores(weights.array)
    order = np.argsort(-scores, kind="stable")
    return found.take(order), scores[order]


def _features(found: KBestList, row: int, weights: Weights) -> dict[str, float]:
    part = slice(found.indptr[row], found.indptr[row + 1])
    named = zip(map(weights.name, found.features[part].tolist()), found.values[part].tolist(), strict=True)
    return dict(sorted(named))

"""``hopefear combine``: one translation of what several systems say."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.lines import each_line
from hopefear.base.texts import BLANK, is_whole, split_fields, split_words
from hopefear.decoder import Hypergraph, ScoredTexts, Weights
from hopefear.decoder import combine as combined
from hopefear.decoder.consensus import Linear, create_consensus

from ..command import argument, command, option

MOST = 10_000_000
"""The numbers of sentences are below: each number has a line of output."""

FOREST = ".json.gz"
"""The end of the name of a forest file that a decoder writes."""


@command
def combine(
    systems: list[Path] = argument(
        "Of each system a folder of forests (ID.json.gz), or a file of k-best lists.", metavar="SYSTEM..."
    ),
    weight: list[float] = option(
        "How much a system counts; repeat, in the order of the systems.", default=(), shown="all the same"
    ),
    by: str = option("The settings: linear, and arguments.", metavar="NAME", default="linear"),
) -> None:
    """Join what several systems say into one consensus translation for each sentence.

    A system is a folder of forests, as the line forest_output of a cdec.ini lets decode write them, or a file
    of k-best lists of any engine, plain or gz, with lines "number ||| translation ||| features ||| score".
    The translation is that of any system which agrees best with all of them, by linear BLEU.

    The output has a line for each sentence, from number 0 to the greatest; the line is empty if no system has
    a translation.

    For example:

      hopefear combine one/forests two/forests > out

      hopefear combine forests moses.nbest --weight 2 --weight 1 > out
    """
    method = create_consensus(by)
    if not isinstance(method, Linear):
        raise InputError(f"--by: expected linear and its arguments, got {by}")
    if weight and (len(weight) != len(systems) or not all(0 <= one < math.inf for one in weight)):
        raise InputError(f"--weight: expected {len(systems)} weights of at least 0")
    if weight and not any(weight):
        raise InputError("--weight: expected a weight above 0")
    found = [_lists(path) if path.is_file() else _forests(path) for path in systems]
    for number in range(1 + max((max(one, default=-1) for one in found), default=-1)):
        said = [(one[number], i) for i, one in enumerate(found) if number in one]
        weights = [weight[i] if weight else 1.0 for _, i in said]
        loaded = [_read(each) if isinstance(each, Path) else each for each, _ in said]
        print(combined(loaded, weights, method) if any(weights) else "")


def _read(path: Path) -> Hypergraph:
    return Hypergraph.read(path, Weights())


def _forests(folder: Path) -> dict[int, Path]:
    """Return the forest files of a folder by the numbers of their sentences."""
    names = {path.name.removesuffix(FOREST): path for path in folder.glob(f"*{FOREST}")}
    if not names:
        raise InputError("expected k-best lists, or a folder of forests", path=folder)
    for name, path in names.items():
        if not is_whole(name) or int(name) >= MOST:
            raise InputError(f"expected a sentence's number below {MOST} before {FOREST}", path=path)
    return {int(name): path for name, path in names.items()}


def _lists(path: Path) -> dict[int, ScoredTexts]:
    found = dict[int, ScoredTexts]()
    for number, group in groupby(_candidates(path), key=lambda candidate: candidate[0]):
        candidates = list(group)
        if number in found:
            raise InputError(f"expected the candidates of sentence {number} together", path=path)
        found[number] = ScoredTexts([one[1] for one in candidates], [one[2] for one in candidates])
    if not found:
        raise InputError("expected k-best lists, got an empty file", path=path)
    return found


def _candidates(path: Path) -> Iterator[tuple[int, str, float]]:
    for place, line in enumerate(each_line(path), 1):
        fields = split_fields(line)
        try:
            number, text, _, score = (field.strip(BLANK) for field in fields[:4])
            value = float(split_words(score)[0])
            if not (is_whole(number) and int(number) < MOST):
                raise ValueError
        except (ValueError, IndexError):
            message = f"expected number ||| translation ||| features ||| score, the number below {MOST}"
            raise InputError(message, path=path, line=place) from None
        if not math.isfinite(value):
            raise InputError(f"expected a finite score, got {value}", path=path, line=place)
        yield int(number), text, value

"""``hopefear ngrams``: estimate an n-gram model from text."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from itertools import takewhile
from pathlib import Path
from typing import TypeVar

from hopefear.base import InputError
from hopefear.base.lines import each_line
from hopefear.base.progress import print_line
from hopefear.base.texts import split_words

from ..command import command, option
from ..errors import warn
from ..options import LEFT_OUT

T = TypeVar("T")

PRUNE = option(
    "For each order from 1, remove n-grams with at most this count: '0 0 1'.",
    "--prune",
    metavar="NUMBERS",
    default="0",
)
"""The option ``--prune``."""


class Estimator(str, Enum):
    """The program that estimates the model."""

    auto = "auto"
    ours = "ours"
    lmplz = "lmplz"


@command
def ngrams(
    text: list[Path] = option("File of sentences, one per line; may repeat.", "-s"),
    output: Path = option("The ARPA file; compressed if the name ends in .gz.", "-o", writes=True),
    order: int = option("Length of the longest n-grams.", default=4, min=1, max=6),
    prune: str = PRUNE,
    discount_fallback: str | None = option(
        "Discounts if none can be estimated: '0.5 1 1.5'.", metavar="NUMBERS", default=None
    ),
    skip_symbols: bool = option("Skip the words <unk>, <s> and </s> in the text.", default=False),
    max_words: int = LEFT_OUT,
    use: Estimator = option(
        "ours, KenLM's lmplz, or auto: lmplz if it is on the PATH, else ours.", default=Estimator.auto
    ),
) -> None:
    """Estimate an n-gram model with interpolated modified Kneser-Ney smoothing, as KenLM's lmplz does.

    For example:

      hopefear ngrams -s train.en.gz --order 4 -o lm.arpa.gz

      hopefear ngrams -s train.en -s news.en --order 5 --prune "0 0 1" -o lm.arpa
    """
    from hopefear.grammars.ngram_files import estimate_arpa

    fallback = None if discount_fallback is None else numbers(discount_fallback, float, "--discount-fallback")
    program = estimate_arpa(
        text,
        order,
        output,
        prune=numbers(prune, int, "--prune"),
        fallback=fallback,
        skip_symbols=skip_symbols,
        max_words=max_words,
        use=use.value,
    )
    if program is not None:
        warn(f"estimated by {program}")
    many = f"{_size(output):,} " if output.is_file() else ""  # a pipe has been read by now
    print_line(f"{output}: {many}n-grams up to order {order}")


def _size(path: Path) -> int:
    """Add up what the header of an ARPA file says."""
    header = takewhile(lambda line: not line.startswith("\\1-grams"), each_line(path))
    return sum(int(line.partition("=")[2]) for line in header if line.startswith("ngram "))


def numbers(text: str, kind: Callable[[str], T], option: str) -> list[T]:
    """Read the numbers of an option."""
    try:
        return [kind(number) for number in split_words(text)]
    except ValueError:
        raise InputError(f"expected numbers, got {text!r}", path=option) from None

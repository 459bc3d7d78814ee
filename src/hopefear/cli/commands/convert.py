"""``hopefear convert``: a system of Moses or Joshua as a system of cdec."""

from __future__ import annotations

from pathlib import Path

from ..command import argument, command, option
from ..errors import warn


@command
def convert(
    config: Path = argument("A moses.ini of a chart system, or a joshua.config."),
    output: Path = option("Folder of the new system.", "-o", metavar="FOLDER", writes=True),
    decoder: str | None = option(
        "The decoder of the configuration.",
        "--from",
        metavar="moses|joshua",
        default=None,
        shown="what it looks like",
    ),
) -> None:
    """Turn a hierarchical system of Moses or Joshua into one of cdec, with equal model scores.

    The folder gets a cdec.ini, its weights and its grammars; n-gram models stay where they are. What is not
    carried over is named on standard error; the command refuses what would change scores.

    For example:

      hopefear convert model/moses.ini -o converted

      hopefear decode -c converted/cdec.ini < test.es > test.en
    """
    from hopefear.grammars.conversion import convert as write_converted

    for notice in write_converted(config, output, decoder):
        warn(notice)

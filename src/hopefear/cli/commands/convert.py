"""``hopefear convert``: a system of Moses or Joshua as a system of cdec."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import refusing, warn


@refusing
def convert(
    config: Annotated[Path, typer.Argument(help="A moses.ini of a chart system, or a joshua.config.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder of the new system.")
    ],
    decoder: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="moses|joshua",
            help="The decoder of the configuration.",
            show_default="what it looks like",
        ),
    ] = None,
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

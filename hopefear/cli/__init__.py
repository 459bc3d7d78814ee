"""The command line, ``hopefear``."""

from __future__ import annotations

import typer

from .decode import decode
from .demo import demo
from .plugins import plugins
from .score import score
from .tune import tune

app = typer.Typer(
    help="Decode with cdec's set-ups, put features on the forest, and tune while decoding.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (decode, tune, score, demo, plugins):
    app.command()(command)

__all__ = ["app"]

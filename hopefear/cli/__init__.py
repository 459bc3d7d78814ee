"""The command line, ``hopefear``."""

from __future__ import annotations

from typing import Annotated

import typer

from .align import align
from .annotate import annotate
from .build import build
from .cdec_bridge import cdec_bridge
from .decode import decode
from .demo import demo
from .distortion_table import distortion_table
from .experiment import experiment
from .extract import extract
from .help import Command, Group
from .hols import hols
from .listing import list_names
from .ngrams import ngrams
from .plugins import app as plugins
from .score import score
from .tune import tune

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        from hopefear import __version__

        print(f"hopefear {__version__}")
        raise typer.Exit


@app.callback()
def hopefear(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Translate with the configurations of cdec, add features to the forest, and learn weights."""


for command in (
    decode,
    tune,
    experiment,
    score,
    annotate,
    demo,
    distortion_table,
    align,
    extract,
    ngrams,
    build,
    hols,
):
    app.command(cls=Command)(command)
app.command("list", cls=Command)(list_names)
app.add_typer(plugins, name="plugins")
app.add_typer(cdec_bridge, name="cdec-bridge")

__all__ = ["app"]

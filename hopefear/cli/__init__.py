"""The command line, ``hopefear``."""

from __future__ import annotations

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
from .hols import hols
from .ngrams import ngrams
from .plugins import app as plugins
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
    app.command()(command)
app.add_typer(plugins, name="plugins")
app.add_typer(cdec_bridge, name="cdec-bridge")

__all__ = ["app"]

"""The command line, ``hopefear``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .commands.align import align
from .commands.annotate import annotate
from .commands.build import build
from .commands.cdec_bridge import cdec_bridge
from .commands.combine import combine
from .commands.compile_grammar import compile_grammar
from .commands.confidence import confidence
from .commands.convert import convert
from .commands.decode import decode
from .commands.demo import demo
from .commands.distortion_table import distortion_table
from .commands.experiment import experiment
from .commands.explain import explain
from .commands.extract import extract
from .commands.features import features
from .commands.hols import hols
from .commands.listing import list_names
from .commands.ngrams import ngrams
from .commands.plugins import app as plugins
from .commands.report import report
from .commands.rescore import rescore
from .commands.score import score
from .commands.serve import serve
from .commands.text import text
from .commands.train import train
from .commands.train_joint import train_joint
from .commands.translate import translate
from .commands.tune import tune
from .commands.watch import watch
from .commands.word_classes import word_classes
from .help import Command, Group

COMMANDS: dict[str, dict[str, Any]] = {
    "Translate": {
        "decode": decode,
        "translate": translate,
        "combine": combine,
        "rescore": rescore,
        "explain": explain,
        "serve": serve,
        "demo": demo,
    },
    "Learn": {
        "tune": tune,
        "train": train,
        "train-joint": train_joint,
        "hols": hols,
        "experiment": experiment,
        "confidence": confidence,
    },
    "Look": {
        "score": score,
        "report": report,
        "watch": watch,
        "features": features,
        "list": list_names,
        "plugins": plugins,
    },
    "Build": {
        "build": build,
        "align": align,
        "extract": extract,
        "ngrams": ngrams,
        "word-classes": word_classes,
        "compile-grammar": compile_grammar,
        "convert": convert,
        "distortion-table": distortion_table,
        "cdec-bridge": cdec_bridge,
    },
    "Text": {"text": text, "annotate": annotate},
}
"""The commands by the groups in which the help names them."""

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


for _group, _named in COMMANDS.items():
    for _name, _made in _named.items():
        if isinstance(_made, typer.Typer):
            app.add_typer(_made, name=_name, rich_help_panel=_group)
        else:
            app.command(_name, cls=Command, rich_help_panel=_group)(_made)

__all__ = ["app"]

"""The command line, ``hopefear``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

from .help import Command, Group

COMMANDS: dict[str, dict[str, str]] = {
    "Translate": {
        "decode": "decode:decode",
        "translate": "translate:translate",
        "decode-transformer": "decode_transformer:decode_transformer",
        "combine": "combine:combine",
        "rescore": "rescore:rescore",
        "explain": "explain:explain",
        "serve": "serve:serve",
        "demo": "demo:demo",
    },
    "Learn": {
        "tune": "tune:tune",
        "train": "train:train",
        "train-joint": "train_joint:train_joint",
        "train-transformer": "train_transformer:train_transformer",
        "hols": "hols:hols",
        "experiment": "experiment:experiment",
        "confidence": "confidence:confidence",
    },
    "Look": {
        "score": "score:score",
        "compare": "compare:compare",
        "report": "report:report",
        "watch": "watch:watch",
        "features": "features:features",
        "list": "listing:list_names",
        "plugins": "plugins:app",
    },
    "Build": {
        "build": "build:build",
        "align": "align:align",
        "extract": "extract:extract",
        "ngrams": "ngrams:ngrams",
        "hold-out": "hold_out:hold_out",
        "word-classes": "word_classes:word_classes",
        "compile-grammar": "compile_grammar:compile_grammar",
        "convert": "convert:convert",
        "distortion-table": "distortion_table:distortion_table",
        "cdec-bridge": "cdec_bridge:cdec_bridge",
    },
    "Text": {"text": "text:text", "annotate": "annotate:annotate"},
}
"""The groups of the help, and in each its commands: the module in `commands`, and the name there."""


class _Commands(Mapping[str, Any]):
    """The commands by name, each imported when it is asked for: a command starts without the others."""

    def __getitem__(self, name: str) -> Any:
        for group, named in COMMANDS.items():
            if name in named:
                return _made(name, group, named[name])
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for named in COMMANDS.values() for name in named)

    def __len__(self) -> int:
        return sum(map(len, COMMANDS.values()))


def _made(name: str, group: str, place: str) -> Any:
    """Import a command and make it what reads its options."""
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f"{__name__}.commands.{module}"), attribute)
    alone = typer.Typer(rich_markup_mode=None, add_completion=False)
    if isinstance(found, typer.Typer):
        alone.add_typer(found, name=name, rich_help_panel=group)
        made: Any = get_command(alone)
        return made.commands[name]
    alone.command(name, cls=Command, rich_help_panel=group)(found)
    return get_command(alone)


class _Root(Group):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": _Commands()})


app = typer.Typer(
    cls=_Root,
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


__all__ = ["app"]

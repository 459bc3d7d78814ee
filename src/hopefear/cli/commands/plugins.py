"""``hopefear plugins``: the feature functions, oracles and metrics that a user can name."""

from __future__ import annotations

import os
import shlex
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer

from hopefear.base.progress import print_line

from ..command import argument, command, option
from ..help import Command, Group
from ..names import LEVELS, WITH_ARGUMENTS, entries, entries_of, show
from ..options import CONFIG, AnnotationFiles, GivenWeights
from .plugin_package import PackageKind, PluginLevel, write_package


class _Names(Group):
    """The group that runs ``hopefear plugins NAME`` as ``hopefear plugins describe NAME``."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands:
            args = ["describe", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=_Names, invoke_without_command=True, subcommand_metavar="[NAME | COMMAND ...]")


@app.callback()
@command
def plugins(context: typer.Context) -> None:
    """List feature functions for a cdec.ini, and oracles and metrics for tuners.

    The line feature_function=NAME arguments in a cdec.ini adds a feature function to the model;
    feature_function=package.module:Class arguments adds a class of your own.

    For example:

      hopefear plugins

      hopefear plugins SoftSyntax

      hopefear plugins new my_feature --level edge

      hopefear plugins watch my_feature.py -c cdec.ini -w weights -i dev.es -r dev.en
    """
    if context.invoked_subcommand is not None:
        return
    found = [entry for kind in WITH_ARGUMENTS for entry in entries(kind)]
    found.sort(key=lambda entry: (LEVELS.index(entry.level), entry.name))
    width = max(len(entry.name) for entry in found)
    for entry in found:
        print(f"{entry.level:6}  {entry.name:{width}}  {entry.summary}")
        notes = [f"fires {' '.join(entry.fires)}"] if entry.fires else []
        if entry.arguments:
            notes.append(f"takes {' '.join(flag for flag, _ in entry.arguments)}")
        if notes:
            print(f"{'':{width + 10}}{'; '.join(notes)}")


@app.command(cls=Command)
@command
def describe(name: str = argument("A name in the list, or package.module:Class.")) -> None:
    """Describe a feature function, an oracle or a metric: arguments, defaults and features."""
    show(entries_of(name))


@app.command(cls=Command)
@command
def new(
    name: str = argument("Name of the package and of its module, such as my_feature."),
    folder: Path = option("Folder in which the package is made.", "--dir", metavar="FOLDER", default=Path()),
    kind: PackageKind = option("What the package has.", default=PackageKind.plugin),
    level: PluginLevel = option("The level of the plugin.", default=PluginLevel.rule),
) -> None:
    """Write a small working package: a plugin or one of another kind, a test and an entry point."""
    path = write_package(name, folder, level, kind)
    # Without a slash, pip reads the word as the name of a package in the index.
    named = str(path) if path.is_absolute() else os.path.join(os.curdir, path)
    print(f"wrote {path}: pip install {shlex.quote(named)} pytest, then pytest {shlex.quote(named)}")


@app.command(cls=Command)
@command
def watch(
    *,
    file: Path = argument("The module of the plugins, such as my_feature.py."),
    config: Path = CONFIG,
    weights: GivenWeights,
    source: str = option("File of sentences, one per line.", "--input", "-i", metavar="FILE"),
    reference: list[Path] = option(
        "References of the sentences; may repeat.", "-r", default=(), shown="none: no gain is measured"
    ),
    annotations: AnnotationFiles,
    sentences: int = option("Try the plugins on so many sentences, from the first.", default=20, min=1),
    port: int = option("Port of the page; 0 is any that is free.", default=0, min=0, max=65535),
) -> None:
    """Show in a browser what the features of a file do, again after each change of the file.

    The page, which is for a browser of this machine, shows how often each feature fires, the best derivations
    with the rules on which features fire, and, with references, what a pass of MIRA on the sentences gains
    by them. An error in the file is shown with its line.

    For example:

      hopefear plugins watch my_feature.py -c cdec.ini -w weights -i dev.es -r dev.en
    """
    from hopefear.base import InputError
    from hopefear.decoder import read_config
    from hopefear.experiments.board import PluginBoard, PluginTrial, board_page, serve
    from hopefear.parallel import Processes
    from hopefear.plugins.corpus import read_corpus, read_segments

    if not file.is_file():
        raise InputError("expected a file of Python, got none", path=file)
    settings = read_config(config)
    weights.check(settings)
    corpus = []
    for segment in annotations.attach(read_corpus(source, reference) if reference else read_segments(source)):
        if isinstance(segment, InputError):
            raise segment
        corpus.append(segment)
    trial = PluginTrial(file.resolve(), config.resolve(), weights.file(settings), corpus[:sentences])
    with Processes() as processes:
        board = PluginBoard(trial, processes)
        threading.Thread(target=board.watch, daemon=True).start()
        with suppress(KeyboardInterrupt):
            serve(
                board_page("Features"),
                board.html,
                port=port,
                on_ready=lambda host, own: print_line(f"ready: http://{host}:{own}/"),
            )

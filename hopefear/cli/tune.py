"""``hopefear tune``: learn weights on a corpus."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .errors import refusing

if TYPE_CHECKING:
    from hopefear.decoder import Segment


@refusing
def tune(
    config: Annotated[Path, typer.Option("--config", "-c", help="A cdec.ini.")],
    source: Annotated[Path, typer.Option("--source", "-s", help="Sentences to learn from, one a line.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for weights, log, plots, checkpoint.")
    ],
    weights: Annotated[
        Path | None,
        typer.Option("--weights", "-w", help="Weights to start from; else those of the cdec.ini."),
    ] = None,
    reference: Annotated[
        list[Path] | None,
        typer.Option(
            "--reference", "-r", help="Their references; may repeat. Else behind ||| in the source."
        ),
    ] = None,
    tuner: Annotated[str, typer.Option(help="The tuning algorithm.")] = "mira",
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the tuner, such as C=0.01; may repeat.")
    ] = None,
    passes: Annotated[int | None, typer.Option(min=1, help="Passes over the corpus.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the order of the sentences.")] = None,
    feature: Annotated[
        list[str] | None, typer.Option("--feature", help='One more feature function: "NAME arguments".')
    ] = None,
    dev_source: Annotated[
        Path | None, typer.Option("--dev-source", help="A second set: the weights best on it are the result.")
    ] = None,
    dev_reference: Annotated[
        list[Path] | None, typer.Option("--dev-reference", help="Its references.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint in the folder.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Begin anew, whatever the folder holds.")] = False,
) -> None:
    """Learn weights on a corpus with references.

    The output folder gets weights.pass1, weights.pass2, ... after each pass, weights.final (averaged, in
    cdec's format), log.jsonl (a line an update and a pass), learning.png and checkpoint. A run that was
    stopped, by Ctrl-C too, goes on with --resume and ends with the same weights.

    For example:

      hopefear tune -c cdec.ini -w weights.init -s dev.es -r dev.en -o run/

      hopefear tune -c cdec.ini -s dev.es -r dev.en.0 -r dev.en.1 -o run/

      hopefear tune -c cdec.ini -s in -r ref -o run/ --set C=0.005 --passes 4

      hopefear tune -c cdec.ini -s in -r ref -o run/ --resume
    """
    from hopefear.decoder import Decoder, InputError
    from hopefear.plugins import create

    from .lines import read_corpus
    from .run import Run
    from .tuners import make_tuner

    if (dev_source is None) != (not dev_reference):
        raise InputError("--dev-source and --dev-reference go together")
    chosen = make_tuner(tuner, setting or (), on_corpus=True, passes=passes, seed=seed)
    corpus = read_corpus(source, reference or ())
    development: list[Segment] | None = None
    if dev_source is not None:
        development = read_corpus(dev_source, dev_reference or ())
    run = Run(output, resume=resume, force=force)
    decoder = Decoder(config, weights=weights, features=[create(line, base=Path()) for line in feature or ()])
    if run.fit(chosen, decoder, corpus, development, progress=sys.stderr.isatty()):
        print(f"learned weights: {run.final}", file=sys.stderr)
    else:
        print(f"stopped; with --resume the same command goes on from {run.checkpoint}", file=sys.stderr)
        raise typer.Exit(130)

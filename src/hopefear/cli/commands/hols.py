"""``hopefear hols``: held-out line search on the parallel text of a system."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopefear.base.progress import print_line
from hopefear.decoder.lengths import MAX_WORDS, check_length

from ..errors import refusing
from ..options import Cluster, Force, GrammarsUnder, MaxWords, Resume, Threads, open_executor
from .listing import Kind, completing

if TYPE_CHECKING:
    from hopefear.decoder import Decoder


@refusing
def hols(
    system: Annotated[Path, typer.Argument(help="Folder made by hopefear build --folds.")],
    source: Annotated[Path, typer.Option("--source", "-s", help="Development set, one sentence per line.")],
    reference: Annotated[
        list[Path], typer.Option("--reference", "-r", help="References of the development set; may repeat.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder for weights, log, plots, checkpoint."),
    ],
    feature: Annotated[
        list[str] | None,
        typer.Option(
            "--feature",
            help='Sparse features: "NAME arguments"; may repeat.',
            show_default="RuleIndicators",
            autocompletion=completing(Kind.plugins),
        ),
    ] = None,
    updates: Annotated[
        int, typer.Option(min=1, help="Number of updates: a gradient and a line search each.")
    ] = 1,
    parts: Annotated[
        int,
        typer.Option(min=1, help="Divide the text into this number of parts; each gradient uses one part."),
    ] = 1,
    no_folds: Annotated[
        bool, typer.Option("--no-folds", help="Use models of the whole text for gradients and line searches.")
    ] = False,
    no_conditioning: Annotated[
        bool, typer.Option("--no-conditioning", help="Do not divide gradients by the features' frequency.")
    ] = False,
    held_out: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of the held-out fold for MERT and line searches.", show_default="the last"
        ),
    ] = None,
    sentences: Annotated[
        int, typer.Option(min=1, help="Use this number of sentences of the held-out fold.")
    ] = 10_000,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of Hols, such as k=500; may repeat.")
    ] = None,
    mert_setting: Annotated[
        list[str] | None,
        typer.Option("--set-mert", help="A setting of the first MERT, such as k=500; may repeat."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Seed of MERT and of HOLS.", show_default="those of Mert and Hols"),
    ] = None,
    max_words: MaxWords = MAX_WORDS,
    threads: Threads = None,
    grammars_under: GrammarsUnder = None,
    cluster: Cluster = None,
    resume: Resume = False,
    force: Force = False,
) -> None:
    """Learn sparse features on the whole parallel text (Flanigan, Dyer & Carbonell 2013).

    MERT first learns weights of the dense features on the held-out fold. Each update then computes a gradient
    over the other folds, each translated with models of the remaining text, and does a line search along the
    gradient on the held-out fold; the last update searches on the development set. Rules are extracted when a
    sentence is translated.

    The output folder gets the same files as that of hopefear tune; its folder mert/ has the run of MERT.

    For example:

      hopefear build -s train.es -t train.en -i dev.es -i test.es -o system/ --folds 5 --top 15

      hopefear hols system/ -s dev.es -r dev.en -o run/ --updates 4 --parts 2

      hopefear hols system/ -s dev.es -r dev.en -o run/ --updates 4 --parts 2 --resume

      hopefear hols system/ -s dev.es -r dev.en -o run/ --cluster local:4
    """
    from hopefear.base import InputError
    from hopefear.grammars.built import Build
    from hopefear.plugins import create
    from hopefear.plugins.corpus import read_corpus
    from hopefear.tuners import Fold
    from hopefear.tuners.catalogue import make_tuner

    from ..io.run import RunFolder
    from ..options.selection import report_features

    built = Build.open(system)
    folds = built.folds
    number = len(folds) if held_out is None else held_out
    if len(folds) < 2:
        raise InputError("expected a system with folds: build it with --folds 5", path=system)
    if number > len(folds):
        raise InputError(
            f"expected --held-out from 1 to {len(folds)}, the number of folds, got {number}", path=system
        )
    given: dict[str, Any] = {"seed": seed, "threads": threads}
    first = make_tuner("Mert", mert_setting or (), on_corpus=True, **given)
    given |= {"updates": updates, "parts": parts, "conditioning": False if no_conditioning else None}
    tuner = make_tuner("Hols", setting or (), on_corpus=True, **given)
    lines = feature or ["RuleIndicators"]
    plugins, *fold_plugins = [[create(line, base=Path()) for line in lines] for _ in range(len(folds) + 1)]
    corpus = read_corpus(source, reference, grammars_under=grammars_under)
    for segment in corpus:
        check_length(segment, max_words)
    built_from = system / "build.json"
    files: dict[str, Path | list[Path]] = {"system": built_from, "source": source, "reference": reference}
    options = {
        "--feature": lines,
        "--held-out": number,
        "--sentences": sentences,
        "--no-folds": no_folds,
    }

    held = folds[number - 1]
    searched = list(islice(held.segments, sentences))
    opened = nullcontext() if cluster is None else open_executor(cluster, threads)
    with (
        RunFolder(output, resume=resume, force=force) as run,
        RunFolder(output / "mert", resume=resume, force=force) as mert,
        opened as executor,
        run.recorded(tuner, files, options),
    ):
        first.executor = tuner.executor = executor
        with mert.recorded(first, {"system": built_from}):
            finished = mert.fit(first, held.decoder(max_words=max_words), searched, progress=True)
        if not finished:
            _stop(mert.checkpoint)

        decoder: Decoder = built.decoder(weights=mert.final, features=plugins, max_words=max_words)
        decoders = [decoder] * len(folds)
        if not no_folds:
            pairs = zip(folds, fold_plugins, strict=True)
            decoders = [
                fold.decoder(weights=decoder.weights, features=own, max_words=max_words)
                for fold, own in pairs
            ]
            for each in decoders:
                each.sends_deltas = False  # no report of features in the whole text is needed
        whose = zip(decoders, folds, strict=True)
        training = [Fold(own, fold.segments) for own, fold in whose if fold is not held]
        search = Fold(decoders[number - 1], searched)
        if not run.fit(tuner, decoder, corpus, progress=True, training=training, held_out=search):
            _stop(run.checkpoint)
        report_features(decoder, "in the development set")
        run.report(decoder, corpus, tuner, progress=True)
    print_line(f"learned weights: {run.final}")


def _stop(checkpoint: Path) -> None:
    print_line(f"stopped; the same command with --resume continues from {checkpoint}")
    raise typer.Exit(130)

"""``hopefear build``: make a system from parallel text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopefear.base.progress import print_line

from ..errors import refusing
from .align import Symmetrisation
from .ngrams import numbers


@refusing
def build(
    source: Annotated[
        Path, typer.Option("--source", "-s", help="Source sentences, one per line; plain or gz.")
    ],
    target: Annotated[
        Path, typer.Option("--target", "-t", help="Translations of the source sentences; plain or gz.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder of the system.")
    ],
    alignment: Annotated[
        Path | None,
        typer.Option(
            "--alignment",
            "-a",
            help="Word alignment, source-target: 0-0 1-2.",
            show_default="made by eflomal",
        ),
    ] = None,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="The links of --alignment are target-source.")
    ] = False,
    symmetrisation: Annotated[
        Symmetrisation, typer.Option(help="Method to combine the alignments of eflomal's two directions.")
    ] = Symmetrisation.grow_diag_final_and,
    monolingual: Annotated[
        list[Path] | None, typer.Option(help="More target text for the n-gram model; may repeat.")
    ] = None,
    input_: Annotated[
        list[Path] | None,
        typer.Option("--input", "-i", help="Sentences that the grammar must translate; may repeat."),
    ] = None,
    folds: Annotated[
        int, typer.Option(min=0, help="Number of parts of the text for held-out learning; 0 for none.")
    ] = 0,
    order: Annotated[int, typer.Option(min=2, max=6, help="Order of the n-gram models.")] = 4,
    prune: Annotated[
        str, typer.Option(help="For each order from 1, remove n-grams with at most this count: '0 0 1'.")
    ] = "0",
    discount_fallback: Annotated[
        bool,
        typer.Option(
            "--discount-fallback", help="Use fixed discounts if none can be estimated, for small texts."
        ),
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Keep only this number of rules per source side, the most probable.",
            show_default="all",
        ),
    ] = None,
    feature: Annotated[
        list[str] | None,
        typer.Option(
            "--feature", help="A feature of the rules; may repeat.", show_default="the seven features of cdec"
        ),
    ] = None,
    max_span: Annotated[int, typer.Option(min=1, max=255, help="Most words of a phrase, on each side.")] = 15,
    samples: Annotated[
        int, typer.Option(min=1, help="Most occurrences of a source side that are sampled.")
    ] = 300,
    threads: Annotated[int, typer.Option(min=1, help="Number of threads that extract the grammar.")] = 1,
) -> None:
    """Build a system from parallel text: word alignment, grammar, n-gram model.

    The folder gets a cdec.ini that hopefear decode and hopefear tune take, the files that it names, and
    weights to start from. The grammar has the rules that the sentences of --input need. The results of all
    stages are kept: after a stop the same command continues, and after a change it repeats only the stages
    that depend on the change.

    With --folds 5, the command also makes an n-gram model for each fifth of the text from the other four
    fifths, and rules that translate a fifth can be extracted from the other four. Tuners that learn from the
    parallel text, such as Hols, need folds.

    For example:

      hopefear build -s train.es -t train.en -i dev.es -i test.es -o system/

      hopefear build -s train.es.gz -t train.en.gz -a train.align.gz -i dev.es -i test.es -o system/

      hopefear build -s train.es -t train.en -i dev.es -i test.es -o system/ --folds 5 --top 15
    """
    from hopefear.grammars.build import Recipe
    from hopefear.grammars.build import build as build_system
    from hopefear.grammars.extractor import CDEC_FEATURES

    def report(stage: str, seconds: float) -> None:
        done = f"{seconds:.1f} s" if seconds else "nothing changed"
        print_line(f"{stage}: {done}")

    extraction = {"max_span": max_span, "samples": samples, "top": top, "features": feature or CDEC_FEATURES}
    recipe = Recipe(
        source=source,
        target=target,
        alignment=alignment,
        reverse=reverse,
        symmetrisation=symmetrisation.value,
        monolingual=tuple(monolingual or ()),
        inputs=tuple(input_ or ()),
        folds=folds,
        order=order,
        prune=tuple(numbers(prune, int, "--prune")),
        discount_fallback=discount_fallback,
        extraction=extraction,
    )
    build_system(recipe, output, report=report, threads=threads)

"""``hopefear build``: from parallel text to a system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopefear.decoder.progress import print_line

from .align import Symmetrisation
from .errors import refusing
from .ngrams import numbers


@refusing
def build(
    source: Annotated[Path, typer.Option("--source", "-s", help="Sentences, one a line; plain or gz.")],
    target: Annotated[Path, typer.Option("--target", "-t", help="Their translations.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder of the system.")
    ],
    alignment: Annotated[
        Path | None,
        typer.Option(
            "--alignment", "-a", help="Word alignment, source-target: 0-0 1-2.", show_default="eflomal's"
        ),
    ] = None,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="The links of --alignment are target-source.")
    ] = False,
    symmetrisation: Annotated[
        Symmetrisation, typer.Option(help="What is taken of eflomal's two directions.")
    ] = Symmetrisation.grow_diag_final_and,
    monolingual: Annotated[
        list[Path] | None, typer.Option(help="More target text for the n-gram model; may repeat.")
    ] = None,
    input_: Annotated[
        list[Path] | None,
        typer.Option("--input", "-i", help="Sentences that the grammar is to translate; may repeat."),
    ] = None,
    folds: Annotated[int, typer.Option(min=0, help="Parts of the text to learn from; 0 for none.")] = 0,
    order: Annotated[int, typer.Option(min=2, max=6, help="Of the n-gram models.")] = 4,
    prune: Annotated[
        str, typer.Option(help="Leave out n-grams that occur so often or less, from unigrams on: '0 0 1'.")
    ] = "0",
    discount_fallback: Annotated[
        bool, typer.Option("--discount-fallback", help="For small texts: fixed discounts where need be.")
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(min=1, help="So many rules of each source side, the most probable.", show_default="all"),
    ] = None,
    feature: Annotated[
        list[str] | None,
        typer.Option(
            "--feature", help="A feature of the rules; repeat for more.", show_default="cdec's seven"
        ),
    ] = None,
    max_span: Annotated[int, typer.Option(min=1, max=255, help="Words of a phrase, on each side.")] = 15,
    samples: Annotated[int, typer.Option(min=1, help="Occurrences of a source side looked at.")] = 300,
    threads: Annotated[int, typer.Option(min=1, help="Sentences at a time, for the grammar.")] = 1,
) -> None:
    """Build a system from parallel text: word alignment, grammar, n-gram model.

    The folder gets a cdec.ini that hopefear decode and hopefear tune take, the files it names, and weights to
    start from. The grammar holds the rules that the sentences of --input need. What is made is kept: the same
    command after a change makes only what depends on it, and goes on where it was ended.

    With --folds 5, each fifth of the text has an n-gram model of the other four beside the whole one, and
    rules that translate it can leave it out: for tuners that learn on the parallel text, such as Hols.

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

"""``hopefear confidence``: learn from references which words to doubt."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from hopefear.base import InputError
from hopefear.base.progress import ProgressBar
from hopefear.base.tables import Cell, Table
from hopefear.decoder import attempt, read_config

from ..command import command, option, without
from ..options import CONFIG, AnnotationFiles, GivenWeights, Limits, Selection, TextForm, check_weights


@command
def confidence(
    *,
    config: Path = CONFIG,
    weights: GivenWeights,
    source: Path = option("File of sentences, one per line.", "--input", "-i"),
    reference: list[Path] = option("File of references or corrections, one per line; may repeat.", "-r"),
    learn: bool = option("Learn, and write the file beside the weights.", default=False),
    plot: Path | None = option(
        "Draw the share of kept words by confidence to this file, a PNG.", default=None, writes=True
    ),
    selection: Annotated[Selection, without("min_count")],
    annotations: AnnotationFiles,
    form: TextForm,
    limits: Limits,
) -> None:
    """Measure how well the confidence of words tells which words editors keep, or learn to tell it.

    A word is kept if the fewest edits that make the nearest reference of the translation leave it. With
    --learn, scale and coefficients of the posteriors are learned from the references, and written beside the
    weights to WEIGHTS.confidence, which every command reads with the weights.

    The output has the number of words, the share that is kept, the area under the curve of the confidences,
    the expected calibration error, and of each tenth of confidence how many words are kept. With --learn the
    figures are of the sentences that it learned from: measure with others.

    For example:

      hopefear confidence -c cdec.ini -w weights -i dev.es -r dev.en --learn

      hopefear confidence -c cdec.ini -w weights -i test.es -r test.en --plot reliability.png
    """
    from hopefear.decoder.confidence import (
        SCALES,
        Confidence,
        RatedTranslation,
        area_under_curve,
        calibration_error,
        file_beside,
        learn_confidence,
        reliability,
    )
    from hopefear.reports import plot_reliability

    settings = read_config(config)
    text = form.system(settings)
    weights.check(settings)
    start = weights.file(settings)
    if learn and start is None:
        raise InputError("--learn writes a file beside the weights: expected a file of weights")
    decoder = selection.decoder(settings, start, max_words=limits.max_words)
    check_weights(decoder, start)
    corpus = annotations.read(
        source, reference, grammars_under=limits.grammars_under, prepare=partial(form.prepare, text=text)
    )
    given = Confidence() if learn else decoder.confidence
    scales = SCALES if learn else (given.scale,)
    examples = []
    with ProgressBar(len(corpus), name="translating") as bar:
        for segment in corpus:
            with attempt(decoder, segment):
                forest = decoder.translate(segment)
                examples.append(RatedTranslation.of(forest.native, segment.references, scales))
            bar.update()
    kept = np.concatenate([np.zeros(0, np.bool_), *(example.kept for example in examples)])
    if not len(kept):
        raise InputError("expected sentences that have translations", path=source)
    if learn and start is not None:
        try:
            given = learn_confidence(examples)
        except ValueError as error:
            raise InputError(str(error), path=source) from None
        given.write(file_beside(start))
    place = scales.index(given.scale)
    found = np.concatenate([given.of(example.evidence[place]) for example in examples])
    typer.echo(f"words {len(kept)}")
    typer.echo(f"kept {kept.mean():.3f}")
    typer.echo(f"area under the curve {area_under_curve(found, kept):.3f}")
    typer.echo(f"expected calibration error {calibration_error(found, kept):.3f}")
    typer.echo("")
    bins = reliability(found, kept)
    rows: list[tuple[Cell, ...]] = [
        (f"{low:.1f} to {high:.1f}", words, round(mean, 3), round(share, 3))
        for low, high, words, mean, share in bins
    ]
    typer.echo(str(Table(("confidence", "words", "mean", "kept"), rows)))
    if plot is not None:
        plot_reliability(plot, bins)

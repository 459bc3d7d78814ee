"""``hopefear tune --kbest``: learn weights from the k-best lists of another decoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopefear.base import InputError
from hopefear.base.lines import read_texts
from hopefear.base.progress import print_line
from hopefear.decoder import Weights

if TYPE_CHECKING:
    from hopefear.tuners.contract import Tuner

    from ..options import RunOptions


def tune_kbest(
    tuner: Tuner,
    files: Sequence[Path],
    references: Sequence[Path],
    start: Path | None,
    run: RunOptions,
    language: str | None,
) -> None:
    """Run a batch tuner on k-best lists."""
    from hopefear.metrics import Bleu
    from hopefear.tuners.contract import learns_from_lists
    from hopefear.tuners.pool.kbest_files import read_candidates

    from .score import measuring
    from .scores import Tokeniser

    if not learns_from_lists(tuner):
        raise InputError(f"--kbest needs a batch tuner, such as Pro: {type(tuner).__name__} needs a decoder")
    if not references:
        raise InputError("--kbest needs --reference")
    columns = [read_texts(path) for path in references]
    for path, column in zip(references, columns, strict=True):
        if len(column) != len(columns[0]):
            raise InputError(
                f"expected {len(columns[0])} lines as in {references[0]}, got {len(column)}", path=path
            )
    metric, split = tuner.metric or Bleu(), None
    if language is not None and metric.of_words:
        tokeniser = Tokeniser(language)
        split, columns = tokeniser.split, [*map(tokeniser.split, columns)]
        print_line(f"{metric.name} counts the tokens of {tokeniser.name}")
    weights = Weights()
    if start is not None:
        weights.read(start)
    with measuring(references):
        pool = read_candidates(files, list(zip(*columns, strict=True)), metric, weights, split=split)
    found = int((pool.counts > 0).sum())
    print_line(f"{len(pool)} candidates for {found} of {pool.segments} sentences")
    inputs = {"kbest": files, "reference": references, "weights": start}
    options = {"--language": language}
    with run.open() as folder, folder.recorded(tuner, inputs, options):
        folder.fit_candidates(tuner, pool)
    print_line(f"learned weights: {folder.final}")

"""``hopefear score``: the score of translations, its confidence interval, and which of two is better."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .errors import refusing
from .lines import STANDARD_INPUT, read_texts

if TYPE_CHECKING:
    from hopefear.metrics import Metric


@refusing
def score(
    reference: Annotated[
        list[Path], typer.Option("--reference", "-r", help="A file of references; may repeat.")
    ],
    hypothesis: Annotated[str, typer.Option("--input", "-i", help="Translations, one a line.")] = "-",
    metric: Annotated[
        str, typer.Option("--metric", "-m", help='Bleu, Ter, Cer, Ssk or another: "NAME arguments".')
    ] = "bleu",
    confidence: Annotated[bool, typer.Option("--confidence", help="Give a 95 % bootstrap interval.")] = False,
    against: Annotated[
        Path | None, typer.Option("--against", "-a", help="Translations of a baseline, to compare with.")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Resampled corpora.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of the resampling.")] = 12345,
) -> None:
    """Score translations against references, tokens as they are.

    For example:

      hopefear score --reference test.en.0 --reference test.en.1 < test.out

      hopefear score -r test.en --confidence --against baseline.out < test.out
    """
    from hopefear.decoder import InputError
    from hopefear.metrics import confidence_interval, paired_bootstrap
    from hopefear.plugins import create_metric

    chosen: Metric = create_metric(metric, base=Path())
    references = [read_texts(path) for path in reference]

    def statistics(path: str | Path):  # type: ignore[no-untyped-def]
        lines = read_texts(path)
        name = STANDARD_INPUT if str(path) == "-" else path
        for file, column in zip(reference, references, strict=True):
            if len(column) != len(lines):
                raise InputError(f"expected {len(column)} lines as in {file}, got {len(lines)}", path=name)
        if not lines:
            raise InputError("expected translations, got none", path=name)
        return chosen.corpus_stats(lines, list(zip(*references, strict=True)))

    stats = statistics(hypothesis)
    name, _, settings = chosen.signature().partition("|")
    settings = f"{name}|refs:{len(references)}|{settings}"
    if confidence or against is not None:
        settings += f"|bootstrap:{samples}|seed:{seed}"
    if against is None:
        found = chosen.score(stats.sum(axis=0))
        interval = confidence_interval(stats, chosen, samples=samples, seed=seed) if confidence else None
        print(f"{name} {interval if interval is not None else f'{found:.2f}'}")
    else:
        result = paired_bootstrap(statistics(against), stats, chosen, samples=samples, seed=seed)
        print(f"{name} {result.system}")
        print(f"baseline {result.baseline}")
        print(f"difference {result.delta}, p = {result.p_value:.4f}")
    print(settings)

"""``hopefear score``: the score of translations, its confidence interval, and which of two is better."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopefear.decoder.lines import STANDARD_INPUT, read_texts

from .errors import refusing

if TYPE_CHECKING:
    from hopefear.metrics import Metric, Statistics


class Significance(str, Enum):
    """How two systems are compared."""

    bootstrap = "bootstrap"
    randomisation = "randomisation"


@refusing
def score(
    reference: Annotated[
        list[Path], typer.Option("--reference", "-r", help="A file of references; may repeat.")
    ],
    hypothesis: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", help="Translations, one a line; repeated: runs of one system."),
    ] = None,
    metric: Annotated[
        str, typer.Option("--metric", "-m", help='Bleu, Nist, Ter, Wer, Chrf or another: "NAME arguments".')
    ] = "bleu",
    confidence: Annotated[bool, typer.Option("--confidence", help="Give a 95 % bootstrap interval.")] = False,
    against: Annotated[
        list[Path] | None,
        typer.Option("--against", "-a", help="Translations of a baseline, to compare with; repeat for runs."),
    ] = None,
    significance: Annotated[
        Significance,
        typer.Option(help="The paired bootstrap, or approximate randomisation, for several runs."),
    ] = Significance.bootstrap,
    samples: Annotated[int, typer.Option(min=2, help="Resampled corpora; shuffles.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of the resampling.")] = 12345,
) -> None:
    """Score translations against references, tokens as they are.

    For example:

      hopefear score --reference test.en.0 --reference test.en.1 < test.out

      hopefear score -r test.en --confidence --against baseline.out < test.out

      hopefear score -r test.en -i run.1 -i run.2 -a base.1 -a base.2 --significance randomisation
    """
    from hopefear.decoder import InputError
    from hopefear.metrics import confidence_interval, paired_bootstrap
    from hopefear.plugins import create_metric

    inputs, baselines = hypothesis or ["-"], against or []
    several = len(inputs) > 1 or len(baselines) > 1
    randomised = significance is Significance.randomisation
    if randomised and len(inputs) != len(baselines):
        raise InputError(
            "--significance randomisation pairs the runs of two systems: expected as many --against as "
            f"--input, got {len(baselines)} and {len(inputs)}"
        )
    if several and (confidence or (baselines and not randomised)):
        raise InputError("several runs of a system want --significance randomisation, and no --confidence")

    chosen: Metric = create_metric(metric, base=Path())
    references = [read_texts(path) for path in reference]

    def statistics(path: str | Path) -> Statistics:
        lines = read_texts(path)
        name = STANDARD_INPUT if str(path) == "-" else path
        for file, column in zip(reference, references, strict=True):
            if len(column) != len(lines):
                raise InputError(f"expected {len(column)} lines as in {file}, got {len(lines)}", path=name)
        if not lines:
            raise InputError("expected translations, got none", path=name)
        return chosen.corpus_stats(lines, list(zip(*references, strict=True)))

    runs = [statistics(path) for path in inputs]
    baseline = [statistics(path) for path in baselines]
    name, _, settings = chosen.signature().partition("|")
    settings = f"{name}|refs:{len(references)}|{settings}"
    if several or randomised:
        _print_runs(name, runs, baseline, chosen, samples, seed)
        settings += f"|runs:{len(runs)}" + f"|shuffles:{samples}" * randomised
    elif baseline:
        result = paired_bootstrap(baseline[0], runs[0], chosen, samples=samples, seed=seed)
        print(f"{name} {result.system}")
        print(f"baseline {result.baseline}")
        print(f"difference {result.delta}, p = {result.p_value:.4f}")
    elif confidence:
        print(f"{name} {confidence_interval(runs[0], chosen, samples=samples, seed=seed)}")
    else:
        print(f"{name} {chosen.score(runs[0].sum(axis=0)):.2f}")
    if confidence or baselines or several:
        settings += f"|bootstrap:{samples}|seed:{seed}"
    print(settings)


def _print_runs(
    name: str,
    runs: Sequence[Statistics],
    baseline: Sequence[Statistics],
    metric: Metric,
    samples: int,
    seed: int,
) -> None:
    from hopefear.metrics import approximate_randomisation, optimizer_spread

    if not baseline:
        print(f"{name} {optimizer_spread(runs, metric, samples=samples, seed=seed)}")
        return
    result = approximate_randomisation(baseline, runs, metric, shuffles=samples, samples=samples, seed=seed)
    print(f"{name} {result.system}")
    print(f"baseline {result.baseline}")
    print(f"difference {result.delta:.2f}, p = {result.p_value:.4f}")

"""``hopefear score``: the score of translations, its confidence interval, and which of two is better."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopefear.decoder.lines import STANDARD_INPUT, read_texts

from .errors import refusing
from .listing import Kind, completing

if TYPE_CHECKING:
    from hopefear.metrics import Metric


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
        typer.Option(
            "--input",
            "-i",
            help="Translations, one a line; repeated: runs of one system. Standard input is -.",
            show_default="-",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help='"NAME arguments" of a metric; may repeat. hopefear list metrics names them.',
            show_default="Bleu",
            autocompletion=completing(Kind.metrics),
        ),
    ] = None,
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
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> None:
    """Score translations against references, tokens as they are.

    A line for each metric gives the score, and what is asked for: the interval, the score of the baseline,
    the difference, its p-value. Then a line for each metric gives its signature: all settings.

    For example:

      hopefear score --reference test.en.0 --reference test.en.1 < test.out

      hopefear score -r test.en --confidence --against baseline.out < test.out

      hopefear score -r test.en -m bleu -m "chrf --word-order 2" --json < test.out

      hopefear score -r test.en -i run.1 -i run.2 -a base.1 -a base.2 --significance randomisation
    """
    from hopefear.decoder import InputError
    from hopefear.plugins import create_metric

    from .scores import Scorer

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

    metrics: list[Metric] = [create_metric(line, base=Path()) for line in metric or ["bleu"]]
    references = [read_texts(path) for path in reference]

    def texts(path: str | Path) -> list[str]:
        lines = read_texts(path)
        name = STANDARD_INPUT if str(path) == "-" else path
        for file, column in zip(reference, references, strict=True):
            if len(column) != len(lines):
                raise InputError(f"expected {len(column)} lines as in {file}, got {len(lines)}", path=name)
        if not lines:
            raise InputError("expected translations, got none", path=name)
        return lines

    runs, baseline = [texts(path) for path in inputs], [texts(path) for path in baselines]
    columns = list(zip(*references, strict=True))
    found = []
    for each in metrics:
        scorer = Scorer(each, samples, seed)
        ours = [each.corpus_stats(run, columns) for run in runs]
        theirs = [each.corpus_stats(run, columns) for run in baseline]
        if several or randomised:
            found.append(scorer.runs(ours, theirs, len(references)))
        else:
            found.append(scorer.one(ours[0], *theirs, references=len(references), confidence=confidence))
    if as_json:
        content = {"sentences": len(columns), "metrics": [score.facts() for score in found]}
        print(json.dumps(content, indent=1, ensure_ascii=False))
        return
    for line in (*(score.line() for score in found), *(score.signature for score in found)):
        print(line)

"""``hopefear score``: scores of translations, confidence intervals, and comparisons of two systems."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from hopefear.base import InputError
from hopefear.base.lines import STANDARD_INPUT, read_texts
from hopefear.base.texts import split_words
from hopefear.decoder.lengths import SCORED_MAX_WORDS, LongSentences

from ..command import command, option, options_given
from ..errors import warn
from ..names import NamedKind

if TYPE_CHECKING:
    from hopefear.metrics import Metric, Statistics


class Significance(str, Enum):
    """A method to compare two systems."""

    bootstrap = "bootstrap"
    randomisation = "randomisation"


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """The options of intervals and of tests."""

    samples: int = option("Number of bootstrap samples or of shuffles.", default=1000, min=2)
    seed: int = option("Seed of the bootstrap or of the shuffles.", default=12345)


@command
def score(
    *,
    reference: list[Path] = option("File of references, one per line; may repeat.", "-r"),
    hypothesis: list[str] = option(
        "File of translations, one per line; - is standard input; repeat for several runs.",
        "--input",
        "-i",
        metavar="FILE",
        default=(),
        shown="-",
    ),
    metric: list[str] = option(
        'A metric: "NAME arguments", see hopefear list metrics; may repeat.',
        "-m",
        default=(),
        shown="Bleu",
        completion=NamedKind.metrics,
    ),
    language: str | None = option(
        "The texts are as written in this language: metrics of words compare those of sacrebleu's tokeniser.",
        metavar="LANGUAGE",
        default=None,
        shown="words are separated by blanks",
    ),
    confidence: bool = option("Add a 95 % bootstrap interval.", default=False),
    against: list[Path] = option(
        "File of translations of a baseline; repeat for several runs.", "-a", default=()
    ),
    significance: Significance = option(
        "Paired bootstrap, or approximate randomisation, which also compares several runs.",
        default=Significance.bootstrap,
    ),
    resampling: Resampling,
    max_words: int = option(
        "The most words of a translation and of a reference; a sentence with a longer one is left out of all "
        "scores, and counted.",
        default=SCORED_MAX_WORDS,
        min=1,
    ),
    as_json: bool = option("Write one JSON object.", "--json", default=False),
) -> None:
    """Score translations against references. Tokens are compared as given.

    With --language, texts are as written. Metrics of words, such as BLEU and TER, compare the words of
    sacrebleu's tokeniser for the language: 13a, zh, ja-mecab or ko-mecab. Metrics of characters, such as
    chrF, compare the texts as they are. The case counts.

    The output has a line for each metric with its score and, depending on the options, the interval, the
    score of the baseline, the difference and its p-value; of several runs also the interval and the p-value
    for other runs and sentences. A second line for each metric has its signature: all settings.

    For example:

      hopefear score --reference test.en.0 --reference test.en.1 < test.out

      hopefear score -r test.en --confidence --against baseline.out < test.out

      hopefear score -r test.en -m bleu -m "chrf --word-order 2" --json < test.out

      hopefear score -r manual.es -m bleu -m chrf --language es < manual.out

      hopefear score -r test.en -i run.1 -i run.2 -a base.1 -a base.2 --significance randomisation
    """
    from hopefear.metrics import create_metric

    from .scores import Scorer, Tokeniser

    inputs, baselines = hypothesis or ["-"], against
    several = len(inputs) > 1 or len(baselines) > 1
    randomised = significance is Significance.randomisation
    if randomised and not baselines:
        raise InputError("--significance randomisation needs --against")
    if several and (confidence or (baselines and not randomised)):
        raise InputError("several runs of a system need --significance randomisation, without --confidence")
    if not (several or confidence or baselines):
        for given in options_given(resampling):
            raise InputError(f"{given} needs --confidence, --against or several runs")

    metrics: list[Metric] = [create_metric(line, base=Path()) for line in metric or ["bleu"]]
    tokeniser = None if language is None else Tokeniser(language)
    references = [read_texts(path) for path in reference]

    def statistics(metric: Metric, paths: Sequence[str | Path], runs: list[list[str]]) -> list[Statistics]:
        split = tokeniser.split if tokeniser is not None and metric.of_words else list[str]
        sides = [split([column[i] for i in kept]) for column in references]
        columns = list(zip(*sides, strict=True))
        found = []
        for path, lines in zip(paths, runs, strict=True):
            with measuring(reference, STANDARD_INPUT if str(path) == "-" else path, kept):
                found.append(metric.corpus_stats(split([lines[i] for i in kept]), columns))
        return found

    runs, baseline = (
        [read_translations(path, reference, references) for path in paths] for paths in (inputs, baselines)
    )
    kept = _short(max_words, *references, *runs, *baseline)
    found = []
    for each in metrics:
        name = tokeniser.name if tokeniser is not None and each.of_words else None
        scorer = Scorer(each, resampling.samples, resampling.seed, name)
        ours, theirs = statistics(each, inputs, runs), statistics(each, baselines, baseline)
        if several or randomised:
            found.append(scorer.runs(ours, theirs, len(references)))
        else:
            found.append(scorer.one(ours[0], *theirs, references=len(references), confidence=confidence))
    named = [*zip(reference, references, strict=True), *zip(baselines, baseline, strict=True)]
    for path, lines in zip(inputs, runs, strict=True):
        for other, same in named:
            if lines == same:
                warn(f"{STANDARD_INPUT if path == '-' else path} has the same lines as {other}")
    if as_json:
        content = {"sentences": len(kept), "metrics": [score.facts() for score in found]}
        print(json.dumps(content, indent=1, ensure_ascii=False))
        return
    for line in (*(score.line() for score in found), *(score.signature for score in found)):
        print(line)


def read_translations(
    path: str | Path, references: Sequence[Path], texts: Sequence[Sequence[str]]
) -> list[str]:
    """Read a file of translations, as long as each file of references."""
    lines = read_texts(path)
    name = STANDARD_INPUT if str(path) == "-" else path
    for file, column in zip(references, texts, strict=True):
        if len(column) != len(lines):
            raise InputError(f"expected {len(column)} lines as in {file}, got {len(lines)}", path=name)
    if not lines:
        raise InputError("expected translations, got an empty file", path=name)
    return lines


def _short(max_words: int, *texts: list[str]) -> list[int]:
    """Return the indices of the lines that are short in all texts; say how many are not."""
    long = LongSentences(max_words)
    kept = [
        index
        for index, lines in enumerate(zip(*texts, strict=True))
        if not long.leave_out(*(len(split_words(line)) for line in lines))
    ]
    long.warn()
    if not kept:
        raise InputError(
            f"expected a sentence of at most {max_words} words (the limit of --max-words), got none"
        )
    return kept


@contextmanager
def measuring(
    references: Sequence[Path], translations: str | Path | None = None, indices: Sequence[int] | None = None
) -> Iterator[None]:
    """Compare the lines of files by a metric."""
    from hopefear.metrics import WrongSentence

    try:
        yield
    except WrongSentence as error:
        path = translations if error.reference is None else references[error.reference]
        place = error.sentence if error.sentence is None or indices is None else indices[error.sentence]
        line = None if place is None else place + 1
        raise InputError(str(error), path=path, line=line) from None

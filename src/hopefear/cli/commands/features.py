"""``hopefear features``: what each family of features is worth."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hopefear.base.progress import ProgressBar, print_line
from hopefear.decoder import Decoder, Segment

from ..command import argument, command, option
from ..options.run import REPORTED
from .started import finished_run

if TYPE_CHECKING:
    from hopefear.metrics import Metric


@command
def features(
    run: Path = argument("Folder of a finished run of tune.", writes=True),
    sentences: int = option("Sentences of the tuning set that are translated.", default=REPORTED, min=1),
    family: list[str] = option(
        "Rank only families whose name matches this pattern, such as 'Span*'; may repeat.",
        metavar="PATTERN",
        default=(),
        shown="all",
    ),
    threads: int = option("Number of threads.", default=1, min=1),
    as_json: bool = option("Write one JSON array.", "--json", default=False),
    allow_code: bool = option(
        "Load classes that the run, or the cdec.ini that the run names, gives by their paths.", default=False
    ),
) -> None:
    """Rank the families of features of a tuning run by what they are worth.

    A family is a plugin, or a single feature of the model itself, such as LanguageModel. For each family the
    table has the number of its weights, the sum of their absolute values, the share of sentences in which
    the family decides between the hope and the fear translation, and the score of the tuning set translated
    without the family, with the loss and its 95 % interval. The configuration and the sentences are those
    that the run was started with: start this command in the same folder. The result also goes into
    report.html of the run.

    The folder of a run is data. A class that is named by its path, such as spanlength:SpanLength, is loaded
    only with --allow-code.

    For example:

      hopefear features run/

      hopefear features run/ --family 'Span*' --threads 2
    """
    import json
    from dataclasses import asdict

    from hopefear.reports import family_table, rank_families, write_families, write_report

    with _run_again(run, allow_code=allow_code) as (decoder, corpus, metric):
        corpus = corpus[:sentences]
        with ProgressBar(None, name="translating") as bar:
            families = rank_families(
                *(decoder, corpus, metric, bar),
                only=family,
                threads=threads,
                on_family=lambda worth: print_line(
                    f"{worth.family}: loss {worth.loss[0]:.2f} {worth.metric}"
                ),
            )
    print(json.dumps([asdict(one) for one in families]) if as_json else family_table(families))
    write_families(run, families)
    print_line(f"report: {write_report(run)}")


@contextmanager
def _run_again(run: Path, *, allow_code: bool) -> Iterator[tuple[Decoder, list[Segment], Metric | None]]:
    """Yield decoder, sentences and metric of a run, from the command that started the run."""
    with finished_run(run, allow_code=allow_code) as finished:
        given = finished.given
        texts, limits, form = given["files"], given["limits"], given["form"]
        corpus = given["annotations"].read(
            texts.source,
            texts.reference,
            grammars_under=limits.grammars_under,
            prepare=partial(form.prepare, text=form.system(finished.config)),
        )
        decoder = finished.decoder(max_words=limits.max_words)
        yield decoder, corpus, getattr(given["learner"].make(), "metric", None)

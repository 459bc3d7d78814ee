"""``hopefear demo``: learning from references and from corrections, in numbers, tables and pictures."""

from __future__ import annotations

import os
from pathlib import Path

from ..command import command, option


@command
def demo(
    output: Path = option(
        "Folder for the report and the pictures.",
        "-o",
        metavar="FOLDER",
        default=Path("hopefear-demo"),
        writes=True,
    ),
    passes: int = option("Passes over the 200 sentences.", default=2, min=1),
    sentences: int | None = option(
        "Number of sentences of each set and of the book.", default=None, min=20, shown="all"
    ),
    threads: int = option(
        "Threads that translate the test set.",
        default=min(os.cpu_count() or 1, 4),
        min=1,
        shown="the number of CPUs, at most 4",
    ),
) -> None:
    """Watch a decoder learn, from references and from corrections of its translations.

    First, live MIRA learns on the Spanish-English sample that comes with hopefear. The model has the features
    RuleIndicators, SoftSyntax and StructuralDistortion. Each sentence is translated, its hope and fear are
    found in the forest, and the weights change before the next sentence. The test set is translated before,
    during and after learning.

    Then 100 sentences of a book are corrected, many of whose names the system does not know.
    Weights, rules and an n-gram model learn from each correction. The demo tells the work (HTER, KSMR) with
    learning, and that of the untouched system. It takes about a minute.

    For example:

      hopefear demo

      hopefear demo --output pictures/ --passes 4
    """
    from .demo_book import Book
    from .demo_run import Demo, hypothesis_table

    output.mkdir(parents=True, exist_ok=True)
    run = Demo(sentences=sentences, threads=threads)
    print(run.description, flush=True)
    before = run.test()
    print(f"Test BLEU before: {run.interval(before)}", flush=True)
    run.learn(passes, before)
    after = run.test()
    result = run.compare(before, after)
    print(f"Test BLEU after {len(run.pseudo)} updates: {result.system}")
    print(f"Difference: {result.delta}, paired bootstrap p = {result.p_value:.4f}")
    print(f"Features with a weight: {len(run.decoder.weights.nonzero())}\n")
    print(hypothesis_table(run.interesting(3)))
    print(f"Pictures: {run.draw_learning(output)} and {run.draw_hypotheses(output)}")
    print(f"Report: {run.write_report(output)}\n")
    book = Book(sentences=sentences)
    print(book.description, flush=True)
    book.correct()
    print(book.table())
    print(f"Picture: {book.draw(output)}")
    print("Correct translations yourself, and watch the next ones come right: hopefear serve")

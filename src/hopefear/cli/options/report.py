"""The option of how much goes into the report of a run."""

from __future__ import annotations

from typing import Annotated

import typer

REPORTED = 500
"""Sentences that are translated for a report if no number is given."""

ReportSentences = Annotated[
    int,
    typer.Option(
        "--report-sentences", min=0, help="Sentences in report.html, translated again after the run."
    ),
]

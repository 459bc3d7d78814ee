"""``hopefear report``: the report of a tuning run, and a comparison of several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopefear.base.progress import print_line

from ..errors import refusing


@refusing
def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished runs of tune or hols.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The page.", show_default="report.html in the run's folder, or here"
        ),
    ] = None,
) -> None:
    """Write the report of a tuning run again, or compare several runs.

    tune and hols write report.html into their folder. This command writes the page again from the files of
    the run, for example after an update of hopefear. With several runs, the page compares their settings,
    scores and learning curves.

    For example:

      hopefear report run/

      hopefear report mira/ pro/ mert/ -o tuners.html
    """
    from hopefear.tuners.report import REPORT, write_comparison, write_report

    if len(runs) == 1:
        print_line(f"report: {write_report(runs[0], output)}")
    else:
        print_line(f"report: {write_comparison(runs, output or Path(REPORT))}")

"""``hopefear report``: the report of a tuning run, and a comparison of several."""

from __future__ import annotations

from pathlib import Path

from hopefear.base.progress import print_line

from ..command import argument, command, option


@command
def report(
    runs: list[Path] = argument("Folders of finished runs of tune, train or hols."),
    output: Path | None = option(
        "The page.", "-o", default=None, shown="report.html in the run's folder, or here", writes=True
    ),
) -> None:
    """Write the report of a tuning run again, or compare several runs.

    tune, train and hols write report.html into their folder. This command writes the page again from the
    files of the run, for example after an update of hopefear. With several runs, the page compares their
    scores, by a paired test against the first run, their settings, sentences, learning curves and weights.

    For example:

      hopefear report run/

      hopefear report mira/ pro/ mert/ -o tuners.html
    """
    from hopefear.reports import REPORT, write_comparison, write_report

    if len(runs) == 1:
        print_line(f"report: {write_report(runs[0], output)}")
    else:
        print_line(f"report: {write_comparison(runs, output or Path(REPORT))}")

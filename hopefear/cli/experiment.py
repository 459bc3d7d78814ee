"""``hopefear experiment``: run a plan, write the results and the report."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from .errors import refusing

if TYPE_CHECKING:
    from hopefear.experiments import Cell, Run


@refusing
def experiment(
    plan: Annotated[str, typer.Argument(help="A plan (TOML), or the name of one that comes with hopefear.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for results, report and every run.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder that the plan calls {data}.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The plan's quick size.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Runs at a time.")] = 1,
    report_only: Annotated[
        bool, typer.Option("--report", help="Run nothing: write the report on what is there.")
    ] = False,
) -> None:
    """Run feature sets × tuners × sets × sizes × seeds, and report which wins.

    The output folder gets results.sqlite (a row for each run, test set and metric), report.md, report.html
    with pictures, and under cells/ the weights, log, translations and statistics of each run. What is there
    is not run again: the same command goes on after a stop.

    For example:

      hopefear experiment chiang2008 --data ../shared/data -o results/ --quick --jobs 2

      hopefear experiment my-plan.toml -o results/
    """
    from hopefear.experiments import Experiment, find_plan, read_plan, read_runs, write_report

    found = Experiment(read_plan(find_plan(plan), output, data=data, quick=quick), output)
    options = " --data DATA" * (data is not None) + " --quick" * quick
    command = f"hopefear experiment {Path(plan).name}{options} --output RESULTS"
    if report_only:
        write_report(output, found.plan, read_runs(output), command=command)
        return

    def say(cell: Cell, runs: list[Run]) -> None:
        scores = ", ".join(f"{run.tested_on} {run.metric} {run.score:.2f}" for run in runs)
        print(f"{cell.name}: {scores}", file=sys.stderr, flush=True)

    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        runs = found.run(jobs=jobs, progress=sys.stderr.isatty(), on_cell=say)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(130) from None
    finally:
        signal.signal(signal.SIGTERM, before)
    write_report(output, found.plan, runs, command=command)
    print(f"report: {output / 'report.md'}", file=sys.stderr)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt

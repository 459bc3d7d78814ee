"""``hopefear experiment``: run a plan, write the results and the report."""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from hopefear.base import InputError
from hopefear.base.progress import print_line

from ..command import argument, command, only, option
from ..errors import warn
from ..names import NamedKind
from ..options import Workers

if TYPE_CHECKING:
    from hopefear.experiments import Cell, FailedRun, Result


@command
def experiment(
    *,
    plan: str = argument(
        "File of a plan (TOML), or the name of an included plan, see hopefear list plans.",
        metavar="PLAN",
        completion=NamedKind.plans,
    ),
    output: Path = option("Folder for the results, the report and all runs.", "-o", metavar="FOLDER"),
    data: Path | None = option("Data folder; replaces {data} in the plan.", metavar="FOLDER", default=None),
    quick: bool = option("Use the small size of the plan.", default=False),
    jobs: int = option("Number of runs at the same time on this machine.", "-j", default=1, min=1),
    workers: Annotated[Workers, only("cluster")],
    patterns: list[str] = option(
        "Do only the runs whose names in cells/ match, such as '*-MERT-*', and those that they start from; "
        "may be repeated.",
        "--only",
        metavar="PATTERN",
        default=(),
    ),
    resume: bool = option(
        "Continue the experiment in the folder, as the command always does.", default=False
    ),
    report_only: bool = option(
        "Run nothing; only write the report on the present results.", "--report", default=False
    ),
    exported: Path | None = option(
        "Run nothing; add the finished runs to the archive of the plan in this folder.",
        "--export",
        metavar="FOLDER",
        default=None,
        writes=True,
    ),
    archives: Path | None = option(
        "Folder of --export: the runs in the archive of the plan are not repeated.",
        "--import",
        metavar="FOLDER",
        default=None,
    ),
    pages: list[Path] = option(
        "Run nothing; render the plan's tables and pictures in this Markdown page again; may be repeated. "
        "--output may be a folder of --export.",
        "--render",
        metavar="FILE",
        default=(),
        writes=True,
    ),
) -> None:
    """Run feature sets × tuners × sets × sizes × seeds, and write a report that compares the tuners.

    The output folder gets results.sqlite (a row for each run, test set and metric), report.md, report.html
    with pictures, and in cells/ the weights, log, translations and statistics of each run. Complete runs are
    not repeated: after a stop, the same command continues, so that a plan can be filled over several days.
    All rows get their first seed before any gets its second; the report lists the runs that are missing. A
    run that fails is tried a second time; if it fails again, the report names it, the other runs continue,
    and the exit status is 1.

    For example:

      hopefear experiment chiang2008 --data data/ -o results/ --quick --jobs 2

      hopefear experiment my-plan.toml -o results/ --resume --only '*-MIRA-*'

      hopefear experiment chiang2008 --data data/ -o results/ --quick --export archives/

      hopefear experiment chiang2008 -o archives/chiang2008 --render page.md
    """
    from hopefear.experiments import (
        Experiment,
        ExperimentReport,
        find_plan,
        read_failures,
        read_plan,
        take_over,
    )

    if workers.cluster is not None and jobs > 1:
        raise InputError("expected --jobs or --cluster, got both: a cluster does as many runs as it has CPUs")
    shown = {"--report": report_only, "--export": exported is not None, "--render": bool(pages)}
    ran = {"--jobs": jobs > 1, "--cluster": workers.cluster is not None, "--only": bool(patterns)}
    ran["--import"] = archives is not None
    for name, given in shown.items():
        for other, also in ran.items():
            if given and also:
                raise InputError(f"{name} excludes {other}, because nothing is run")
    if report_only and (exported is not None or pages):
        raise InputError("--report excludes --export and --render")
    if exported is not None or pages:
        return _show(plan, output, exported, pages, data=data, quick=quick)
    if archives is not None:
        count = take_over(plan, output, archives, data=data, quick=quick)
        print_line(f"{output}: {count} runs of {archives}")
    found = Experiment(read_plan(find_plan(plan), output, data=data, quick=quick), output)
    command = _command(plan, data is not None, quick)
    if report_only:
        for cell in found.outdated():
            warn(f"{cell}: left out of the report: its settings differ from those of the plan")
        finished = found.finished()
        done = {run.cell for run in finished}
        names = {cell.name for cell in found.cells} - done
        failures = [failure for failure in read_failures(output) if failure.cell in names]
        ExperimentReport(output, found.plan, finished, failures=failures, command=command).write()
        return

    def say(cell: Cell, runs: list[Result]) -> None:
        scores = ", ".join(f"{run.tested_on} {run.metric} {run.score:.2f}" for run in runs)
        print_line(f"{cell.name}: {scores}")

    def lament(failure: FailedRun) -> None:
        print_line(f"{failure.cell}: failed: {failure.reason}")

    def repeat(cell: Cell, error: InputError) -> None:
        print_line(f"{cell.name}: run again, its translations cannot be scored: {error}")

    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with workers.open_cluster() as executor:
            runs = found.run(
                jobs=jobs,
                executor=executor,
                only=patterns,
                progress=True,
                on_cell=say,
                on_failure=lament,
                on_damage=repeat,
            )
    except KeyboardInterrupt:
        print_line("stopped; the same command with --resume continues, with --report it writes a report")
        raise typer.Exit(130) from None
    finally:
        signal.signal(signal.SIGTERM, before)
    ExperimentReport(output, found.plan, runs, failures=found.failures, command=command).write()
    print_line(f"report: {output / 'report.md'}")
    if found.failures:
        raise typer.Exit(1)


def _show(
    plan: str, output: Path, exported: Path | None, pages: list[Path], *, data: Path | None, quick: bool
) -> None:
    """Write the runs that are there to an archive, or make the tables and pictures of pages of them."""
    from hopefear.experiments import ExperimentReport, export, opened, write_page

    if exported is not None:
        count = export(plan, output, exported, data=data, quick=quick)
        print_line(f"{exported}: {count} runs of {Path(plan).stem}")
    if pages:
        with opened(plan, output, data=data, quick=quick) as (found, is_quick):
            command = _command(plan, True, is_quick)
            report = ExperimentReport(found.folder, found.plan, found.finished(), command=command)
            for page in pages:
                write_page(page, Path(plan).stem, report)
                print_line(f"{page}: rendered")


def _command(plan: str, data: bool, quick: bool) -> str:
    options = " --data DATA" * data + " --quick" * quick
    return f"hopefear experiment {Path(plan).name}{options} --output RESULTS"


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt

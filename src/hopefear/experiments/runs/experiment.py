"""An experiment: run the cells of a plan, several at a time, and collect their results."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import alone_in
from hopefear.base.progress import ProgressBar
from hopefear.parallel import Executor, Processes, Threads, WorkerDied, in_process, one_thread_each

from ..grid import write_grid
from ..plan import Cell, Plan, cells_of, check_inputs
from ..results import FailedRun, Result, read_runs, write_runs
from .preparation import prepare
from .tuning import CELLS, Outcome, RunCell, finished_runs, is_begun, scored_otherwise, stage_file

LOCK = ".lock"
"""Name of the lock file, held by the process that runs the experiment."""

Task = Callable[[Cell], Outcome]


class Experiment:
    """A plan and the folder of its results.

    Cells with results in the folder are not run again; interrupted cells are continued. Of a cell whose
    results are by other metrics, the stored translations are scored anew.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.folder = folder
        self.cells = cells_of(plan)
        self.failures: list[FailedRun] = []

    def run(
        self,
        *,
        jobs: int = 1,
        executor: Executor | None = None,
        only: Sequence[str] = (),
        progress: bool = False,
        on_cell: Callable[[Cell, list[Result]], None] | None = None,
        on_failure: Callable[[FailedRun], None] | None = None,
        on_damage: Callable[[Cell, InputError], None] | None = None,
    ) -> list[Result]:
        """Run all cells that have no results yet, and return the rows of all cells that have.

        All rows of the plan come with their first seed and draw before any comes with its second, so that a
        run which is stopped has something of each row.

        A cell that fails is tried again after the others. If it fails again, `failures` gets this cell and
        all cells that start from it, and the other cells go on.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        task = RunCell(self.folder.absolute(), Path.cwd())
        with alone_in(self.folder, LOCK, "experiment"):
            waiting = self._waiting(only)
            check_inputs(self.plan, waiting, made=False)
            write_grid(self.folder, self.plan.title, self.cells, waiting)
            needed = {one for cell in waiting for one in cell.preparations}
            for preparation in self.plan.preparations:
                if preparation in needed or not only:
                    prepare(self.plan.prepared, preparation)
            check_inputs(self.plan, waiting, made=True)
            if executor is not None:
                return self._run(
                    waiting, executor, partial(in_process, task), progress, on_cell, on_failure, on_damage
                )
            with one_thread_each(), Threads(jobs) as threads, Processes() as processes:
                own = partial(processes.call, task)
                return self._run(waiting, threads, own, progress, on_cell, on_failure, on_damage)

    def _waiting(self, only: Sequence[str]) -> list[Cell]:
        """List the cells that are to run: first repetitions first."""
        for pattern in only:
            if not any(fnmatchcase(cell.name, pattern) for cell in self.cells):
                names = f"{self.cells[0].name}, ..."
                raise InputError(f"expected a pattern of the plan's runs ({names}), got {pattern!r}")
        wanted = {cell.name for cell in self.cells if any(fnmatchcase(cell.name, one) for one in only)}
        for cell in reversed(self.cells):  # each stands after the one that it starts from
            if cell.name in wanted and cell.start is not None:
                wanted.add(cell.start)
        repetitions, number = Counter[tuple[str, str, str, int]](), dict[str, int]()
        for cell in self.cells:
            row = cell.system.name, cell.tuner.name, cell.tune.name, cell.size
            number[cell.name] = repetitions[row]
            repetitions[row] += 1
        done = self._done()
        left = [c for c in self.cells if c.name not in done and (not only or c.name in wanted)]
        return sorted(left, key=lambda cell: number[cell.name])

    def _run(
        self,
        waiting: list[Cell],
        executor: Executor,
        task: Task,
        progress: bool,
        on_cell: Callable[[Cell, list[Result]], None] | None,
        on_failure: Callable[[FailedRun], None] | None,
        on_damage: Callable[[Cell, InputError], None] | None,
    ) -> list[Result]:
        done, failed = self._done(), dict[str, FailedRun]()
        pending: dict[Future[Outcome], Cell] = {}
        tried: set[str] = set()
        bar = ProgressBar(len(done) + len(waiting), done=len(done), unit="run", show=progress)

        def finish(cell: Cell, outcome: Outcome, *, final: bool) -> None:
            if isinstance(outcome, FailedRun) and not final and cell.name not in tried:
                tried.add(cell.name)
                waiting.append(cell)
                return
            bar.update()
            if isinstance(outcome, FailedRun):
                failed[cell.name] = outcome
                if on_failure is not None:
                    on_failure(outcome)
            else:
                done[cell.name] = outcome
                if on_cell is not None:
                    on_cell(cell, outcome)
            with suppress(InputError, OSError):  # the results are written again at the end
                self._write(done, failed)

        try:
            with bar:
                while waiting or pending:
                    for cell in self._ready(waiting, done, failed):
                        if len(pending) == executor.workers:
                            break
                        if self._is_held_back(cell, pending.values()):
                            continue
                        waiting.remove(cell)
                        if cell.start in failed:
                            reason = f"the run {cell.start}, whose weights it starts from, failed"
                            finish(cell, FailedRun(cell.name, reason), final=True)
                        else:
                            self._forget_what_starts_from(cell, on_damage)
                            pending[executor.submit(task, cell)] = cell
                    ended: BaseException | None = None
                    for future in wait(pending, return_when=FIRST_COMPLETED).done:
                        cell = pending.pop(future)
                        error = future.exception()
                        if error is None:
                            finish(cell, future.result(), final=False)
                        elif isinstance(error, WorkerDied) and error.times:  # as often as it was tried
                            finish(cell, FailedRun(cell.name, str(error)), final=True)
                        else:
                            ended = error
                    if ended is not None:
                        raise ended
        finally:  # also of a run that is stopped
            self._write(done, failed)
        self.failures = [failed[cell.name] for cell in self.cells if cell.name in failed]
        return self._rows(done)

    def finished(self) -> list[Result]:
        """Return the rows of the cells that are done with the plan's settings."""
        return self._rows(self._done())

    def outdated(self) -> list[str]:
        """Name the cells that have results in the folder, but not with the plan's settings."""
        done = self._done()
        return list(dict.fromkeys(run.cell for run in read_runs(self.folder) if run.cell not in done))

    def _done(self) -> dict[str, list[Result]]:
        """Return the rows of the finished cells whose starting cells are finished too."""
        done: dict[str, list[Result]] = {}
        for cell in self.cells:
            if cell.start is None or cell.start in done:
                runs = finished_runs(self.folder, cell)
                if runs is not None:
                    done[cell.name] = runs
        return done

    @staticmethod
    def _ready(
        waiting: Iterable[Cell], done: dict[str, list[Result]], failed: dict[str, FailedRun]
    ) -> list[Cell]:
        """Return the cells that need not wait for the cell that they start from."""
        return [cell for cell in waiting if cell.start is None or cell.start in {*done, *failed}]

    def _is_held_back(self, cell: Cell, under_way: Iterable[Cell]) -> bool:
        """Tell whether a running cell makes the state that this cell shares with it."""
        stage = stage_file(self.folder, cell)
        if stage is None or stage.exists():
            return False
        return any(stage_file(self.folder, other) == stage for other in under_way)

    def _forget_what_starts_from(
        self, cell: Cell, on_damage: Callable[[Cell, InputError], None] | None
    ) -> None:
        """If this cell starts anew, remove the cells that started from its weights."""
        if is_begun(self.folder, cell):
            return
        try:
            if scored_otherwise(self.folder, cell) is not None:
                return
        except InputError as error:
            if on_damage is not None:
                on_damage(cell, error)
        for other in self.cells:
            if other.start == cell.name:
                shutil.rmtree(self.folder / CELLS / other.name, ignore_errors=True)
                stage = stage_file(self.folder, other)
                if stage is not None:
                    stage.unlink(missing_ok=True)

    def _rows(self, done: dict[str, list[Result]]) -> list[Result]:
        return [run for cell in self.cells for run in done.get(cell.name, [])]

    def _write(self, done: dict[str, list[Result]], failed: dict[str, FailedRun]) -> None:
        write_runs(self.folder, self._rows(done), failed.values())

"""An experiment: the cells of a plan, several at a time, and the results of those that are done."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from tqdm import tqdm

from hopefear.decoder import InputError
from hopefear.decoder.files import alone_in

from .cells import Cell, cells_of
from .plan import Plan
from .plan_file import PREPARED
from .preparation import prepare
from .results import Run, write_runs
from .tuning import CELLS, finished_runs, is_begun, run_cell

LOCK = ".lock"
"""Held by the process that runs the experiment."""

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Experiment:
    """A plan and the folder of its results.

    Cells that the folder has are not run again; those that were stopped go on.

    Parameters
    ----------
    plan : Plan
        What to run.
    folder : Path
        Made where it is missing.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.folder = folder
        self.cells = cells_of(plan)

    def run(
        self,
        *,
        jobs: int = 1,
        progress: bool = False,
        on_cell: Callable[[Cell, list[Run]], None] | None = None,
    ) -> list[Run]:
        """Run all cells that are not done; give the rows of all.

        Parameters
        ----------
        jobs : int
            Cells at a time, each in a process of its own.
        progress : bool
            Show a bar on standard error.
        on_cell : callable, optional
            Called after each cell.

        Raises
        ------
        InputError
            Some cells failed, the others are done; or something ended a process from outside; or another
            process runs an experiment in this folder.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with alone_in(self.folder, LOCK, "experiment"):
            return self._run(jobs, progress, on_cell)

    def _run(self, jobs: int, progress: bool, on_cell: Callable[[Cell, list[Run]], None] | None) -> list[Run]:
        for preparation in self.plan.preparations:
            prepare(self.folder / PREPARED, preparation)
        done = self._done()
        failed: dict[str, str] = {}
        bar = tqdm(total=len(self.cells), initial=len(done), disable=None if progress else True, unit="run")
        with bar, _workers(jobs) as workers:
            pending: dict[Future[list[Run]], Cell] = {}
            waiting = [cell for cell in self.cells if cell.name not in done]
            while waiting or pending:
                for cell in [c for c in waiting if c.start is None or c.start in done or c.start in failed]:
                    waiting.remove(cell)
                    if cell.start in failed:
                        failed[cell.name] = f"{cell.start}, which it starts from, failed"
                    else:
                        self._forget_what_starts_from(cell)
                        pending[workers.submit(run_cell, self.folder, cell)] = cell
                finished, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in finished:
                    cell = pending.pop(future)
                    try:
                        done[cell.name] = future.result()
                    except InputError as error:
                        failed[cell.name] = str(error)
                        continue
                    self._write(done)
                    bar.update()
                    if on_cell is not None:
                        on_cell(cell, done[cell.name])
        self._write(done)
        if failed:
            reasons = "\n".join(f"  {name}: {reason}" for name, reason in failed.items())
            raise InputError(f"{len(failed)} of {len(self.cells)} runs failed:\n{reasons}", path=self.folder)
        return self._rows(done)

    def _done(self) -> dict[str, list[Run]]:
        """Give the rows of the cells that are done, where those that they start from are, too."""
        done: dict[str, list[Run]] = {}
        for cell in self.cells:
            if cell.start is None or cell.start in done:
                runs = finished_runs(self.folder, cell)
                if runs is not None:
                    done[cell.name] = runs
        return done

    def _forget_what_starts_from(self, cell: Cell) -> None:
        """Remove what has begun with the weights of this cell, if it begins anew."""
        if not is_begun(self.folder, cell):
            for other in self.cells:
                if other.start == cell.name:
                    shutil.rmtree(self.folder / CELLS / other.name, ignore_errors=True)

    def _rows(self, done: dict[str, list[Run]]) -> list[Run]:
        return [run for cell in self.cells for run in done.get(cell.name, [])]

    def _write(self, done: dict[str, list[Run]]) -> None:
        write_runs(self.folder, self._rows(done))


@contextmanager
def _workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that leave signals to this one, and end at once when it is interrupted."""
    others = set(multiprocessing.active_children())
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update({name: value or "1" for name, value in before.items()})
    workers = ProcessPoolExecutor(
        jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_follow_parent
    )
    try:
        yield workers
        workers.shutdown()
    except BaseException as error:
        # What a cell has learned up to its last pass is in its checkpoint.
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        workers.shutdown(cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise InputError(
                "something ended the process of a run, perhaps for want of memory; the same command goes on "
                "from here"
            ) from None
        raise
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]


def _follow_parent() -> None:
    """Leave signals to the process that gives the work, and end when it does, even if it was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, _leave)
    parent, main = multiprocessing.parent_process(), threading.main_thread().ident
    assert parent is not None and main is not None

    def end() -> None:
        parent.join()
        signal.pthread_kill(main, signal.SIGUSR1)
        time.sleep(1)  # for the main thread to take back a file that it is writing
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit

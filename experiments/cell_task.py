"""A cell as a task for an executor."""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass
from pathlib import Path

from hopefear.decoder import InputError

from .cells import Cell
from .processes import Apart
from .results import Failure, Run
from .tuning import run_cell

TRIES = 2
"""So often a cell is tried that fails, or whose process ends."""

Outcome = list[Run] | Failure


@dataclass(frozen=True, slots=True)
class RunCell:
    """Runs cells where it is called; a failure is a result, too.

    Attributes
    ----------
    folder : Path
        Of the results; all workers must see it.
    directory : Path
        What relative paths are relative to.
    """

    folder: Path
    directory: Path

    def __call__(self, cell: Cell) -> Outcome:
        """Run a cell."""
        try:
            os.chdir(self.directory)
            return run_cell(self.folder, cell)
        except (InputError, OSError) as error:
            return Failure(cell.name, str(error))
        except Exception as error:  # of a plugin, say: the other cells go on
            traceback.print_exc()
            return Failure(cell.name, f"{type(error).__name__}: {error}")


@dataclass(frozen=True, slots=True)
class RunCellApart:
    """Runs cells in processes of their own beside the one where it is called.

    Attributes
    ----------
    task : RunCell
        What is done there.
    """

    task: RunCell

    def __call__(self, cell: Cell) -> Outcome:
        """Run a cell; raise `WorkerDied` where its process ends as often as it is tried."""
        with Apart() as apart:
            return apart.call(self.task, cell, tries=TRIES)

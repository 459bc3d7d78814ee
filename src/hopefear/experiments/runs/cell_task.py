"""A cell as a task for an executor."""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass
from pathlib import Path

from hopefear.base import InputError

from ..plan import Cell
from ..results import FailedRun, Result
from .tuning import run_cell

Outcome = list[Result] | FailedRun


@dataclass(frozen=True, slots=True)
class RunCell:
    """Runs cells in the calling process; returns a `FailedRun` for a cell that fails."""

    folder: Path
    directory: Path

    def __call__(self, cell: Cell) -> Outcome:
        """Run a cell."""
        try:
            os.chdir(self.directory)
            return run_cell(self.folder, cell)
        except (InputError, OSError) as error:
            return FailedRun(cell.name, str(error))
        except Exception as error:  # of a plugin, say: the other cells go on
            traceback.print_exc()
            return FailedRun(cell.name, f"{type(error).__name__}: {error}")

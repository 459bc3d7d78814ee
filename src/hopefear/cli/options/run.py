"""The folder of a run, and how much goes into its report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..command import option

if TYPE_CHECKING:
    from ..io.run import RunFolder

REPORTED = 500
"""Sentences that are translated for a report if no number is given."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of the folder of a run."""

    output: Path = option("Folder for weights, log, plots and checkpoint.", "-o", metavar="FOLDER")
    resume: bool = option("Continue from what the run in the folder has saved.", default=False)
    force: bool = option("Start again, and overwrite the run in the folder.", default=False)
    report_sentences: int = option(
        "Sentences in report.html, translated again after the run.", default=REPORTED, min=0
    )

    def open(self, part: str = "", *, wait: bool = False) -> RunFolder:
        """Open the folder, or a part of it that is a run of its own."""
        from ..io.run import RunFolder

        return RunFolder(self.output / part, resume=self.resume, force=self.force, wait=wait)

"""The folder of a run, and how much goes into its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..command import option

if TYPE_CHECKING:
    from hopefear.decoder import Segment
    from hopefear.tuners.contract import Tuner

    from ..io.run import CommandRun

REPORTED = 500
"""Sentences that are translated for a report if no number is given."""

_SHARE = 3
"""Where no number is given, one sentence of a report for so many that were learned from: in a pass each of
these is searched three times (translation, hope, fear), those of a report about as often."""

_FEWEST = 20


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of the folder of a run."""

    output: Path = option("Folder for weights, log, plots and checkpoint.", "-o", metavar="FOLDER")
    resume: bool = option("Continue the run in the folder.", default=False)
    force: bool = option("Start again, and overwrite the run in the folder.", default=False)
    report_sentences: int | None = option(
        "Sentences in report.html, translated again after the run.",
        default=None,
        min=0,
        shown=f"{REPORTED}; at most a third of those that were learned from, each pass counted",
    )

    def reported(self, tuner: Tuner, corpus: Sequence[Segment]) -> int:
        """Return the number of sentences for the report of a tuner that has learned from a corpus."""
        if self.report_sentences is not None:
            return self.report_sentences
        return min(REPORTED, max(_FEWEST, len(tuner.passes_) * len(corpus) // _SHARE))

    def open(self, part: str = "", *, wait: bool = False) -> CommandRun:
        """Open the folder, or a part of it that is a run of its own."""
        from ..io.run import CommandRun

        return CommandRun(self.output / part, resume=self.resume, force=self.force, wait=wait)

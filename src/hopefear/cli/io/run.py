"""The run of a command: what goes wrong sets the exit status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import typer

from hopefear.base.progress import print_line, warn
from hopefear.decoder import Segment, Translator
from hopefear.runs import RunFolder
from hopefear.runs.record import Files, Options
from hopefear.tuners.contract import Tuner, learns_in_parallel

from .skipped import Skipped


class CommandRun(RunFolder):
    """The folder of the run of a command."""

    STOPS = (*RunFolder.STOPS, typer.Exit)

    def __exit__(self, *error: object) -> None:
        """Close the run; the exit status is 1 if a picture or the report is missing."""
        super().__exit__(*error)
        if error[0] is None and not self.is_whole:
            raise typer.Exit(1)

    def learn(
        self,
        tuner: Tuner,
        decoder: Translator,
        corpus: Sequence[Segment],
        development: Sequence[Segment] | None = None,
        *,
        files: Files,
        options: Options | None = None,
        skipped: Skipped | None = None,
    ) -> None:
        """Run a tuner to its end as a session of ``run.json``, and say what went wrong on the way."""
        try:
            with self.recorded(tuner, files, options):
                finished = self.fit(tuner, decoder, corpus, development)
        finally:
            if skipped is not None:
                skipped.report()
            if learns_in_parallel(tuner) and tuner.restarts_:
                warn(f"workers that died and were restarted: {tuner.restarts_}")
        if not finished:
            self.stop()

    def stop(self) -> NoReturn:
        """End the command of a run that a signal stopped."""
        print_line(f"stopped; the same command with --resume continues from {self.checkpoint}")
        raise typer.Exit(130)

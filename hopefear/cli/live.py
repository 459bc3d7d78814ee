"""Live learning: a line with references is translated, and then learned from."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from hopefear.decoder import Decoder, Hypergraph, InputError, ParseFailed, Segment
from hopefear.decoder.lines import BadLine
from hopefear.tuners import TuningError

from .errors import warn
from .output import Output
from .signals import Stopped, StopSignals
from .skipped import Skipped


class Live:
    """A decoder whose weights change with every line that carries references.

    Parameters
    ----------
    decoder : Decoder
        Its weights are changed.
    tuner
        An online tuner: ``partial_fit(decoder, forest, segment)``.
    output : Output
        What is written of each sentence.
    save : Path or None
        Where the weights are written.
    every : int
        After so many updates, besides at the end.
    skipped : Skipped or None
        Where sentences go that go wrong; None if the first one ends the run.
    """

    def __init__(
        self,
        decoder: Decoder,
        tuner: Any,
        output: Output,
        save: Path | None,
        every: int,
        skipped: Skipped | None = None,
    ) -> None:
        self.decoder = decoder
        self.tuner = tuner
        self.output = output
        self._skipped = skipped
        self._save_path = save
        self._every = every
        self._updates = self._saved = 0
        if save is not None:  # refused now, not after an hour
            decoder.weights.write(save)

    def run(self, segments: Iterable[Segment | InputError]) -> bool:
        """Go through the input until it ends or a signal comes; the weights are saved in any case.

        Returns
        -------
        bool
            Whether a sentence had no translation.
        """
        failed = False
        lines = iter(segments)
        with StopSignals() as stop:
            try:
                while True:
                    with stop.waiting():
                        segment = next(lines, None)
                    if segment is None:
                        break
                    if isinstance(segment, InputError):
                        self._skip(segment, segment)
                        continue
                    failed = not self.answer(segment) or failed
            except Stopped:
                pass
            finally:
                if self._updates > self._saved:
                    self._save()
        if stop.signal is not None:
            raise typer.Exit(stop.exit_status)
        return failed

    def answer(self, segment: Segment) -> bool:
        """Translate a segment, write the translation, learn; tell whether there was one."""
        if segment.length == 0:
            sys.stdout.write(self.output.nothing)
            return True
        try:
            forest = self.decoder.translate(segment)
            text = self.output.render(segment, forest)
        except ParseFailed as error:
            sys.stdout.write(self.output.nothing)
            warn(str(error))
            return False
        except InputError as error:
            self._skip(segment, error)
            return True
        sys.stdout.write(text)
        if segment.references:
            self._learn(forest, segment)
        return True

    def _skip(self, item: Segment | InputError, error: InputError) -> None:
        """Write a sentence down that goes wrong, and nothing for its translation; or give up."""
        if self._skipped is None or not isinstance(item, (Segment, BadLine)):
            raise error
        sys.stdout.write(self.output.nothing)
        self._skipped.add(item, error)

    def _learn(self, forest: Hypergraph, segment: Segment) -> None:
        try:
            self.tuner.partial_fit(self.decoder, forest, segment)
        except InputError as error:
            if self._skipped is None:
                raise
            self._skipped.add(segment, error)
            return
        except (ValueError, TuningError) as error:
            raise InputError(f"{type(self.tuner).__name__}: {error}", path=segment.where) from None
        self._updates += 1
        if self._updates - self._saved >= self._every:
            self._save()

    def _save(self) -> None:
        self._saved = self._updates
        if self._save_path is not None:
            self.decoder.weights.write(self._save_path)

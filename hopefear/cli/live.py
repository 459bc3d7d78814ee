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
    tell : bool
        Say on standard error what each reference changed.
    """

    def __init__(
        self,
        decoder: Decoder,
        tuner: Any,
        output: Output,
        save: Path | None,
        every: int,
        skipped: Skipped | None = None,
        *,
        tell: bool = False,
    ) -> None:
        self.decoder = decoder
        self.tuner = tuner
        self.output = output
        self._skipped, self._tell = skipped, tell
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
        warn(f"ready: 'source ||| reference' on a line teaches {type(self.tuner).__name__}; {self._kept()}")
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
                self._finish()
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
            record = self.tuner.partial_fit(self.decoder, forest, segment)
        except InputError as error:
            if self._skipped is None:
                raise
            self._skipped.add(segment, error)
            return
        except (ValueError, TuningError) as error:
            raise InputError(f"{type(self.tuner).__name__}: {error}", path=segment.where) from None
        if not record.segments:
            if self._tell:
                warn("nothing to learn")
            return
        self._updates += 1
        if self._tell:
            warn(f"update {self._updates}: the weights changed by {record.change:.3g}")
        if self._save_path is not None and self._updates - self._saved >= self._every:
            self._save(self._save_path)

    def _kept(self) -> str:
        if self._save_path is None:
            return "what is learned is not kept: --save-weights FILE keeps it"
        return f"weights are saved to {self._save_path} {_every(self._every)} and at the end"

    def _save(self, path: Path) -> None:
        self.decoder.weights.write(path)
        self._saved = self._updates
        warn(f"saved {path} after {_count(self._updates)}")

    def _finish(self) -> None:
        """Save what is not saved yet, or say that it is lost."""
        if self._save_path is None:
            warn(f"{_count(self._updates)}, not kept: --save-weights FILE keeps what is learned")
        elif self._updates > self._saved:
            self._save(self._save_path)


def _count(updates: int) -> str:
    return f"{updates} update{'' if updates == 1 else 's'}"


def _every(updates: int) -> str:
    return "after every update" if updates == 1 else f"every {updates} updates"

"""The folder of a run: weights, log, picture, report, checkpoint, and what the run was started with."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from hopefear.base import InputError
from hopefear.base.files import alone_in
from hopefear.base.progress import ProgressBar, print_line, warn
from hopefear.base.signals import Stopped, StopSignals
from hopefear.decoder import Decoder, Delta, Segment, Translator, Weights
from hopefear.reports import (
    CHANGE,
    FAMILIES,
    HELD_OUT,
    REPORT,
    SENTENCES,
    START,
    TUNING,
    plot_learning,
    read_change,
    translate_again,
    write_report,
)
from hopefear.tuners import (
    BatchRecord,
    Candidates,
    CrossValidated,
    CrossValidation,
    PassRecord,
    read_checkpoint,
    write_checkpoint,
)
from hopefear.tuners.contract import NOW, ListLearner, Record, RunFiles, State, Tuner
from hopefear.tuners.contract.checkpoint import resuming

from .fired import add_fired, fired_in
from .learning import authors_run, learn, naming
from .record import Files, Options, RunRecord

R = TypeVar("R", bound="RunFolder")

LOCK = "run.lock"
"""Name of the lock file in the folder of a run."""

_MOST_THREADS = 4  # that translate for a report


class RunFolder(RunFiles, AbstractContextManager[Any]):
    """The folder of a run, which other processes cannot use until the run is closed.

    It is a context manager that closes itself.
    """

    STOPS: ClassVar[tuple[type[BaseException], ...]] = (KeyboardInterrupt, SystemExit)
    """What stops a run, which then has not failed."""

    def __init__(
        self, folder: Path, *, resume: bool = False, force: bool = False, wait: bool = False
    ) -> None:
        if resume and force:
            raise InputError("expected --resume or --force, got both")
        super().__init__(folder)
        self.errors = folder / "errors.tsv"
        self._before = np.zeros(0)
        self._finished, self.is_whole = False, True
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as lock:
            waiting = (lambda message: print_line(f"{message}: waits for its end")) if wait else None
            lock.enter_context(alone_in(folder, LOCK, "run", waiting=waiting))
            if not resume and not force and (self.final.exists() or self.checkpoint.exists()):
                message = "holds a run already: expected --resume, --force or another folder"
                raise InputError(message, path=folder)
            self.resume = resume and self.checkpoint.exists()
            self._record = self._begin(folder / "run.json")
            self._lock = lock.pop_all()

    def _begin(self, record: Path) -> RunRecord:
        """Remove the files of a former run, or make its log ready for more lines."""
        if not self.resume:
            files = (
                *(self.final, self.checkpoint, self.errors, self.log, record),
                *(self.folder / name for name in (CHANGE, FAMILIES, NOW, REPORT, SENTENCES, START)),
            )
            for old in (*files, *self.folder.glob("weights.pass*")):
                old.unlink(missing_ok=True)
        elif self.mend_log():
            warn(f"{self.log}: the last line was not complete and is removed")
        return RunRecord(record, resume=self.resume)

    def close(self) -> None:
        """Let other processes use the folder."""
        self._lock.close()

    def __enter__(self: R) -> R:
        """Return the folder."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the run; `is_whole` tells whether it has its picture and its report."""
        self.close()

    @contextmanager
    def recorded(self, tuner: Tuner, files: Files, options: Options | None = None) -> Iterator[None]:
        """Within this context `run.json` says what is done, from the making of this object on."""
        self._record.begin(tuner, files, options)
        try:
            yield
        except BaseException as error:
            stopped = isinstance(error, self.STOPS)
            with suppress(OSError):  # perhaps it is what happened
                self._record.end("stopped" if stopped else "failed", "" if stopped else str(error))
            raise
        self._record.end("finished" if self._finished else "stopped")

    def fit(
        self,
        tuner: Tuner,
        decoder: Translator,
        corpus: Sequence[Segment],
        development: Sequence[Segment] | None = None,
        **data: Any,
    ) -> bool:
        """Run a tuner to its end, or until SIGINT or SIGTERM; tell whether to go on."""
        written = 0  # passes whose weights are in files
        if self.resume:
            saved = read_checkpoint(self.checkpoint)
            passes = len(saved["facts"].get("records", ()))  # maybe of a trial, which writes no weights
            written = min(passes, len([*self.folder.glob("weights.pass*")]))
            with resuming(self.checkpoint):
                _merge_fired(decoder, saved)
        self._before = decoder.weights.array.copy()
        self.write_weights(START, decoder.weights.named(self._before), decoder.weights)
        if isinstance(tuner, CrossValidated):
            data |= {"on_trial": print_line, "on_choice": self._tell_choice}
        with StopSignals() as stop:

            def stop_here() -> None:
                if stop.signal is not None:
                    raise Stopped

            def on_pass(record: PassRecord | BatchRecord) -> None:
                self._tell_pass(record)
                stop_here()

            def on_save(state: State) -> None:
                nonlocal written
                # A pass that is in a checkpoint is not done again: its weights must be there before.
                for record in tuner.passes_[written:]:
                    self._write_pass(record, decoder.weights, tuner.weights_)
                written = len(tuner.passes_)
                add_fired(state, decoder.fired())

            try:
                with naming(type(tuner).__name__):
                    learn(
                        *(self, tuner, decoder, corpus),
                        resume=self.resume,
                        on_sentence=stop_here,
                        development=development,
                        progress=True,
                        on_update=self.add_update,
                        on_pass=on_pass,
                        on_save=on_save,
                        **data,
                    )
            except Stopped:
                state = tuner.get_state()
                on_save(state)
                write_checkpoint(self.checkpoint, state)
                return False
        if self.resume:
            self.complete_log(tuner.passes_)
        self._finish(decoder.weights, tuner.weights_)
        return stop.signal is None  # it may have come when all was done

    def report(
        self,
        decoder: Translator,
        corpus: Sequence[Segment],
        tuner: Tuner,
        development: Sequence[Segment] | None = None,
        *,
        most: int,
    ) -> None:
        """Write ``report.html`` after `fit`; an error is reported, and costs the report only."""
        on_error, decoder.on_error = decoder.on_error, None  # all errors have been reported in the run
        shown, name = (corpus, TUNING) if development is None else (development, HELD_OUT)
        threads = min(os.cpu_count() or 1, _MOST_THREADS) if isinstance(decoder, Decoder) else 1
        try:
            with self._costs_only(self.folder / REPORT):
                if most:
                    metric = getattr(tuner, "metric", None)
                    with ProgressBar(min(most, len(shown)), name="report") as bar:
                        translate_again(
                            *(self.folder, decoder, shown, self._before, metric, bar),
                            name=name,
                            most=most,
                            threads=threads,
                        )
                self._write_report()
                change = read_change(self.folder)
                if change is not None:
                    print_line(str(change))
        finally:
            decoder.on_error = on_error

    def _write_report(self) -> None:
        print_line(f"report: {write_report(self.folder)}")

    def fit_candidates(self, tuner: ListLearner, pool: Candidates) -> None:
        """Run a batch tuner on a pool to its end."""

        def on_pass(record: BatchRecord) -> None:
            self._write_pass(record, pool.weights, tuner.weights_)
            self._tell_pass(record)

        with naming(type(tuner).__name__), authors_run(tuner):
            tuner.fit_candidates(pool, on_pass=on_pass)
        self._finish(pool.weights, tuner.weights_)
        with self._costs_only(self.folder / REPORT):
            self._write_report()

    def _write_pass(self, record: Record, weights: Weights, learned: dict[str, float]) -> None:
        self.write_weights(f"weights.pass{record.pass_number}", learned, weights)

    def _tell_pass(self, record: PassRecord | BatchRecord) -> None:
        self.add_pass(record)
        self._record.count_pass(record.pass_number)
        print_line(summary(record))

    def _tell_choice(self, choice: CrossValidation) -> None:
        """Print and record which tuner was chosen, and why."""
        self.add_choice(asdict(choice))
        self._record.note_choice(asdict(choice))
        for line in choice.lines():
            print_line(line)

    def _finish(self, weights: Weights, learned: dict[str, float]) -> None:
        self.write_weights(self.final.name, learned, weights)
        self._finished = True
        self._draw()

    @contextmanager
    def _costs_only(self, file: Path) -> Iterator[None]:
        """Report an error of a picture or a report; the weights are there, which took long."""
        try:
            yield
        except Exception as error:
            self.is_whole = False
            warn(f"{file}: cannot be written: {error if str(error) else type(error).__name__}")

    def _draw(self) -> None:
        """Draw what the log says; what goes wrong costs the picture only."""
        picture = self.folder / "learning.png"
        with self._costs_only(picture):
            log = self.read_log()
            plot_learning(picture, log.curves())
            if log.damaged:
                more = f" and {len(log.damaged) - 1} more" if len(log.damaged) > 1 else ""
                line = f"{self.log}:{min(log.damaged)}"
                warn(f"{line}: expected an event, got another line{more}; {picture} lacks it")


def summary(record: PassRecord | BatchRecord) -> str:
    """Say in a line what a pass brought."""
    begin = f"pass {record.pass_number}: {record.metric} {record.score:.2f}"
    if isinstance(record, BatchRecord):
        text = f"{begin} before, {record.pool_score:.2f} on {record.candidates} candidates ({record.new} new)"
        return f"{record.with_development(text)}, {record.seconds:.1f} CPU s"
    missing = ""
    for what, count in (
        ("no translation of", record.skipped),
        ("nothing to learn in", record.without_oracle),
    ):
        if count:
            missing += f", {what} {count} sentence{'s' if count > 1 else ''}"
    text = record.with_development(f"{begin} while learning")
    return f"{text}, {record.updates} updates{missing}, {record.seconds:.1f} CPU s"


def _merge_fired(decoder: Translator, state: State) -> None:
    """Count what the run had fired when the state was saved."""
    fired = fired_in(state)
    if fired is not None:
        try:
            decoder.merge(Delta(fired))
        except ValueError as error:
            raise InputError(str(error)) from None

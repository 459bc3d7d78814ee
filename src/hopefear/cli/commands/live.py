"""Live learning: a line with references is translated, then the references change the weights."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from hopefear.base import InputError
from hopefear.decoder import Consensus, Hypergraph, Segment, Translator, attempt
from hopefear.live import AdaptingDecoder, Corrected, LiveSession, StoredSession
from hopefear.live.session import learn_weights
from hopefear.plugins.corpus import BadLine
from hopefear.tuners.contract import OnlineLearner, TuningError, UpdateRecord

from ..errors import warn
from ..io import Output, Stopped, StopSignals
from ..io.skipped import Skipped
from ..options import SavedLearning

STATE = ".session"
"""What the name of the file of a session's state ends in, after the name of the weights' file."""


class Live:
    """A decoder whose weights change after every line with references."""

    def __init__(
        self,
        decoder: Translator,
        tuner: OnlineLearner,
        learning: SavedLearning,
        output: Output,
        skipped: Skipped | None = None,
        *,
        tell: bool = False,
        session: LiveSession | StoredSession | None = None,
    ) -> None:
        self.decoder = decoder
        self.tuner = tuner
        self.output = output
        self._skipped, self._tell = skipped, tell
        self._stored = session if isinstance(session, StoredSession) else None
        self._session = session.session if isinstance(session, StoredSession) else session
        self._save_path, self._every = learning.save_weights, learning.save_every
        self._updates = self._saved = self._tried = 0
        self._weights = decoder.weights if self._session is None else self._session.weights
        if self._save_path is not None:  # refused now, not after an hour
            self._weights.write(self._save_path)

    def run(self, segments: Iterable[Segment | InputError]) -> bool:
        """Process the input until it ends or a signal comes, then save the weights.

        An update that fails and weights that cannot be saved are reported; the next lines are processed.
        """
        warn(f"ready: {type(self.tuner).__name__} learns from lines 'source ||| reference'; {self._kept()}")
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
                kept = self._finish()
        if not kept:
            raise typer.Exit(2)
        if stop.signal is not None:
            raise typer.Exit(stop.exit_status)
        return failed

    def answer(self, segment: Segment) -> bool:
        """Translate a segment, write the translation and learn; tell whether nothing failed unskipped."""
        if segment.length == 0:
            sys.stdout.write(self.output.nothing(segment))
            return True
        forest: Hypergraph | None = None
        try:
            with attempt(self.decoder, segment) as work:
                if self._session is None:
                    forest = self.decoder.translate(segment).forest
                    shown = self.output.chosen(forest)
                else:
                    answer = self._session.answer(segment)
                    forest, shown = answer.forest, answer.shown
                text = self.output.render(segment, forest, shown)
        except InputError as error:
            self._skip(segment, error)
            return True
        failed = work.failure is not None
        if failed:
            text = self.output.nothing(segment, str(work.failure))
            warn(str(work.failure))
        if not segment.references or (failed and self._session is None):
            sys.stdout.write(text)
            return not failed
        event: Corrected | None = None
        try:
            if self._session is not None:  # before the output tells that the line was taken
                event = self._session.accept(segment)
        except OSError as full:
            sys.stdout.write(text)
            warn(f"{full.filename}: {full.strerror}; nothing is learned from {segment.where}")
            return False
        except InputError as wrong:
            sys.stdout.write(text)
            self._record(segment, wrong)
            return self._skipped is not None and not failed
        sys.stdout.write(text)
        learned = self._learn(forest, segment, event) or self._skipped is not None
        return learned and not failed

    def _skip(self, item: Segment | InputError, error: InputError) -> None:
        """Record a sentence that failed and write nothing as its translation, or raise the error."""
        if self._skipped is None or not isinstance(item, (Segment, BadLine)):
            raise error
        sys.stdout.write(self.output.nothing(item, str(error)))
        self._record(item, error)

    def _record(self, item: Segment | BadLine, error: InputError) -> None:
        """Write a sentence that failed to the file of errors, or else to standard error."""
        try:
            if self._skipped is not None:
                self._skipped.add(item, error)
                return
        except OSError as full:
            warn(f"{full.filename}: {full.strerror}")
        warn(str(error))

    def _learn(self, forest: Hypergraph | None, segment: Segment, event: Corrected | None) -> bool:
        record: UpdateRecord | None
        error: InputError | None = None
        try:
            if self._session is not None and event is not None:
                change = self._session.learn(event)
                record, error, learned = change.update, change.error, True
            else:
                assert forest is not None
                record = learn_weights(self.tuner, self.decoder, forest, segment)
                learned = bool(record.segments)
        except InputError as wrong:
            self._record(segment, wrong)
            return False
        if error is not None:
            self._record(segment, error)
        if not learned:
            if self._tell:
                warn("nothing to learn")
            return True
        self._updates += 1
        if self._tell:
            size = 0.0 if record is None else record.change
            warn(f"update {self._updates}: the weights changed by {size:.3g}")
        if self._save_path is not None and self._updates - self._tried >= self._every:
            self._save(self._save_path)
        return error is None

    def _kept(self) -> str:
        if self._save_path is None:
            return "the learned weights will be lost; --save-weights FILE keeps them"
        return f"weights are saved to {self._save_path} {_every(self._every)} and at the end"

    def _save(self, path: Path) -> None:
        self._tried = self._updates
        try:
            self._weights.write(path)
            if self._stored is not None:
                self._stored.save()
        except (InputError, TuningError, OSError) as error:
            wrong = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
            warn(f"{wrong}; the file has the weights after {_count(self._saved)}")
            return
        self._saved = self._updates
        warn(f"saved {path} after {_count(self._updates)}")

    def _finish(self) -> bool:
        """Save unsaved weights, or say that they are lost; tell whether all weights to keep are saved."""
        if self._save_path is None:
            warn(f"{_count(self._updates)}; the learned weights are lost; --save-weights FILE keeps them")
            return True
        if self._updates > self._saved:
            self._save(self._save_path)
        return self._updates == self._saved


def _count(updates: int) -> str:
    return f"{updates} update{'' if updates == 1 else 's'}"


def _every(updates: int) -> str:
    return "after every update" if updates == 1 else f"every {updates} updates"


@contextmanager
def open_session(
    decoder: Translator, tuner: OnlineLearner, learning: SavedLearning, consensus: Consensus | None = None
) -> Iterator[LiveSession | StoredSession | None]:
    """Open the session of a decoder that adapts; its state is beside the weights. None for other decoders."""
    if not isinstance(decoder, AdaptingDecoder):
        yield None
        return
    session = LiveSession(
        decoder, tuner, forget=learning.limits(), expert=learning.shown(), consensus=consensus
    )
    save = learning.save_weights
    if save is None:
        yield session
        return
    with StoredSession(session, save.with_name(save.name + STATE), resume=learning.resume) as stored:
        if learning.resume:
            done = session.active.accepted
            warn(f"resumed after {done} corrections, {stored.replayed} of them learned once more")
        yield stored

"""A tuning run and its folder: weights, log, pictures, checkpoint."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.decoder import Decoder, InputError, Segment, Weights
from hopefear.tuners import PassRecord, TuningError, UpdateRecord, write_checkpoint

from .plots import plot_learning
from .signals import Stopped, StopSignals


class Run:
    """The folder of a run.

    Parameters
    ----------
    folder : Path
        Made where it is missing.
    resume : bool
        Go on from its checkpoint, where it has one.
    force : bool
        Begin anew whatever it holds.

    Raises
    ------
    InputError
        The folder holds a run, and neither is asked for.
    """

    def __init__(self, folder: Path, *, resume: bool = False, force: bool = False) -> None:
        if resume and force:
            raise InputError("expected --resume or --force, got both")
        self.folder = folder
        self.final = folder / "weights.final"
        self.checkpoint = folder / "checkpoint"
        self.errors = folder / "errors.tsv"
        self._log = folder / "log.jsonl"
        self.resume = resume and self.checkpoint.exists()
        if not resume and not force and (self.final.exists() or self.checkpoint.exists()):
            raise InputError("holds a run already: expected --resume, --force or another folder", path=folder)
        folder.mkdir(parents=True, exist_ok=True)
        if not self.resume:
            for old in (self.final, self.checkpoint, self.errors, self._log, *folder.glob("weights.pass*")):
                old.unlink(missing_ok=True)

    def fit(
        self,
        tuner: Any,
        decoder: Decoder,
        corpus: Sequence[Segment],
        development: Sequence[Segment] | None = None,
        *,
        progress: bool = False,
    ) -> bool:
        """Run a tuner to its end, or until SIGINT or SIGTERM; tell whether it came to its end.

        Raises
        ------
        InputError
            The tuner refuses its settings, the corpus or the checkpoint, or went astray.
        """
        with StopSignals() as stop:

            def on_update(record: UpdateRecord) -> None:
                self._write_event("update", record)
                if stop.signal is not None:
                    raise Stopped

            def on_pass(record: PassRecord) -> None:
                self._write_event("pass", record)
                _write_weights(decoder, tuner.weights_, self.folder / f"weights.pass{record.pass_number}")
                print(summary(record), file=sys.stderr, flush=True)
                if stop.signal is not None:
                    raise Stopped

            try:
                tuner.fit(
                    decoder,
                    corpus,
                    development=development,
                    checkpoint=self.checkpoint,
                    resume=self.resume,
                    progress=progress,
                    on_update=on_update,
                    on_pass=on_pass,
                )
            except Stopped:
                write_checkpoint(self.checkpoint, tuner.get_state())
                return False
            except (InputError, UnicodeError):
                raise
            except (ValueError, TuningError) as error:
                raise InputError(f"{type(tuner).__name__}: {error}") from None
        _write_weights(decoder, tuner.weights_, self.final)
        self._draw()
        return True

    def _write_event(self, event: str, record: Any) -> None:
        line = json.dumps({"event": event, **dataclasses.asdict(record)}, default=_plain)
        with self._log.open("a", encoding="utf-8") as log:
            log.write(line + "\n")

    def _draw(self) -> None:
        # After --resume the log may hold updates that were done again: the last of a number counts.
        updates: dict[int, float] = {}
        held_out: dict[int, tuple[int, float]] = {}
        metric = ""
        for line in self._log.read_text("utf-8").splitlines():
            event = json.loads(line)
            if event["event"] == "update":
                updates[event["update"]] = event["pseudo_score"]
            else:
                metric = event["metric"]
                if event["development_score"] is not None:
                    held_out[event["pass_number"]] = (event["updates"], event["development_score"])
        plot_learning(
            self.folder / "learning.png",
            sorted(updates),
            [updates[number] for number in sorted(updates)],
            list(held_out.values()),
            title=f"{metric} while tuning",
            metric=metric,
            held_out_name="development set",
        )


def summary(record: PassRecord) -> str:
    """Say in a line what a pass brought."""
    development = ""
    if record.development_score is not None:
        development = f", development {record.development_score:.2f}"
    missing = ""
    if count := record.without_oracle:
        missing = f", nothing to learn in {count} sentence{'s' if count > 1 else ''}"
    return (
        f"pass {record.pass_number}: {record.metric} {record.score:.2f} while learning{development}, "
        f"{record.updates} updates{missing}, {record.seconds:.1f} s"
    )


def _write_weights(decoder: Decoder, values: dict[str, float], path: Path) -> None:
    weights = Weights(values)
    weights.selection = decoder.selection
    weights.write(path)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"not for JSON: {type(value).__name__}")

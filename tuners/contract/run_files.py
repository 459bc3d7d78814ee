"""The files of a tuning run: checkpoint, log and weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.base import InputError
from hopefear.base.files import append_whole, cut_to_lines
from hopefear.decoder import Weights

from .base import Record, UpdateRecord
from .learning_curves import LearningLog


class RunFiles:
    """The files that a tuning run keeps in its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkpoint = folder / "checkpoint"
        self.final = folder / "weights.final"
        self.log = folder / "log.jsonl"

    def check_finished(self) -> None:
        """Refuse the folder of a run that has not ended."""
        if not self.final.is_file():
            raise InputError(
                f"expected the folder of a finished run, got no {self.final.name}", path=self.folder
            )

    def mend_log(self) -> bool:
        """Remove a last line of the log that is not complete; tell whether there was one."""
        return self.log.exists() and bool(cut_to_lines(self.log))

    def add_update(self, record: UpdateRecord) -> None:
        """Add an update to the log."""
        self._add("update", asdict(record))

    def add_pass(self, record: Record) -> None:
        """Add a pass to the log."""
        self._add("pass", asdict(record))

    def add_choice(self, choice: Mapping[str, Any]) -> None:
        """Add the choice of a tuner to the log."""
        self._add("choice", choice)

    def complete_log(self, records: Iterable[Record]) -> None:
        """Add the passes of the checkpoint that the log lacks, because it was cut or not yet written."""
        self.log.touch()
        logged = self.read_log().pass_numbers
        for record in records:
            if record.pass_number not in logged:
                self.add_pass(record)

    def read_log(self, number: str | None = None) -> LearningLog:
        """Read the log."""
        if not self.log.is_file():
            raise InputError("expected the log of a tuning run, got no file", path=self.log)
        with self.log.open(encoding="utf-8", errors="replace") as lines:
            log = LearningLog(lines, number or "score")
        if number is not None and log.damaged:
            line, error = next(iter(log.damaged.items()))
            raise InputError(f"expected a pass with metric and {number}: {error}", path=self.log, line=line)
        return log

    def write_weights(self, name: str, learned: Mapping[str, float], weights: Weights) -> None:
        """Write weights by name to a file of the folder, with the selection of features of others."""
        written = Weights(learned)
        written.selection = weights.selection
        written.write(self.folder / name)

    def _add(self, event: str, facts: Mapping[str, Any]) -> None:
        line = json.dumps({"event": event, **facts}, default=_plain)
        append_whole(self.log, f"{line}\n".encode(), sync=event != "update")


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"not for JSON: {type(value).__name__}")

"""The files of a tuning run: checkpoint, log and weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.base import InputError
from hopefear.base.files import append_whole, cut_to_lines
from hopefear.base.stored import parse_json
from hopefear.decoder import Weights

from .base import Record, UpdateRecord


class RunFiles:
    """The files that a tuning run keeps in its folder.

    Parameters
    ----------
    folder : Path
        The folder.

    Attributes
    ----------
    checkpoint : Path
        The state to go on from.
    log : Path
        A line of JSON, an event, for each update of an online tuner and for each pass; a line that does not
        say which event it is, as earlier versions wrote, is a pass.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkpoint = folder / "checkpoint"
        self.log = folder / "log.jsonl"

    def mend_log(self) -> bool:
        """Remove a last line of the log that is not complete; tell whether there was one."""
        return self.log.exists() and bool(cut_to_lines(self.log))

    def add_update(self, record: UpdateRecord) -> None:
        """Add an update to the log."""
        self._add("update", record)

    def add_pass(self, record: Record) -> None:
        """Add a pass to the log."""
        self._add("pass", record)

    def complete_log(self, records: Iterable[Record]) -> None:
        """Add the passes of the checkpoint that the log lacks, because it was cut or not yet written."""
        logged = set()
        self.log.touch()
        with self.log.open(encoding="utf-8", errors="replace") as log:
            for line in log:
                with suppress(ValueError, KeyError, TypeError, AttributeError):
                    event = parse_json(line)
                    logged.add((event.get("event", "pass"), event["pass_number"]))
        for record in records:
            if ("pass", record.pass_number) not in logged:
                self.add_pass(record)

    def passes(self, value: str) -> list[Mapping[str, Any]]:
        """Read the passes in the log, in their order; the last of a number counts.

        Parameters
        ----------
        value : str
            The name of a number that each pass must have.

        Raises
        ------
        InputError
            There is no log, or a line is no event with this number, a metric and an interval of its score.
        """
        if not self.log.is_file():
            raise InputError("expected the log of a tuning run, got no file", path=self.log)
        passes: dict[int, Mapping[str, Any]] = {}
        for number, line in enumerate(self.log.read_text("utf-8", "replace").splitlines(), 1):
            try:
                event = parse_json(line)
                if event.get("event", "pass") == "pass":
                    float(event[value])
                    str(event["metric"])
                    [float(bound) for bound in event.get("score_interval") or ()]
                    passes[int(event["pass_number"])] = event
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise InputError(
                    f"expected a pass with metric and {value}: {error}", path=self.log, line=number
                ) from None
        return [passes[number] for number in sorted(passes)]

    def write_weights(self, name: str, learned: Mapping[str, float], weights: Weights) -> None:
        """Write weights by name to a file of the folder, with the selection of features of others."""
        written = Weights(learned)
        written.selection = weights.selection
        written.write(self.folder / name)

    def _add(self, event: str, record: Record | UpdateRecord) -> None:
        line = json.dumps({"event": event, **asdict(record)}, default=_plain)
        append_whole(self.log, f"{line}\n".encode(), sync=event == "pass")


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"not for JSON: {type(value).__name__}")

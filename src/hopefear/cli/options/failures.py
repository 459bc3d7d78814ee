"""What happens to sentences that fail."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from hopefear.base import InputError

from ..command import option
from ..io.skipped import Skipped


class OnError(str, Enum):
    """What to do if a line of input is wrong or a plugin fails on it."""

    stop = "stop"
    skip = "skip"


@dataclass(frozen=True, kw_only=True)
class Failures:
    """The options of what happens to sentences that fail."""

    on_error: OnError = option(
        "If a line of input is wrong or a plugin fails: stop, or skip the sentence.", default=OnError.stop
    )
    errors: Path | None = option(
        "Write skipped sentences to this file: id, error and line, separated by tabs.",
        default=None,
        shown="hopefear-errors.tsv; hopefear tune: errors.tsv in the output folder",
    )

    @property
    def skip(self) -> bool:
        """Whether sentences that fail are skipped."""
        return self.on_error is OnError.skip

    def open(self, usual: Path, *, append: bool = False) -> Skipped | None:
        """Make what takes the skipped sentences; None if the first error ends the command."""
        if self.skip:
            return Skipped(self.errors or usual, append=append)
        if self.errors is not None:
            raise InputError("--errors needs --on-error skip")
        return None

"""A progress that counts."""

from __future__ import annotations


class Count:
    """Counts what a `ProgressBar` would show."""

    def __init__(self) -> None:
        self.sentences = 0

    def update(self) -> None:
        """Count a sentence."""
        self.sentences += 1

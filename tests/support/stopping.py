"""Runs that are stopped on their way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Stop(Exception):
    """The run ends here."""


def stop_at(update: int) -> Callable[[Any], None]:
    """Return an `on_update` that ends a run at an update."""

    def on_update(record: Any) -> None:
        if record.update == update:
            raise Stop

    return on_update


def stop_after(calls: int) -> Callable[..., None]:
    """Return a callback that ends a run at its last call."""
    left = calls

    def callback(*arguments: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise Stop

    return callback

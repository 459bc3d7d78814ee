"""Cells of experiments in threads of this process, which is faster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hopefear.parallel import Processes


@contextmanager
def cells_here() -> Iterator[None]:
    """Run cells so in the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Processes, "call", _call)
        yield


def _call(processes: Processes, task: Callable[[Any], Any], cell: Any) -> Any:
    return task(cell)

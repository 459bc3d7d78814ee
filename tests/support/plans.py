"""Experiments on the shipped sample in a folder of a test; a test file has its plan in a file beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hopefear.experiments import Experiment, Result, read_plan
from hopefear.parallel import Processes

from .small_sample import small_sample


def experiment(folder: Path, text: str) -> Experiment:
    """Write a plan into the folder, and return its experiment, whose results go to ``out``."""
    folder.mkdir(exist_ok=True)
    path = folder / "plan.toml"
    path.write_text(text, "utf-8")
    return Experiment(read_plan(path, folder / "out", data=small_sample()), folder / "out")


def finished(folder: Path, text: str, *, jobs: int = 1) -> tuple[Experiment, list[Result]]:
    """Run an experiment; return it with its results."""
    found = experiment(folder, text)
    with cells_here():
        return found, found.run(jobs=jobs)


@contextmanager
def cells_here() -> Iterator[None]:
    """Run cells of experiments in threads of this process, which is faster, in the block."""

    def call(processes: Processes, task: Callable[[Any], Any], cell: Any) -> Any:
        return task(cell)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Processes, "call", call)
        yield

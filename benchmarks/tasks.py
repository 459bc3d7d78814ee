"""The corpora that the benchmarks decode, and what cdec needs for them (golden/README.md)."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from hopefear import Segment

SHARED = Path(os.environ.get("HOPEFEAR_SHARED", Path(__file__).resolve().parents[2] / "shared"))
REFERENCE_CALIBRATION = 0.050
"""CPU seconds of `calibrate` on the machine where cdec was measured."""


@dataclass(frozen=True)
class Task:
    """A dev set and its set-up; cdec's figures are at pop limit 200, None where it was not measured.

    Attributes
    ----------
    folder, source : str
        Below ``data/``.
    references : tuple of str
        As `source`.
    trees : str or None
        The source's Penn trees.
    seconds, score, load, peak, mira : float or None
        cdec's CPU seconds a sentence, summed 1-best model score, CPU seconds to load, MB at its peak, and CPU
        seconds of a pass of its MIRA.
    """

    folder: str
    source: str
    references: tuple[str, ...]
    trees: str | None = None
    seconds: float | None = None
    score: float | None = None
    load: float | None = None
    peak: float | None = None
    mira: float | None = None

    @property
    def config(self) -> Path:
        """The cdec.ini."""
        return SHARED / "data" / self.folder / "cdec.ini"

    def weights(self, kind: str) -> Path:
        """The weights file, ``init`` or ``tuned``."""
        return self.config.with_name(f"weights.{kind}")

    def lines(self, name: str) -> list[str]:
        """The lines of a file below ``data/``."""
        return (SHARED / "data" / name).read_text("utf-8").splitlines()

    def corpus(self, sentences: int | None = None) -> list[Segment]:
        """The first sentences, or all, with references and trees."""
        references = [self.lines(path) for path in self.references]
        trees: list[Any] = self.lines(self.trees) if self.trees else []
        return [
            Segment(
                tuple(line.split()),
                id=i,
                index=i,
                tree=trees[i] if trees else None,
                references=tuple(lines[i] for lines in references),
            )
            for i, line in enumerate(self.lines(self.source)[:sentences])
        ]


TASKS = {
    "tanaka ja-en": Task(
        "tanaka/ja-en", "tanaka/dev.ja", ("tanaka/dev.en",),
        seconds=0.057, score=-10227.9, load=0.9, peak=207, mira=46,
    ),
    "tanaka en-ja": Task(
        "tanaka/en-ja", "tanaka/dev.en", ("tanaka/dev.ja",), "tanaka/en-ja/dev.trees", mira=29
    ),
    "bible de-en": Task(
        "bible-de-en", "bible-de-en/dev.de", tuple(f"bible-de-en/dev.en.{i}" for i in range(4)),
        seconds=0.403, score=-59705.8, load=5.8, peak=1071, mira=317,
    ),
    "bible es-en": Task(
        "bible-es-en", "bible-es-en/dev.es", ("bible-es-en/dev.en.0", "bible-es-en/dev.en.1"),
        "bible-es-en/dev.es.trees", mira=105,
    ),
}  # fmt: skip


def calibrate() -> float:
    """CPU seconds in which the ``kenlm`` module scores tanaka's training sentences, the best of five."""
    import kenlm

    model = kenlm.Model(str(SHARED / "data/tanaka/ja-en/lm.klm"))
    with gzip.open(SHARED / "data/tanaka/train.en.gz", "rt", encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    seconds = []
    for _ in range(5):
        start = time.process_time()
        for line in lines:
            model.score(line)
        seconds.append(time.process_time() - start)
    return min(seconds)


def in_fresh_process(measure: Callable[..., Any], *arguments: Any) -> Any:
    """Call in a process of its own, so that memory and caches are its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure, *arguments).result()


def add_task_argument(parser: Any) -> None:
    """Let the command line name tasks, all by default."""
    parser.add_argument(
        "tasks", nargs="*", metavar="TASK", help=f"all of them by default: {', '.join(TASKS)}"
    )


def chosen(parser: Any, names: list[str]) -> dict[str, Task]:
    """Return the tasks of the command line."""
    for name in names:
        if name not in TASKS:
            parser.error(f"unknown task {name!r}, known are {', '.join(TASKS)}")
    return {name: TASKS[name] for name in names or TASKS}


def table(rows: list[dict[str, str]], *, markdown: bool) -> str:
    """Lay rows out under their keys, as Markdown or aligned."""
    heads = list(rows[0])
    cells = [heads, *([row[head] for head in heads] for row in rows)]
    if markdown:
        cells.insert(1, ["---"] * len(heads))
        return "\n".join("| " + " | ".join(row) + " |" for row in cells)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def sides(task: Task, part: str, sentences: int | None) -> tuple[list[str], list[tuple[str, ...]]]:
    """Read sources and references of ``dev`` or ``test``."""
    names = [name.replace("/dev.", f"/{part}.") for name in (task.source, *task.references)]
    source, *references = [task.lines(name)[:sentences] for name in names]
    return source, list(zip(*references, strict=True))

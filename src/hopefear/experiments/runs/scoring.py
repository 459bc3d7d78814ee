"""The translations of a cell's test sets, as they are stored, and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hopefear.base.files import written_whole
from hopefear.decoder import Segment
from hopefear.metrics import Metric, Statistics, create_metric
from hopefear.tuners.contract import measuring

from .post_editing import TestedText

CELLS = "cells"
AS_WRITTEN = ".written.txt"
"""The end of the name of a file of translations as written; those of target words end in ``.txt``."""


def translations_file(name: str) -> str:
    """Name the file of the translations of a test set, in target words."""
    return f"{name}.txt"


def write_translations(place: Path, name: str, outputs: Sequence[TestedText], *, written: bool) -> None:
    """Write the translations of a test set into the folder of a cell, also as they are written if wanted."""
    of_files = {translations_file(name): [output.words for output in outputs]}
    if written:
        of_files[f"{name}{AS_WRITTEN}"] = [output.text.replace("\n", " ") for output in outputs]
    for file_name, lines in of_files.items():
        with written_whole(place / file_name) as path:
            path.write_text("".join(line + "\n" for line in lines), "utf-8")


def read_translations(place: Path, name: str) -> list[str]:
    """Read what `write_translations` wrote, in target words."""
    return (place / translations_file(name)).read_bytes().decode().split("\n")[:-1]


def measure(
    texts: Sequence[str], corpus: Sequence[Segment], metrics: Iterable[str]
) -> list[tuple[Metric, Statistics]]:
    """Compute the statistics of the translations of a test set by each metric."""
    found = []
    for line in metrics:
        metric = create_metric(line)
        with measuring(*corpus):
            found.append((metric, metric.corpus_stats(texts, [segment.references for segment in corpus])))
    return found


def write_statistics(
    place: Path, name: str, measured: Iterable[tuple[Metric, Statistics]]
) -> Iterator[dict[str, Any]]:
    """Write what `measure` gave; return the columns of its rows in the results."""
    for number, (metric, statistics) in enumerate(measured, 1):
        kept = place / f"{name}.{number}.npy"
        with written_whole(kept) as path, path.open("wb") as file:
            np.save(file, statistics)
        yield {
            "sentences": len(statistics),
            "metric": metric.name,
            "signature": metric.signature(),
            "score": float(metric.score(statistics.sum(axis=0))),
            "statistics": f"{CELLS}/{place.name}/{kept.name}",
        }

"""Rows of results for the tests of reports: cells, scores and sentence statistics made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopefear.experiments import Result
from hopefear.experiments.analysis.marks import Marks
from hopefear.metrics import Bleu, Metric, Ter

BLEU, TER = Bleu(), Ter()


def make_run(score: float = 30.0, metric: Metric = BLEU, **columns: Any) -> Result:
    values = {
        "system": "base",
        "tuner": "MERT",
        "tuned_on": "dev",
        "size": 500,
        "draw": 0,
        "seed": 0,
        "tested_on": "test",
        "sentences": 40,
        "features": 12,
        "passes": 5,
        "seconds": 60.0,
        **columns,
    }
    names = ("system", "tuner", "tuned_on", "size", "draw", "seed")
    cell = "-".join(str(values[name]) for name in names)
    statistics = f"{cell}/{values['tested_on']}.{metric.name}.npy"
    return Result(
        cell=cell,
        score=score,
        metric=metric.name,
        signature=metric.signature(),
        statistics=statistics,
        **values,
    )


REFERENCES = [[f"the house {i} of the old man stands near the {i % 7} river in town"] for i in range(40)]


def translations(wrong: int, every: int = 1) -> list[str]:
    """The references with their first words replaced, in every so many sentences."""
    texts = []
    for i, (reference,) in enumerate(REFERENCES):
        words = reference.split()
        texts.append(" ".join(["x"] * wrong + words[wrong:]) if i % every == 0 else reference)
    return texts


def make_marks(texts: dict[str, list[str]], *metrics: Metric) -> Marks:
    """Marks of runs whose cells translate like this; a test set's name tells its sentences."""
    by_signature = {metric.signature(): metric for metric in metrics or (BLEU, TER)}

    def statistics(run: Result) -> np.ndarray:
        return by_signature[run.signature].corpus_stats(texts[run.cell], REFERENCES)

    return Marks(statistics, by_signature, lambda run: run.tested_on)

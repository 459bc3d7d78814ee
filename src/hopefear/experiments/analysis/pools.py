"""K-best lists of a test set, decoded with the weights that a run has learned."""

from __future__ import annotations

from pathlib import Path

from hopefear.base import InputError
from hopefear.decoder import Weights
from hopefear.metrics import create_metric
from hopefear.parallel import Serial
from hopefear.tuners import Candidates
from hopefear.tuners.contract import measuring
from hopefear.tuners.pool import KBestTask, Translate, gather

from ..cell_file import checked
from ..plan import Plan, cells_of
from ..results import Result
from ..runs import CELLS, WEIGHTS, make_decoder, tested_corpus


def make_pool(folder: Path, plan: Plan, run: Result, *, k: int = 100) -> Candidates:
    """Translate the sentences that a run was tested on with its weights."""
    cell = next((cell for cell in cells_of(plan) if cell.name == run.cell), None)
    metric = next((m for m in map(create_metric, plan.metrics) if m.signature() == run.signature), None)
    if cell is None or metric is None or run.tested_on not in cell.tests:
        what = f"{run.cell}, tested on {run.tested_on} by {run.signature}"
        raise InputError(f"expected a run of the plan, got {what}", path=plan.path)
    weights = Weights()
    weights.read(checked(folder / CELLS / cell.name, WEIGHTS))
    decoder = make_decoder(cell.system, cell.tests[run.tested_on], weights)
    corpus = tested_corpus(cell, run.tested_on)
    pool = Candidates.of_corpus(corpus, metric, decoder.weights)
    task = KBestTask(Translate(decoder), decoder, k)
    with measuring(*corpus):
        gather(pool, task, corpus, Serial(), on_sentence=lambda: None)
    return pool

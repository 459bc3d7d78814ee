"""Translations of a whole corpus for the pool of a batch tuner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hopefear.decoder import KBestList, Segment
from hopefear.metrics import Statistics
from hopefear.parallel import Executor

from ..contract import check_translated
from .candidates import Candidates
from .kbest_task import KBestTask


@dataclass(frozen=True, slots=True)
class Gathered:
    """What translations bring to a pool."""

    rows: Statistics
    skipped: int
    new: int = 0
    elsewhere: float = 0.0


def gather(
    pool: Candidates,
    task: KBestTask,
    corpus: Sequence[Segment],
    executor: Executor,
    *,
    on_sentence: Callable[[], None],
) -> Gathered:
    """Translate a corpus, and merge the k-best lists into its pool, all or none."""
    rows, skipped, elsewhere = list[Statistics](), 0, 0.0
    executor.publish(task.decoder.weights)

    def lists() -> Iterator[tuple[int, KBestList]]:
        nonlocal skipped, elsewhere
        found_in = executor.map(task, enumerate(corpus), on_death=task.without)
        for segment, found in enumerate(found_in):
            translations = found.translations
            rows.append(pool.stats(segment, "" if translations is None else translations.texts[0]))
            elsewhere += found.seconds if found.elsewhere else 0.0
            if translations is None:
                skipped += 1
            else:
                yield segment, translations
            on_sentence()

    new = pool.merge(lists())
    check_translated(skipped, len(corpus))
    return Gathered(np.array(rows), skipped, new, elsewhere)

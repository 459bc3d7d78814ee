"""Sentences on which workers die: the `on_error` of the decoder takes them, or the run ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.hols_workers import SMOOTHED
from support.world import SPARSE

from hopefear import Decoder, InputError, Segment
from hopefear.parallel import Serial, WorkerDied
from hopefear.tuners import Fold, Hols, Pro

DEADLY = 3


class Deadly(Serial):
    """An executor whose workers die on a segment."""

    def map(self, task: Callable[[Any], Any], items: Iterable[Any], *, on_death: Any = None) -> Iterator[Any]:
        """Do tasks, but for those of the segment."""
        for item in items:
            died = WorkerDied("in a test", times=2)
            if not holds(item):
                yield task(item)
            elif on_death is None:
                raise died
            else:
                yield on_death(item, died)


def holds(item: Any) -> bool:
    """Tell whether the segment is in an item."""
    if isinstance(item, Segment):
        return item.id == DEADLY
    return isinstance(item, (list, tuple)) and any(map(holds, item))


def pro(decoder: Decoder, executor: Serial, corpus: list[Segment]) -> Pro:
    tuner = Pro(passes=2, k=20)
    tuner.executor = executor
    return tuner.fit(decoder, corpus, development=SPARSE.corpus[2:5])


def hols(decoder: Decoder, executor: Serial, corpus: list[Segment]) -> Hols:
    tuner = Hols(line_search_passes=1, line_search_k=20, restarts=1, metric=SMOOTHED, save_every=3)
    tuner.executor, tuner.chunk = executor, 2
    return tuner.fit(
        decoder, SPARSE.corpus[5:], training=[Fold(decoder, corpus)], development=SPARSE.corpus[2:5]
    )


@pytest.mark.parametrize("learn", [pro, hols])
def test_a_sentence_on_which_workers_die_is_skipped_or_ends_the_run(
    tmp_path: Path, learn: Callable[..., Pro | Hols]
) -> None:
    with pytest.raises(InputError, match=f"sentence {DEADLY + 1}: workers died 2 times"):
        learn(SPARSE.decoder(tmp_path), Deadly(), SPARSE.corpus[:5])
    decoder, taken = SPARSE.decoder(tmp_path), set[int | str]()
    decoder.on_error = lambda segment, error: taken.add(segment.id)
    tuner = learn(decoder, Deadly(), SPARSE.corpus[:5])
    assert taken == {DEADLY}
    assert {record.skipped for record in tuner.passes_} == {1}
    # It is as if the sentence had no translation.
    untranslatable = Segment(
        ("foreign",), id=DEADLY, index=DEADLY, references=SPARSE.corpus[DEADLY].references
    )
    other = [untranslatable if segment.id == DEADLY else segment for segment in SPARSE.corpus[:5]]
    assert learn(SPARSE.decoder(tmp_path), Serial(), other).weights_ == tuner.weights_

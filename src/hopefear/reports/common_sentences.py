"""The sentences that several tuning runs translated, and what each run scores on them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from hopefear.base import InputError
from hopefear.metrics import Metric, Resampled, create_metric, resample

from .change import RunChange
from .sentences import SENTENCES, read_sentences
from .tuning_run import TuningRun

Runs = Mapping[str, TuningRun]

_NAMED = 8
"""Ranges of sentences that are named one by one."""


@dataclass(frozen=True, slots=True)
class CommonScores:
    """What a run scores on the sentences that it has in common with others.

    Attributes
    ----------
    change : RunChange
        The change of the run on all its sentences.
    before, after : Resampled
        The scores of the common sentences.
    sentences : list of dict
        The records of the common sentences, in the order of the first run.
    left_out : list of int or str
        The numbers of the other sentences of the run.
    """

    change: RunChange
    before: Resampled
    after: Resampled
    sentences: list[dict[str, Any]]
    left_out: list[int | str]


def common_scores(runs: Runs) -> dict[str, CommonScores]:
    """Score runs on the sentences that all of them translated.

    Missing are runs without scores before and after; and of the others, those that have another metric than
    the first, or none of its sentences.
    """
    changes = {name: run.change for name, run in runs.items() if run.change is not None}
    first = next(iter(changes), None)
    if first is None:
        return {}
    same = {name: own for name, own in changes.items() if own.signature == changes[first].signature}
    records = {name: read_sentences(runs[name].folder) for name in same}
    of_same_sentences = {
        name: CommonScores(own, own.before, own.after, records[name], [])
        for name, own in same.items()
        if own.digest == changes[first].digest
    }
    line = changes[first].metric_line
    if len(of_same_sentences) == len(same) or not line:  # without a line the metric cannot be made again
        return of_same_sentences
    keyed = {name: _keyed(own) for name, own in records.items()}
    common, compared = [*keyed[first]], [first]
    for name, own in keyed.items():
        shared = [key for key in common if key in own]
        if name != first and shared:
            common, compared = shared, [*compared, name]
    metric = create_metric(line)
    return {name: _on(common, same[name], keyed[name], metric, runs[name]) for name in compared}


def named(numbers: Sequence[int | str]) -> str:
    """Name sentences, those in a row by the first and the last."""
    ranges: list[str] = []
    places = enumerate(numbers)
    for _, row in groupby(places, key=lambda at: at[1] - at[0] if isinstance(at[1], int) else at[1]):
        first, *others = (number for _, number in row)
        ranges.append(f"{first}–{others[-1]}" if others else str(first))
    more = len(ranges) - _NAMED
    return ", ".join([*ranges[:_NAMED], *([f"and {more:,} more"] if more > 0 else [])])


_Key = tuple[str, int]
"""Source and references of a sentence, and how often they stand before it."""


def _keyed(records: Sequence[dict[str, Any]]) -> dict[_Key, dict[str, Any]]:
    seen, keyed = Counter[str](), dict[_Key, dict[str, Any]]()
    for record in records:
        text = json.dumps([record["source"], record["references"]])
        keyed[text, seen[text]] = record
        seen[text] += 1
    return keyed


def _on(
    common: Sequence[_Key],
    change: RunChange,
    keyed: Mapping[_Key, dict[str, Any]],
    metric: Metric,
    run: TuningRun,
) -> CommonScores:
    """Score a run on some of its sentences."""
    sentences, inside = [keyed[key] for key in common], set(common)
    try:
        rows = np.array([record["statistics"] for record in sentences], dtype=np.float64)
        before, after = resample(rows[:, 0], metric), resample(rows[:, 1], metric)
    except (KeyError, IndexError, ValueError, TypeError) as error:
        message = f"expected statistics of {metric.name} for each sentence: {error}"
        raise InputError(message, path=run.folder / SENTENCES) from None
    left_out = [record["id"] for key, record in keyed.items() if key not in inside]
    return CommonScores(change, before, after, sentences, left_out)

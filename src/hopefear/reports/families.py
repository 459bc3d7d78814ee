"""What each family of features is worth: weights, decisions between hope and fear, and ablation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.base.tables import Cell, Table
from hopefear.decoder import Decoder, Hypergraph, KBestList, Segment
from hopefear.metrics import Bleu, Metric, paired_bootstrap
from hopefear.parallel import in_threads
from hopefear.tuners import Mira
from hopefear.tuners.contract import TuningError, from_json

from .sentences import SentenceCounter

FAMILIES = "families.json"
"""The name of the file in the folder of a run."""


@dataclass(frozen=True, slots=True)
class FamilyWorth:
    """What a family of features is worth to a decoder."""

    family: str
    weights: int
    mass: float
    decides: float | None
    metric: str
    score: float
    loss: tuple[float, float, float]


def rank_families(
    decoder: Decoder,
    corpus: Sequence[Segment],
    metric: Metric | None = None,
    progress: SentenceCounter | None = None,
    *,
    only: Sequence[str] = (),
    threads: int = 1,
    on_family: Callable[[FamilyWorth], None] = lambda worth: None,
) -> list[FamilyWorth]:
    """Rank the families of a decoder by what the corpus loses without them, the greatest loss first.

    The corpus is translated once with all features, and once without each family: with its weights at 0.

    Parameters
    ----------
    only : sequence of str
        Patterns of the names of families, such as ``Span*``; all families if there are none.
    threads : int
    on_family : callable
        Called with each family as soon as it is known.

    Raises
    ------
    InputError
        No sentence has a translation, or no family has a name like `only`.
    """
    metric = (metric or Bleu()).for_corpus([segment.references for segment in corpus])
    mira = Mira.paper()
    pairs: list[tuple[KBestList, KBestList]] = []

    def forest_of(segment: Segment) -> Hypergraph | None:
        with suppress(InputError):
            return decoder.translate(segment).forest
        return None

    def translate(keep_pairs: bool) -> Floats:
        rows = np.zeros((len(corpus), metric.size))
        with in_threads(threads) as executor:
            for row, segment, forest in zip(rows, corpus, executor.map(forest_of, corpus), strict=True):
                if progress is not None:
                    progress.update()
                if forest is None:
                    continue
                row[:] = metric.stats(forest.viterbi(), segment.references)
                if keep_pairs:
                    with suppress(InputError, TuningError):  # the sentence has no hope and fear
                        found = mira.hypotheses(decoder, forest, segment)
                        pairs.append((found.hope.translations.take([0]), found.fear.translations.take([0])))
        return rows

    complete = translate(True)
    if not complete.any():
        raise InputError("expected a sentence with a translation, got none")
    weights = decoder.weights.array.copy()
    used = np.flatnonzero(weights).astype(np.int32)
    members: dict[str, list[int]] = {}
    own = set(decoder.model_features(corpus[0]))
    for feature, plugin in zip(used.tolist(), decoder.families(used), strict=True):
        name = decoder.weights.name(feature)
        if plugin or name in own:  # else it did not fire
            members.setdefault(plugin or name, []).append(feature)
    chosen = {name for name in members if not only or any(fnmatchcase(name, pattern) for pattern in only)}
    if not chosen:
        raise InputError(f"expected a family like {' or '.join(only)}, got {', '.join(sorted(members))}")
    ranked = []
    for family, features in members.items():
        if family not in chosen:
            continue
        reduced = weights.copy()
        reduced[features] = 0.0
        with decoder.weights.replaced(reduced):
            without = translate(False)
        sides = (without, complete) if metric.higher_is_better else (complete, without)
        loss = paired_bootstrap(*sides, metric).delta
        worth = FamilyWorth(
            family=family,
            weights=len(features),
            mass=float(np.abs(weights[features]).sum()),
            decides=_decides(pairs, weights, reduced),
            metric=metric.name,
            score=float(metric.score(without.sum(axis=0))),
            loss=(loss.value, loss.lower, loss.upper),
        )
        on_family(worth)
        ranked.append(worth)
    return sorted(ranked, key=lambda worth: (-worth.loss[0], worth.family))


def family_table(families: Iterable[FamilyWorth]) -> Table:
    """Return families as a table."""
    families = list(families)
    metric = families[0].metric if families else "score"
    columns = ("family", "weights", "mass", "decides %", f"{metric} without", "loss", "from", "to")
    rows: list[tuple[Cell, ...]] = [
        (
            *(one.family, one.weights, one.mass),
            None if one.decides is None else round(100 * one.decides, 1),
            *(round(value, 2) for value in (one.score, *one.loss)),
        )
        for one in families
    ]
    return Table(columns, rows)


def write_families(folder: Path, families: Sequence[FamilyWorth]) -> None:
    """Write families to the folder of a run, for its report."""
    with written_whole(folder / FAMILIES) as path:
        path.write_text(json.dumps([asdict(one) for one in families], indent=1) + "\n", "utf-8")


def read_families(folder: Path) -> list[FamilyWorth]:
    """Read what `write_families` wrote; nothing if there is no file."""
    path = folder / FAMILIES
    if not path.exists():
        return []
    try:
        saved = parse_json(path.read_text("utf-8"), finite=True)
        found: list[FamilyWorth] = from_json(list[FamilyWorth], saved, "families")
        for one in found:
            f"{one.family}{one.metric}".encode()  # fails for half of a surrogate pair
        return found
    except (ValueError, OverflowError) as error:
        message = f"expected a file that hopefear features wrote: {error}; remove the file to go on without"
        raise InputError(message, path=path) from None


def _decides(pairs: Sequence[tuple[KBestList, KBestList]], weights: Floats, reduced: Floats) -> float | None:
    """Count in how many pairs hope is above fear with only one of two vectors of weights."""
    if not pairs:
        return None
    changed = 0
    for hope, fear in pairs:
        above, still = (hope.scores(one)[0] > fear.scores(one)[0] for one in (weights, reduced))
        changed += above != still
    return changed / len(pairs)

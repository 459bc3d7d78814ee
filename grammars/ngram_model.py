"""n-gram models with interpolated modified Kneser-Ney smoothing, estimated from counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.base.errors import InputError

from .ngram_counts import BOS, EOS, NgramCounts

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _NgramsOfLength:
    """The n-grams of one length, sorted by their last words; unigrams are the whole vocabulary."""

    first: Ints
    suffix: Ints
    context: Ints
    occurrences: Ints


@dataclass(frozen=True, eq=False)
class ModelLevel:
    """A model's n-grams of one length, sorted by the last word, then by the word before it, and so on."""

    first: Ints
    suffix: Ints
    probability: Floats
    backoff: Floats


@dataclass(frozen=True, eq=False)
class NgramModel:
    """A back-off n-gram model."""

    words: tuple[str, ...]
    levels: tuple[ModelLevel, ...]


def estimate(
    counts: NgramCounts, *, prune: Sequence[int] = (), fallback: Sequence[float] | None = None
) -> NgramModel:
    """Estimate a model with interpolated modified Kneser-Ney smoothing (Chen and Goodman 1998, section 3).

    The numbers are those of KenLM's lmplz (Heafield et al. 2013, section 3): unigrams are interpolated with
    the uniform distribution over all words, ``</s>`` and ``<unk>``, and n-grams that begin with ``<s>`` keep
    their counts at every length. n-grams with at most as many occurrences as the threshold in `prune` of
    their length are left out, and their probability goes to the backoff of their context; the last threshold
    holds for all longer n-grams. `fallback` has the discounts of counts 1, 2, and 3 and more, for lengths
    whose discounts cannot be estimated; the last holds for higher counts.
    """
    thresholds = _thresholds(prune, counts.order)
    replacement = None if fallback is None else _fallback(fallback)
    if not len(counts.ngrams):
        raise InputError("expected a text to estimate an n-gram model from, got no lines")
    levels = _levels(counts)
    kept = [level.occurrences > threshold for level, threshold in zip(levels, thresholds, strict=True)]
    kept[0][: EOS + 1] = True  # <unk>, <s> and </s>
    probability = np.array([1 / (kept[0].sum() - 1)])  # uniform over all words but <s>
    estimated: list[ModelLevel] = []
    for order, (level, keep) in enumerate(zip(levels, kept, strict=True), 1):
        adjusted = _adjusted(level, levels[order] if order < counts.order else None)
        discounts = _discounts(adjusted, order, replacement)
        probability, backoff = _interpolated(level, adjusted, discounts, keep, probability)
        if order == 1:
            probability[BOS] = 1  # <s> is given, not predicted
        else:
            estimated[-1].backoff[:] = backoff
        estimated.append(ModelLevel(level.first, level.suffix, probability, np.ones(len(keep))))
    return NgramModel(counts.words, tuple(_pruned(estimated, kept)))


def _levels(counts: NgramCounts) -> list[_NgramsOfLength]:
    """Find the n-grams of every length: unigrams, bigrams and so on."""
    rows, size = counts.ngrams, len(counts.words)
    last = rows[:, -1].astype(np.int64)
    occurrences = np.bincount(last, counts.counts, size).astype(np.int64)
    zeros = np.zeros(size, np.int64)
    levels = [_NgramsOfLength(np.arange(size), zeros, zeros, occurrences)]
    shorter = last  # for each row the index of the last `order - 1` words in the level below
    new = np.ones(len(rows), bool)  # whether the n-gram differs from that of the row before
    new[1:] = last[1:] != last[:-1]
    for order in range(2, counts.order + 1):
        below = levels[-1]
        new[1:] |= rows[1:, -order] != rows[:-1, -order]
        begins = np.flatnonzero(new)
        occurrences = np.add.reduceat(counts.counts, begins)
        whole = rows[begins, 1 - order] != BOS  # symbols before <s> are padding
        begins, occurrences = begins[whole], occurrences[whole]
        first, suffix = rows[begins, -order].astype(np.int64), shorter[begins]
        # The context's suffix is the suffix's context, and the context's first word is the n-gram's.
        context = first
        if order > 2:
            context = np.searchsorted(below.suffix * size + below.first, below.context[suffix] * size + first)
        levels.append(_NgramsOfLength(first, suffix, context, occurrences))
        begun = np.zeros(len(rows), np.int64)
        begun[begins] = 1
        shorter = np.cumsum(begun) - 1
    return levels


def _adjusted(level: _NgramsOfLength, longer: _NgramsOfLength | None) -> Ints:
    """Count the different words before each n-gram (Heafield et al. 2013, section 3.2)."""
    # The longest n-grams, and n-grams that begin with <s>, have their numbers of occurrences.
    if longer is None:
        return level.occurrences
    preceding = np.bincount(longer.suffix, minlength=len(level.first))
    return np.where(level.first == BOS, level.occurrences, preceding)


def _interpolated(
    level: _NgramsOfLength, adjusted: Ints, discounts: Floats, keep: Bools, shorter: Floats
) -> tuple[Floats, Floats]:
    """Return the probabilities of n-grams, from those one word shorter, and the contexts' backoffs."""
    discount = discounts[np.minimum(adjusted, len(discounts) - 1)]
    contexts = len(shorter)
    total = np.bincount(level.context, adjusted, contexts)
    rest = np.bincount(level.context, np.where(keep, discount, adjusted), contexts)
    backoff = np.divide(rest, total, out=np.ones(contexts), where=total > 0)
    discounted = (adjusted - discount) / total[level.context]
    return discounted + backoff[level.context] * shorter[level.suffix], backoff


def _pruned(levels: list[ModelLevel], kept: list[Bools]) -> list[ModelLevel]:
    """Remove n-grams; the suffix of each kept n-gram is kept, too."""
    out = []
    places = np.zeros(1, np.int64)
    for level, keep in zip(levels, kept, strict=True):
        suffix = places[level.suffix[keep]]
        out.append(ModelLevel(level.first[keep], suffix, level.probability[keep], level.backoff[keep]))
        places = np.cumsum(keep) - 1
    return out


def _discounts(adjusted: Ints, order: int, fallback: Floats | None) -> Floats:
    """Estimate the discounts of counts 0 to 3 and more (Chen and Goodman 1998, equation 26)."""
    n = np.bincount(np.minimum(adjusted, 5), minlength=5)
    discounts = np.zeros(4)
    reason = ""
    for count in (1, 2, 3):
        if not n[count]:
            reason = f"there are none with adjusted count {count}"
            break
        discounts[count] = count - (count + 1) * n[1] / (n[1] + 2 * n[2]) * n[count + 1] / n[count]
        if not 0 <= discounts[count] <= count:
            reason = f"that of adjusted count {count} would be {discounts[count]:.3g}"
            break
    if not reason:
        return discounts
    if fallback is not None:
        return fallback
    raise InputError(
        f"cannot estimate the discounts of {order}-grams: {reason}. Take more text, remove repeated lines, "
        "or give fallback discounts (KenLM's are 0.5 1 1.5)"
    )


def _thresholds(prune: Sequence[int], order: int) -> list[int]:
    """Check pruning thresholds, and return one for each order."""
    thresholds = list(prune) or [0]
    if len(thresholds) > order:
        raise InputError(f"expected at most {order} pruning thresholds, got {len(thresholds)}")
    if thresholds[0] < 0 or sorted(thresholds) != thresholds:
        raise InputError(f"expected pruning thresholds from 0 that do not decrease, got {thresholds}")
    return thresholds + thresholds[-1:] * (order - len(thresholds))


def _fallback(discounts: Sequence[float]) -> Floats:
    """Check fallback discounts, and return those of counts 0 to 3 and more."""
    if not 1 <= len(discounts) <= 3:
        raise InputError(f"expected one to three fallback discounts, got {len(discounts)}")
    three = [*discounts, *[discounts[-1]] * (3 - len(discounts))]
    for count, discount in enumerate(three, 1):
        if not 0 <= discount <= count:
            raise InputError(f"expected a fallback discount of count {count} in [0, {count}], got {discount}")
    return np.array([0.0, *three])

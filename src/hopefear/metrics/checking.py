"""`check_metric`: a suite of checks that every metric passes, built-in ones and yours.

1. ``signature``: a text without blanks, which differs between metrics of different settings.
2. ``statistics``: float64, finite, of shape ``(size,)``, and equal for equal sentences.
3. ``batch``: many hypotheses have the statistics of each, also as numbers of words.
4. ``scores``: those of many sums are those of each, and the sum of nothing has a finite score.
5. ``order``: a translation equal to its reference is at least as good as any other.
6. ``processes``: the metric can be pickled, and its copy is equal to it.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np

from hopefear.base.errors import ForeignCode
from hopefear.base.texts import split_words

from .base import Metric, MetricError

_REFERENCES = (
    ("the red house is big", "a red home is big"),
    ("yes",),
    ("he said that he came , and that he saw", "he said he came and saw"),
    ("ñandú 7 = ; ||| \U0001f600",),
)
_HYPOTHESES = ("the red house is big", "the house red", "yes", "no no no no no no", "he said", "7 ñandú", "")


def check_metric(metric: Metric) -> None:
    """Check that a metric has the properties that tuners, significance tests and reports rely on.

    Parameters
    ----------
    metric : Metric
        A metric of words or characters.

    Raises
    ------
    MetricError
        ``NAME: check CHECK: what is wrong``.

    Examples
    --------
    >>> from hopefear.metrics import Bleu
    >>> check_metric(Bleu())
    """
    for check in (_signature, _statistics, _batch, _scores, _order, _processes):
        _run(check, metric)


def _run(check: Callable[[Metric], None], metric: Metric) -> None:
    kind = type(metric)
    name = check.__name__.removeprefix("_")
    where = f"{kind.__name__}: check {name}"
    try:
        with ForeignCode(kind, lambda what: MetricError(f"{where}: {what}"), MetricError, _Failed):
            check(metric)
    except _Failed as failed:
        raise MetricError(f"{where}: {failed}") from None
    except MetricError as error:
        if str(error).startswith(where):
            raise
        raise MetricError(f"{where}: {error}") from error


class _Failed(Exception):
    """A check's own finding."""


def _must(holds: object, otherwise: str) -> None:
    if not holds:
        raise _Failed(otherwise)


def _signature(metric: Metric) -> None:
    signature = metric.signature()
    _must(
        isinstance(signature, str) and len(split_words(signature)) == 1,
        f"expected words without blanks, got {signature!r}",
    )
    _must(metric.name, f"expected a name before the first |, got {signature!r}")


def _statistics(metric: Metric) -> None:
    for references in _REFERENCES:
        metric = metric.for_corpus(_REFERENCES)
        prepared = metric.prepare(references)
        for hypothesis in _HYPOTHESES:
            found = prepared.stats(hypothesis)
            form = f"{found.dtype} of shape {found.shape}" if isinstance(found, np.ndarray) else repr(found)
            right = (
                isinstance(found, np.ndarray) and found.dtype == np.float64 and found.shape == (metric.size,)
            )
            _must(right, f"expected float64 of shape ({metric.size},), got {form}")
            _must(np.isfinite(found).all(), f"expected finite statistics of {hypothesis!r}, got {found}")
            again = metric.prepare(references).stats(tuple(split_words(hypothesis)))
            _must(np.array_equal(found, again), f"{hypothesis!r} has {found} at first, then {again}")


def _batch(metric: Metric) -> None:
    metric = metric.for_corpus(_REFERENCES)
    hypotheses = [split_words(hypothesis) for hypothesis in _HYPOTHESES]
    words = list(dict.fromkeys(word for hypothesis in hypotheses for word in hypothesis))
    indptr = np.cumsum([0, *map(len, hypotheses)]).astype(np.int64)
    numbers = np.array([words.index(word) for hypothesis in hypotheses for word in hypothesis], np.int32)
    for references in _REFERENCES:
        prepared = metric.prepare(references)
        each = np.stack([prepared.stats(hypothesis) for hypothesis in hypotheses])
        many = (prepared.batch(hypotheses), prepared.batch_of_numbers(words, indptr, numbers))
        for found, name in zip(many, ("batch", "batch_of_numbers"), strict=True):
            _must(np.array_equal(found, each), f"{name} differs from stats of each hypothesis")


def _scores(metric: Metric) -> None:
    references = [_REFERENCES[i % len(_REFERENCES)] for i in range(len(_HYPOTHESES))]
    rows = metric.for_corpus(references).corpus_stats(_HYPOTHESES, references)
    sums = np.stack([rows, rows.cumsum(axis=0)])
    scores = metric.scores(sums)
    _must(scores.shape == sums.shape[:-1], f"expected scores of shape {sums.shape[:-1]}, got {scores.shape}")
    _must(np.isfinite(scores).all(), f"expected finite scores, got {scores}")
    each = np.array([[metric.score(row) for row in part] for part in sums])
    _must(np.allclose(scores, each), "scores of many sums differ from the score of each")
    nothing = metric.score(np.zeros(metric.size))
    _must(np.isfinite(nothing), f"expected a finite score of no sentences, got {nothing}")


def _order(metric: Metric) -> None:
    metric = metric.for_corpus(_REFERENCES)
    for references in _REFERENCES:
        prepared = metric.prepare(references)
        best, *others = metric.quality(prepared.batch([references[0], *_HYPOTHESES])).tolist()
        worse = [text for text, other in zip(_HYPOTHESES, others, strict=True) if other > best + 1e-9]
        _must(not worse, f"{worse[:1]} is better than the reference {references[0]!r}: see higher_is_better")


def _processes(metric: Metric) -> None:
    copy = pickle.loads(pickle.dumps(metric))
    _must(copy == metric, "a copy of another process is not equal: make the class a frozen dataclass")
    _must(hash(copy) == hash(metric), "a copy of another process has another hash")

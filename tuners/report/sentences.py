"""The sentences of a tuning run before and after it, for its report."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError, ParseFailed
from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.base.texts import shortened
from hopefear.decoder import Segment, Translator
from hopefear.decoder.views import compare, derivation_tree
from hopefear.metrics import Bleu, Metric

from ..contract import TuningError
from ..online import Mira
from ..pool import grounded_metric

SENTENCES = "sentences.jsonl.gz"
"""The name of the file in the folder of a run."""

_TOGETHER = 50  # sentences; to set all weights takes as long as some translations
_FEATURES = 12  # that tell the translation from hope
_GREATEST = 1e300  # numbers in a page

_TEXTS, _SCORES = ("source", "before", "after"), ("before_score", "after_score", "score")


class Progress(Protocol):
    """What is told of each sentence, such as a `ProgressBar`."""

    def update(self) -> None:
        """Count a sentence."""


def sentence_records(
    decoder: Translator,
    corpus: Sequence[Segment],
    before: NDArray[np.float64],
    metric: Metric | None,
    progress: Progress,
) -> Iterator[dict[str, Any]]:
    """Translate sentences with the weights of before and with the decoder's.

    Sentences that fail are left out.

    Parameters
    ----------
    decoder : Translator
        The decoder, with the learned weights, which it also has in the end.
    corpus : sequence of Segment
        With references.
    before : array of float64, shape (features,)
        Weights by feature number.
    metric : Metric or None
        The metric of the run, BLEU if it is None; sentences are scored by `grounded_metric` of it.
    progress : Progress
        Counts the sentences.

    Yields
    ------
    dict
        What JSON can hold, with texts as written if the segment is, and then ``written``: id, source,
        references; translation and score before and after; if the metric is BLEU of order 4, the first hope
        and fear translations and the features in which the translation differs from hope; the derivation of
        the translation.
    """
    sentence_metric = grounded_metric(metric or Bleu())
    mira = Mira()
    for segment, first in _translated_before(decoder, corpus, before):
        progress.update()
        try:
            if first is None:
                continue
            forest = decoder.translate(segment).forest
        except (ParseFailed, InputError):
            continue
        best = forest.best()
        text, weights = forest.text(best), decoder.last_weights
        prepared = sentence_metric.prepare(segment.references)
        scores = [float(sentence_metric.score(row)) for row in prepared.batch([first.words, text])]
        source, references = " ".join(segment.tokens or ()), segment.references
        if segment.written is not None:
            source, references = segment.written.text, segment.written.references
        record: dict[str, Any] = {
            "id": segment.id,
            **({} if segment.written is None else {"written": True}),
            "source": source,
            "references": list(references),
            "before": first.text,
            "after": forest.written(best),
            "before_score": scores[0],
            "after_score": scores[1],
            "score": forest.score(best),
            "derivation": derivation_tree(forest, best, weights).record(),
        }
        try:
            found = mira.hypotheses(decoder, forest, segment)
        except (InputError, TuningError):
            pass  # nothing to learn from this sentence: the row has no hope and no fear
        else:
            both = compare(forest, best, found.hope, names=("best", "hope"), weights=weights)
            record |= {
                "hope": forest.restored_words(found.hope.texts[0]).text,
                "fear": forest.restored_words(found.fear.texts[0]).text,
                "differences": both.table(_FEATURES).records(),
            }
        yield record


class _Before(NamedTuple):
    """The target words of a translation before the run, and its text."""

    words: str
    text: str


def _translated_before(
    decoder: Translator, corpus: Sequence[Segment], before: NDArray[np.float64]
) -> Iterator[tuple[Segment, _Before | None]]:
    """Translate with the weights of before, which are set once for many sentences; None if one fails."""
    for begin in range(0, len(corpus), _TOGETHER):
        some = corpus[begin : begin + _TOGETHER]
        texts: list[_Before | None] = []
        with decoder.weights.replaced(before):
            for segment in some:
                try:
                    found = decoder.translate(segment).forest
                    texts.append(_Before(found.viterbi(), found.written()))
                except (ParseFailed, InputError):
                    texts.append(None)
        yield from zip(some, texts, strict=True)


def write_sentences(folder: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write what `sentence_records` returns to the folder of a run."""
    with written_whole(folder / SENTENCES) as path, gzip.open(path, "wt", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def read_sentences(folder: Path) -> list[dict[str, Any]]:
    """Read what `write_sentences` wrote; nothing if there is no file.

    Raises
    ------
    InputError
        The file is damaged.
    """
    path = folder / SENTENCES
    if not path.exists():
        return []
    records: list[dict[str, Any]] = []
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = parse_json(line)
                _check(record)
                records.append(record)
    except (ValueError, OSError, EOFError, zlib.error) as error:
        message = f"expected the sentences of a run: {error}; remove the file to go on without"
        raise InputError(message, path=path, line=len(records) + 1) from None
    return records


def _check(record: Any) -> None:
    """Refuse what the page of a report could not show.

    Raises
    ------
    ValueError
        A value is missing or of another kind.
    """
    record = _mapping(record)
    _expect(str, *(record.get(name) for name in _TEXTS), *_list(record.get("references")))
    _expect((int, float), *(record.get(name) for name in _SCORES))
    _expect((int, str), record.get("id"))
    if "hope" in record:
        _expect(str, record["hope"], record.get("fear"))
        for row in _list(record.get("differences")):
            _expect((int, float, str), *_mapping(row).values())
    nodes = [record.get("derivation")]
    while nodes:
        node = _mapping(nodes.pop())
        _expect(str, *(node.get(name) for name in ("category", "source", "target", "text")))
        _expect((int, float), node.get("score"))
        _expect(int, *_list(node.get("span")))
        for one in map(_mapping, _list(node.get("features"))):
            _expect(str, one.get("feature"))
            _expect((int, float), one.get("value"), one.get("weight"))
        nodes += _list(node.get("children"))


def _mapping(value: Any) -> dict[str, Any]:
    _expect(dict, value)
    return dict(value)


def _list(value: Any) -> list[Any]:
    _expect(list, value)
    return list(value)


def _expect(kind: type | tuple[type, ...], *values: Any) -> None:
    for value in values:
        infinite = isinstance(value, (int, float)) and not -_GREATEST < value < _GREATEST
        if not isinstance(value, kind) or isinstance(value, bool) or infinite:
            raise ValueError(f"got {shortened(repr(value))}")

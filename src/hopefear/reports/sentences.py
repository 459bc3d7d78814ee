"""The sentences of a tuning run before and after it, for its report."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol

from msgspec import Meta

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.base.files import written_whole
from hopefear.base.lines import each_line
from hopefear.base.stored import parse_json
from hopefear.base.texts import shortened
from hopefear.base.typed import typed
from hopefear.decoder import Decoder, Derivation, Hypergraph, Segment, Translator
from hopefear.decoder.views import compare, derivation_tree, tree_of_words
from hopefear.metrics import Bleu, Metric
from hopefear.parallel import in_threads
from hopefear.tuners import Mira
from hopefear.tuners.contract import TuningError
from hopefear.tuners.pool import grounded_metric

from .change import RunChange, write_change

SENTENCES = "sentences.jsonl.gz"
"""The name of the file in the folder of a run."""

LEARNABLE = 20
"""So many sentences have hope and fear, which take longer than both translations."""

DERIVATIONS = ("derivation", "hope_derivation", "fear_derivation")
"""The names of derivations in a record: of the translation, which each has, of hope and of fear."""

_TOGETHER = 50  # sentences; to set all weights takes as long as some translations
_FEATURES = 12  # that tell the translation from hope


class SentenceCounter(Protocol):
    """What is told of each sentence, such as a `ProgressBar`."""

    def update(self) -> None:
        """Count a sentence."""


Finite = Annotated[float, Meta(gt=-1e300, lt=1e300)]
"""A number that a page can show."""


@dataclass
class _StoredFeature:
    feature: str
    value: Finite
    weight: Finite


@dataclass
class _Node:
    """A node of a stored derivation; runs before there were drawings have no items."""

    category: str
    span: list[int]
    source: str
    target: str
    text: str
    score: Finite
    features: list[_StoredFeature]
    children: list[_Node]
    items: list[str | int] | None = None
    words: list[tuple[list[int], str]] = field(default_factory=list)

    def check(self) -> None:
        """Refuse items that do not name each child once."""
        nodes = [self]
        while nodes:
            node = nodes.pop()
            nodes += node.children
            places = sorted(item for item in node.items or () if isinstance(item, int))
            if node.items is not None and places != [*range(1, len(node.children) + 1)]:
                raise ValueError(f"got places {shortened(repr(places))}")


@dataclass
class _Stored:
    """What the page of a report can show of a sentence."""

    id: int | str
    source: str
    references: list[str]
    before: str
    after: str
    before_score: Finite
    after_score: Finite
    score: Finite
    derivation: _Node
    hope_derivation: _Node | None = None
    fear_derivation: _Node | None = None
    hope: str = ""
    fear: str = ""
    differences: list[dict[str, Finite | str]] = field(default_factory=list)


def sentence_records(
    decoder: Translator,
    corpus: Sequence[Segment],
    before: Floats,
    metric: Metric | None,
    progress: SentenceCounter,
    *,
    threads: int = 1,
) -> Iterator[dict[str, Any]]:
    """Translate sentences with the weights of before and with the decoder's.

    Sentences that fail are left out.
    """
    task = _Again(decoder, (metric or Bleu()).for_corpus([segment.references for segment in corpus]))
    with in_threads(threads) as executor:
        for begin in range(0, len(corpus), _TOGETHER):
            some = [*enumerate(corpus[begin : begin + _TOGETHER], begin)]
            with decoder.weights.replaced(before):
                first = [*executor.map(task.before, (segment for _, segment in some))]
            for record in executor.map(task.after, zip(some, first, strict=True)):
                progress.update()
                if record is not None:
                    yield record


class _Before(NamedTuple):
    """The target words of a translation before the run, and its text."""

    words: str
    text: str


class _Again:
    """Translates sentences again, in several threads."""

    def __init__(self, decoder: Translator, metric: Metric) -> None:
        self._decoder, self._metric = decoder, metric
        self._sentence_metric = grounded_metric(metric)
        self._of_thread = threading.local()  # a tuner that finds hope and fear

    def before(self, segment: Segment) -> _Before | None:
        """Translate a sentence; None if that fails."""
        forest = self._forest(segment)
        return None if forest is None else _Before(forest.viterbi(), forest.written())

    def _forest(self, segment: Segment) -> Hypergraph | None:
        with suppress(InputError):
            return self._decoder.translate(segment).forest
        return None

    def after(self, given: tuple[tuple[int, Segment], _Before | None]) -> dict[str, Any] | None:
        """Return the record of a sentence; None if that fails."""
        (number, segment), first = given
        forest = None if first is None else self._forest(segment)
        if first is None or forest is None:
            return None
        best = forest.best()
        words, weights = forest.text(best), self._decoder.last_weights
        both = [first.words, words]
        rows = self._sentence_metric.prepare(segment.references).batch(both)
        source, references = " ".join(segment.tokens or ()), segment.references
        record: dict[str, Any] = {}
        if segment.written is not None:
            record |= {"written": True, "words": [*both, list(references)]}
            source, references = segment.written.text, segment.written.references
        return {
            **record,
            "id": segment.number,
            "source": source,
            "references": list(references),
            "before": first.text,
            "after": forest.written(best),
            "before_score": float(self._sentence_metric.score(rows[0])),
            "after_score": float(self._sentence_metric.score(rows[1])),
            "statistics": self._metric.prepare(segment.references).batch(both).tolist(),
            "score": forest.score(best),
            "derivation": derivation_tree(forest, best, weights).record(),
            **(self._oracle(forest, segment, best) if number < LEARNABLE else {}),
        }

    def _derivations(self, segment: Segment, texts: dict[str, str]) -> dict[str, Any]:
        """Return derivations of words, by names such as ``hope_derivation``."""
        decoder, found = self._decoder, dict[str, Any]()
        if isinstance(decoder, Decoder):
            for name, words in texts.items():
                with suppress(InputError):
                    tree = tree_of_words(decoder, segment, words, decoder.last_weights)
                    if tree is not None:
                        found[f"{name}_derivation"] = tree.record()
        return found

    def _oracle(self, forest: Hypergraph, segment: Segment, best: Derivation) -> dict[str, Any]:
        """Return hope and fear; nothing if there is nothing to learn from the sentence."""
        if not hasattr(self._of_thread, "mira"):
            self._of_thread.mira = Mira.paper()
        try:
            found = self._of_thread.mira.hypotheses(self._decoder, forest, segment)
        except (InputError, TuningError):
            return {}
        weights = self._decoder.last_weights
        both = compare(forest, best, found.hope, names=("best", "hope"), weights=weights)
        return {
            **self._derivations(segment, {"hope": found.hope.texts[0], "fear": found.fear.texts[0]}),
            "hope": forest.restored_words(found.hope.texts[0]).text,
            "fear": forest.restored_words(found.fear.texts[0]).text,
            "differences": both.table(_FEATURES).records(),
        }


def translate_again(
    folder: Path,
    decoder: Translator,
    corpus: Sequence[Segment],
    before: Floats,
    metric: Metric | None,
    progress: SentenceCounter,
    *,
    name: str,
    most: int | None = None,
    threads: int = 1,
) -> None:
    """Write the sentences of a run, and what the run changed, to its folder."""
    records = [*sentence_records(decoder, corpus[:most], before, metric, progress, threads=threads)]
    write_sentences(folder, records)
    change = RunChange.of_records(records, corpus, metric, name)
    if change is not None:
        write_change(folder, change)


def write_sentences(folder: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write what `sentence_records` returns to the folder of a run."""
    with written_whole(folder / SENTENCES) as path, gzip.open(path, "wt", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def read_sentences(folder: Path) -> list[dict[str, Any]]:
    """Read what `write_sentences` wrote; nothing if there is no file."""
    path = folder / SENTENCES
    if not path.exists():
        return []
    records: list[dict[str, Any]] = []
    try:
        for line in each_line(path):
            record = parse_json(line, finite=True)
            _check(record)
            records.append(record)
    except ValueError as error:
        message = f"expected the sentences of a run: {error}; remove the file to go on without"
        raise InputError(message, path=path, line=len(records) + 1) from None
    return records


def _check(record: Any) -> None:
    """Refuse what the page of a report could not show."""
    stored = typed(_Stored, record)
    if "hope" in record and not {"fear", "differences"} <= record.keys():
        raise ValueError("expected fear and differences beside hope")
    for derivation in (stored.derivation, stored.hope_derivation, stored.fear_derivation):
        if derivation is not None:
            derivation.check()

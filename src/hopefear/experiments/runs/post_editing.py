"""Simulated post-editing (Denkowski, Dyer & Lavie 2014): references are the corrections of a live session."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hopefear.decoder import Segment, Translation, Translator, Weights, attempt
from hopefear.live import AdaptingDecoder, LiveSession, Shown
from hopefear.live.experts import LEARNED
from hopefear.metrics import Bleu
from hopefear.tuners.catalogue import make_learner
from hopefear.tuners.contract import Can, Record, measuring

from ..plan import NONE


class TestedText(NamedTuple):
    """A translation, empty if there is none."""

    words: str = ""
    text: str = ""

    @classmethod
    def of(cls, found: Translation, segment: Segment) -> TestedText:
        """Return the best translation of a segment."""
        words = found.viterbi()
        return cls(words, words if segment.written is None else found.forest.written())


def post_edit(
    decoder: AdaptingDecoder,
    learn: str,
    corpus: Sequence[Segment],
    expert: str | None = LEARNED,
    documents: Sequence[int] | None = None,
) -> Iterator[TestedText]:
    """Translate sentences in their order; a new session learns from each one before the next."""
    session = _new_session(decoder, learn, decoder.weights, expert)
    yield from _translated(session, corpus, documents)


def _new_session(
    decoder: AdaptingDecoder, learn: str, weights: Weights, expert: str | None = LEARNED
) -> LiveSession:
    """Make a session that begins with weights."""
    tuner: Any = _Nothing() if learn == NONE else make_learner(learn)
    return LiveSession(decoder, tuner, weights=weights, expert=expert)


def _translated(
    session: LiveSession, corpus: Sequence[Segment], documents: Sequence[int] | None = None
) -> Iterator[TestedText]:
    for index, segment in enumerate(corpus):
        document = None if documents is None else documents[index]
        output = TestedText()
        with attempt(session.decoder, segment):
            output = TestedText.of(session.translate(segment, document), segment)
        yield output
        place = None if document is None else (document, index)
        error = session.correct(segment, Shown(output.text, place=place)).error
        if error is not None:
            raise error


class Rehearsals:
    """Learns the weights in passes of simulated post-editing over the set to learn from."""

    can: ClassVar[Can] = Can(0)

    def __init__(self, learn: str) -> None:
        self._learn = learn
        tuner: Any = make_learner(learn)  # an online tuner, which has passes
        self._passes: int = tuner.passes
        self.passes_: list[Record] = []
        self.weights_: dict[str, float] = {}

    def fit(self, decoder: Translator, corpus: Sequence[Segment], **options: Any) -> None:
        """Learn the weights, which the decoder then has; the options of other tuners have no effect."""
        assert isinstance(decoder, AdaptingDecoder)
        self.passes_.clear()
        metric, references = Bleu(), [segment.references for segment in corpus]
        weights = decoder.weights
        for number in range(1, self._passes + 1):
            begin, texts = time.process_time(), []
            total = np.zeros(0)
            session = _new_session(decoder, self._learn, weights)
            weights = session.weights
            for text, _ in _translated(session, corpus):
                texts.append(text)
                now = weights.array
                total = np.pad(total, (0, len(now) - len(total))) + now
            with measuring(*corpus):
                statistics = metric.corpus_stats(texts, references)
            self.passes_.append(
                Record(
                    pass_number=number,
                    metric=metric.name,
                    score=metric.score(statistics.sum(axis=0)),
                    skipped=texts.count(""),
                    seconds=time.process_time() - begin,
                )
            )
        decoder.weights.replace(total / len(corpus))
        self.weights_ = decoder.weights.nonzero()


class _Nothing:
    """A tuner of a session whose weights stay."""

    def partial_fit(self, *ignored: object) -> None:
        """Change nothing."""

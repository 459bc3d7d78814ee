"""The sentences of a plan's sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hopefear.base import InputError
from hopefear.base.lines import read_texts
from hopefear.decoder import Segment
from hopefear.decoder.lengths import LEARNED_MAX_WORDS
from hopefear.plugins import Annotations, annotate
from hopefear.plugins.corpus import read_corpus

from ..plan import ALL, SentenceSet
from .decoders import open_build, text_system


def read_set(sentences: SentenceSet, *, size: int = ALL, draw: int = 0) -> Sequence[Segment]:
    """Read a set, or a random part of it."""
    if sentences.text:
        build = open_build(sentences.source)
        drawn = None if size == ALL else size
        annotations = Annotations(**sentences.annotation_files)
        return build.training_text(
            sentences=drawn, seed=draw, max_words=LEARNED_MAX_WORDS, annotations=annotations
        )
    corpus = read_corpus(sentences.source, sentences.references)
    text = text_system(sentences)
    if text is not None:
        corpus = list(map(text.prepare, corpus))
    corpus = list(annotate(corpus, **sentences.annotation_files))
    if sentences.lines is not None:
        first, end = sentences.lines
        if end > len(corpus):
            raise InputError(f"expected at least {end} lines, got {len(corpus)}", path=sentences.source)
        corpus = corpus[first:end]
    corpus = _drawn(sentences, corpus, sentences.sample, 0)
    return _drawn(sentences, corpus, size, draw)


def read_documents(sentences: SentenceSet) -> list[int] | None:
    """Read the number of the document of each sentence of a set; None if the plan names no documents."""
    if not isinstance(sentences.documents, Path):
        return None
    names, count = read_texts(sentences.documents), len(read_texts(sentences.source))
    if len(names) != count:
        raise InputError(f"expected {count} lines, got {len(names)}", path=sentences.documents)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names), 1)}
    return [numbers[name] for name in names[slice(*(sentences.lines or (None,)))]]


def in_drawn_order(documents: Sequence[int], seed: int) -> list[int]:
    """List the places of sentences with their documents in the order that a seed draws; 0 draws none."""
    order = list(dict.fromkeys(documents))
    if seed:
        order = np.random.default_rng([seed, len(order)]).permutation(order).tolist()
    place = {document: at for at, document in enumerate(order)}
    return sorted(range(len(documents)), key=lambda i: place[documents[i]])


def _drawn(sentences: SentenceSet, corpus: list[Segment], size: int, draw: int) -> list[Segment]:
    if size == ALL:
        return corpus
    if size > len(corpus):
        raise InputError(f"expected at least {size} sentences, got {len(corpus)}", path=sentences.source)
    chosen = np.random.default_rng([draw, len(corpus)]).permutation(len(corpus))[:size]
    return [corpus[i] for i in np.sort(chosen)]

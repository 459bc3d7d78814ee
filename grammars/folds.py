"""Training data in folds: each fold is translated with models that were built from the other folds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from hopefear.base import InputError
from hopefear.base.lines import read_lines
from hopefear.base.texts import BLANK, split_words
from hopefear.decoder import Config, FeatureSelection, Segment, Weights, read_config
from hopefear.decoder.lengths import MAX_WORDS

from .extracting_decoder import ExtractingDecoder, LeaveOneOutDecoder
from .extractor import GrammarExtractor


def fold_name(index: int) -> str:
    """Return the name of a fold's folder, by its index from 0."""
    return f"fold-{index + 1}"


def deal(sentences: int, folds: int) -> list[range]:
    """Divide sentences into contiguous folds whose sizes differ by at most one; no folds for 0."""
    if folds == 1 or folds > sentences:
        raise InputError(f"expected 0 folds, or 2 to {sentences} (one per sentence), got {folds}")
    ends = [sentences * index // folds for index in range(folds + 1)] if folds else []
    return [range(*ends[index : index + 2]) for index in range(folds)]


class TrainingSegments:
    """Sentence pairs of a parallel text, read again at each iteration; ids are indices in the text."""

    def __init__(self, source: Path, target: Path, sentences: range, fingerprint: str) -> None:
        self._source, self._target = source, target
        self.sentences = sentences
        self.fingerprint = f"{fingerprint} {sentences.start}-{sentences.stop}"

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[Segment]:
        pairs = zip(read_lines(self._source), read_lines(self._target), strict=False)
        ours = islice(pairs, self.sentences.start, self.sentences.stop)
        for place, ((where, source), (_, target)) in zip(self.sentences, ours, strict=True):
            yield Segment(
                tuple(split_words(source)),
                id=place,
                index=place,
                references=(target.strip(BLANK),),
                where=where,
            )


@dataclass(frozen=True)
class TrainingFold:
    """A fold of the parallel text, and the models that were built from the other folds."""

    folder: Path
    segments: TrainingSegments
    extractor: Callable[[], GrammarExtractor]

    @property
    def sentences(self) -> range:
        """The indices of the fold's sentence pairs in the text."""
        return self.segments.sentences

    @property
    def config(self) -> Config:
        """The configuration, with the n-gram model of the other folds and without a grammar."""
        return read_config(self.folder / "cdec.ini")

    def decoder(
        self,
        *,
        weights: Weights | str | os.PathLike[str] | dict[str, float] | None = None,
        features: Sequence[Any] = (),
        selection: FeatureSelection | None = None,
        max_words: int = MAX_WORDS,
        own_rules: bool = False,
        neighbours: int | None = None,
        pop_limit: int | None = None,
    ) -> ExtractingDecoder:
        """Make the decoder of this fold, with rules and n-gram model of the other folds."""
        if neighbours is not None and not own_rules:
            raise ValueError("neighbours are left out of the whole text: expected own_rules=True")
        extractor, config = self.extractor(), self.config
        if pop_limit is not None:
            config.passes[0].pop_limit = pop_limit
        make: Callable[..., ExtractingDecoder]
        if own_rules:
            make = partial(LeaveOneOutDecoder, neighbours=neighbours)
        else:
            make = partial(ExtractingDecoder, exclude=extractor.exclusion(self.sentences))
        return make(
            config, extractor, weights=weights, features=features, selection=selection, max_words=max_words
        )


class Folds(tuple[TrainingFold, ...]):
    """The folds of a system, in the order of the text."""

    def of(self, segment: Segment) -> TrainingFold:
        """Return the fold that holds a segment, by its id."""
        for fold in self:
            if segment.id in fold.sentences:
                return fold
        raise InputError(
            f"expected the id of a sentence of the folds, got {segment.id!r}", path=segment.where
        )

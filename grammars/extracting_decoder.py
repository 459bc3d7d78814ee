"""A decoder that extracts the rules of each sentence at translation time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hopefear import _native
from hopefear.base import InputError
from hopefear.decoder import (
    Config,
    Decoder,
    FeatureSelection,
    Segment,
    SentenceGrammar,
    Weights,
)
from hopefear.decoder.context import Context
from hopefear.decoder.lengths import MAX_WORDS

from .extractor import Exclusion, GrammarExtractor
from .grammar_files import sentence

NEIGHBOURS = 50
"""Sentence pairs on either side of a sentence that are left out with its own, by default, of a long text."""

_PARTS = 100
"""At most one of so many parts of a text is left out by default."""


class ExtractingDecoder(Decoder):
    """A decoder that extracts its rules from a parallel text, sentence by sentence, without grammar files."""

    def __init__(
        self,
        config: Config,
        extractor: GrammarExtractor,
        *,
        exclude: Exclusion | None = None,
        weights: Weights | str | os.PathLike[str] | dict[str, float] | None = None,
        features: Sequence[Any] = (),
        selection: FeatureSelection | None = None,
        max_words: int = MAX_WORDS,
    ) -> None:
        super().__init__(config, weights=weights, features=features, selection=selection, max_words=max_words)
        self.extractor = extractor
        self._exclude = extractor.exclusion(()) if exclude is None else exclude

    def model_features(self, segment: Segment | None = None) -> list[str]:
        """List the features of the model itself, those of the extracted rules included."""
        return [*super().model_features(segment), *self.extractor.features]

    def _constructor(self) -> Callable[..., Decoder]:
        return partial(
            _excluding,
            self._exclude.sentences,
            type(self),
            self.config.sharing_grammars(),
            self.extractor,
            weights=self.weights,
            features=self._given,
            selection=self.selection,
            max_words=self.max_words,
        )

    def grammars(self, segment: Segment) -> list[SentenceGrammar]:
        """Extract the rules of a segment."""
        return [self.extractor.grammar(sentence(segment), exclude=self._exclusion_of(segment))]

    def _parse(self, segment: Segment, grammar: str | SentenceGrammar, context: Context) -> _native.Forest:
        return super()._parse(segment, grammar, replace(context, grammars=(self, *context.grammars)))

    def _exclusion_of(self, segment: Segment) -> Exclusion:
        """Return the sentence pairs that no rules of a segment are extracted from."""
        return self._exclude


class LeaveOneOutDecoder(ExtractingDecoder):
    """An `ExtractingDecoder` of the text: no rules of a segment come from the pair whose index is its id."""

    def __init__(
        self, config: Config, extractor: GrammarExtractor, *, neighbours: int | None = None, **others: Any
    ) -> None:
        super().__init__(config, extractor, **others)
        if neighbours is not None and neighbours < 0:
            raise ValueError(f"neighbours must be at least 0, got {neighbours}")
        few = min(NEIGHBOURS, len(extractor.bitext) // (2 * _PARTS))
        self.neighbours = few if neighbours is None else neighbours

    def _constructor(self) -> Callable[[], Decoder]:
        return partial(super()._constructor(), neighbours=self.neighbours)

    def _exclusion_of(self, segment: Segment) -> Exclusion:
        size = len(self.extractor.bitext)
        place = place_in_text(segment, size)
        first, end = place - self.neighbours, place + self.neighbours + 1
        return self.extractor.exclusion(range(max(first, 0), min(end, size)))


def place_in_text(segment: Segment, size: int) -> int:
    """Return the id of a segment, if it is the index of a sentence of a text."""
    index = segment.id
    if type(index) is not int or not 0 <= index < size:
        raise InputError(f"expected the id of a sentence of the text, got {index!r}", path=segment.where)
    return index


def _excluding(
    sentences: Sequence[int],
    make: Callable[..., ExtractingDecoder],
    config: Config,
    extractor: GrammarExtractor,
    **others: Any,
) -> ExtractingDecoder:
    """Make a decoder with an exclusion; the exclusion itself is not pickled."""
    return make(config, extractor, exclude=extractor.exclusion(sentences), **others)

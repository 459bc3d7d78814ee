"""A decoder that extracts the rules of each sentence when it translates it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from hopefear.decoder import (
    Config,
    Decoder,
    FeatureSelection,
    Segment,
    SentenceGrammar,
    Weights,
)

from .extractor import Exclusion, GrammarExtractor
from .grammar_files import sentence


class ExtractingDecoder(Decoder):
    """A decoder that takes its rules from a parallel text: no grammar is written, and none stays in memory.

    Parameters
    ----------
    config : Config
        Its grammars, if any, are used too, and so are the rules that a segment brings.
    extractor : GrammarExtractor
        What gives the rules of each sentence.
    exclude : Exclusion, optional
        Sentence pairs that no rules come from.
    weights, features, selection
        As for `Decoder`.

    Raises
    ------
    InputError
        As for `Decoder`; and in `parse` and `translate`, for a lattice.
    """

    def __init__(
        self,
        config: Config,
        extractor: GrammarExtractor,
        *,
        exclude: Exclusion | None = None,
        weights: Weights | str | os.PathLike[str] | dict[str, float] | None = None,
        features: Sequence[Any] = (),
        selection: FeatureSelection | None = None,
    ) -> None:
        super().__init__(config, weights=weights, features=features, selection=selection)
        self.extractor = extractor
        self._exclude = extractor.exclusion(()) if exclude is None else exclude

    def _constructor(self) -> Callable[[], Decoder]:
        return partial(
            _excluding,
            self._exclude.sentences,
            type(self),
            self.config,
            self.extractor,
            weights=self.weights,
            features=self._given,
            selection=self.selection,
        )

    def _rules_of(self, segment: Segment) -> list[SentenceGrammar]:
        extracted = self.extractor.grammar(sentence(segment), exclude=self._exclude)
        return [*super()._rules_of(segment), extracted]


def _excluding(
    sentences: Sequence[int],
    make: Callable[..., ExtractingDecoder],
    config: Config,
    extractor: GrammarExtractor,
    **others: Any,
) -> ExtractingDecoder:
    """Make an exclusion, which is not pickled, with the decoder that has it."""
    return make(config, extractor, exclude=extractor.exclusion(sentences), **others)

"""A decoder that extracts the rules of each sentence when it translates it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from hopefear.decoder import (
    Config,
    Decoder,
    FeatureSelection,
    Hypergraph,
    Lattice,
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
        Its grammars, if any, are used too.
    extractor : GrammarExtractor
        What gives the rules of each sentence.
    exclude : Exclusion, optional
        Sentence pairs that no rules come from.
    weights, features, selection
        As for `Decoder`.

    Raises
    ------
    InputError
        As for `Decoder`.
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

    def parse(self, source: str | Lattice | Segment, grammar: str | SentenceGrammar = "") -> Hypergraph:
        """As `Decoder.parse`, with the rules of the sentence; raises InputError for a lattice."""
        return super().parse(self._with_rules(source), grammar)

    def translate(
        self,
        source: str | Lattice | Segment,
        grammar: str | SentenceGrammar = "",
        *,
        reference: str | Lattice | None = None,
    ) -> Hypergraph:
        """As `Decoder.translate`, with the rules of the sentence; raises InputError for a lattice."""
        return super().translate(self._with_rules(source), grammar, reference=reference)

    def _with_rules(self, source: str | Lattice | Segment) -> Segment:
        segment = Segment.from_input(source)
        return segment.with_rules(self.extractor.grammar(sentence(segment), exclude=self._exclude))

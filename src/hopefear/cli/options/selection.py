"""The options that select features, and the decoder with the selected features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hopefear.base import InputError
from hopefear.base.progress import print_line
from hopefear.decoder import Config, Decoder, FeatureSelection, Segment, Translator, Weights
from hopefear.decoder.rescoring import is_own_function
from hopefear.plugins import create

from ..command import option
from ..io.skipped import Skipped
from ..names import NamedKind


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The options that add feature functions and select their features."""

    feature: list[str] = option(
        'Add a feature function: "NAME arguments"; may repeat.', default=(), completion=NamedKind.plugins
    )
    min_count: int = option(
        "Keep only plugins' features in the forests of this number of sentences.", default=1, min=1
    )
    allow: list[str] = option(
        "Allow only features of plugins that match this pattern, such as 'R:*'; may repeat.",
        metavar="PATTERN",
        default=(),
        shown="all",
    )
    deny: list[str] = option(
        "Remove features of plugins that match this pattern; may repeat.", metavar="PATTERN", default=()
    )
    hash_bits: int | None = option(
        "Hash the names of plugins' features to this number of bits.", default=None, min=0, max=30
    )
    freeze: Path | None = option(
        "Allow only plugins' features that this file or the weights name.", default=None
    )

    def plugins(self) -> list[Any]:
        """Make the feature functions that the options add."""
        for line in filter(is_own_function, self.feature):
            name = line.partition(" ")[0]
            raise InputError(
                f"--feature {line}: {name} is built in; add feature_function={line} to the cdec.ini"
            )
        return [create(line, base=Path()) for line in self.feature]

    def patterns(self) -> FeatureSelection | None:
        """Return the selection that the options ask for; None if they select nothing."""
        if self.allow or self.deny or self.hash_bits is not None:
            return FeatureSelection(tuple(self.allow), tuple(self.deny), self.hash_bits or 0)
        return None

    def decoder(
        self,
        config: Config,
        weights: Path | None,
        *,
        max_words: int,
        corpus: Sequence[Segment] = (),
        skipped: Skipped | None = None,
        kind: Callable[..., Decoder] = Decoder,
    ) -> Decoder:
        """Make a decoder in which only the selected features fire.

        The selection of the weights file holds if the options select nothing. With ``--min-count`` a
        plugin's feature is kept only if the weights name it, or if the forests of at least this number of
        sentences of the corpus have it.
        """

        def make(selection: FeatureSelection | None, known: Weights | None = None) -> Decoder:
            plugins = self.plugins()
            if known is not None:
                if weights is not None:
                    with config.naming(f"weights {weights}"):
                        known.read(weights)
                selection = replace(selection or known.selection or FeatureSelection(), frozen=True)
            decoder = kind(
                config,
                weights={} if weights is None else weights,
                features=plugins,
                selection=selection,
                max_words=max_words,
            )
            for name, _ in known or ():
                decoder.weights.id(name)
            if skipped is not None:
                decoder.on_error = skipped.add
            return decoder

        known = None
        if self.freeze is not None:
            known = Weights()
            known.read(self.freeze, scaling=0.0, may_be_empty=True)
        decoder = make(self.patterns(), known)
        if self.min_count > 1:
            frequent = decoder.frequent_features(corpus, self.min_count)
            report_features(decoder, f"before the cut-off at {self.min_count} sentences")
            selection = decoder.selection
            del decoder  # free its memory
            decoder = make(selection, Weights(dict.fromkeys(frequent, 0.0)))
        return decoder


def report_features(decoder: Translator, when: str) -> None:
    """Print to standard error how many features each plugin fired."""
    for row in decoder.feature_report():
        print_line(
            f"features {when}: {row.family}: {row.names:,} names, {row.features:,} features, "
            f"{row.per_sentence:,.1f} per sentence"
        )

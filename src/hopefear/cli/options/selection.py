"""The options that select features, and the decoder with the selected features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from hopefear.base.progress import print_line
from hopefear.decoder import Config, Decoder, FeatureSelection, Segment, Translator, Weights
from hopefear.plugins import create

from .skipped import Skipped
from .weights import weights_file

Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        help="Allow only features of plugins that match this pattern, such as 'R:*'; may repeat.",
        show_default="all",
    ),
]
Deny = Annotated[
    list[str] | None,
    typer.Option("--deny", help="Remove features of plugins that match this pattern; may repeat."),
]
HashBits = Annotated[
    int | None,
    typer.Option(
        "--hash-bits", min=0, max=30, help="Hash the names of plugins' features to this number of bits."
    ),
]
MinCount = Annotated[
    int,
    typer.Option(
        "--min-count",
        min=1,
        help="Keep only plugins' features in the forests of this number of sentences.",
    ),
]
Freeze = Annotated[
    Path | None,
    typer.Option("--freeze", help="Allow only plugins' features that this file or the weights name."),
]


def selected_decoder(
    config: Config,
    weights: str | None,
    features: Sequence[str],
    *,
    allow: Sequence[str] | None,
    deny: Sequence[str] | None,
    hash_bits: int | None,
    freeze: Path | None,
    max_words: int,
    min_count: int = 1,
    corpus: Sequence[Segment] = (),
    skipped: Skipped | None = None,
    kind: Callable[..., Decoder] = Decoder,
) -> Decoder:
    """Make a decoder in which only the selected features fire.

    The selection of the weights file holds if the options select nothing.

    Parameters
    ----------
    weights : str or None
        The value of ``--weights``.
    features : sequence of str
        ``NAME arguments`` of feature functions in addition to those of the configuration.
    max_words : int
        As for `Decoder`.
    min_count : int
        Keep a plugin's feature only if the weights name it, or if the forests of at least this number of
        sentences of the corpus have it.
    skipped : Skipped, optional
        Takes the sentences on which a plugin fails.
    kind : callable
        The class of the decoder, or what makes one from the same arguments.
    """
    path = weights_file(weights, config)

    def make(selection: FeatureSelection | None, known: Weights | None = None) -> Decoder:
        plugins = [create(line, base=Path()) for line in features]
        if known is not None:
            if path is not None:
                with config.naming(f"weights {path}"):
                    known.read(path)
            selection = replace(selection or known.selection or FeatureSelection(), frozen=True)
        decoder = kind(
            config,
            weights={} if path is None else path,
            features=plugins,
            selection=selection,
            max_words=max_words,
        )
        for name, _ in known or ():
            decoder.weights.id(name)
        if skipped is not None:
            decoder.on_error = skipped.add
        return decoder

    selection = make_selection(allow, deny, hash_bits)
    known = None
    if freeze is not None:
        known = Weights()
        known.read(freeze, scaling=0.0)
    decoder = make(selection, known)
    if min_count > 1:
        frequent = decoder.frequent_features(corpus, min_count)
        report_features(decoder, f"before the cut-off at {min_count} sentences")
        selection = decoder.selection
        del decoder  # free its memory
        decoder = make(selection, Weights(dict.fromkeys(frequent, 0.0)))
    return decoder


def make_selection(
    allow: Sequence[str] | None, deny: Sequence[str] | None, hash_bits: int | None
) -> FeatureSelection | None:
    """Make the selection that the options ask for; None if they select nothing."""
    if allow or deny or hash_bits is not None:
        return FeatureSelection(tuple(allow or ()), tuple(deny or ()), hash_bits or 0)
    return None


def report_features(decoder: Translator, when: str) -> None:
    """Print to standard error how many features each plugin fired."""
    for row in decoder.feature_report():
        print_line(
            f"features {when}: {row.family}: {row.names:,} names, {row.features:,} features, "
            f"{row.per_sentence:,.1f} per sentence"
        )

"""The scale of the initial weights, and the pseudo-document that a run over a corpus begins with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopefear.base import InputError, ParseFailed
from hopefear.decoder import Segment, Translator
from hopefear.metrics import PseudoDocument

from ..oracles import SearchSpace

_LIST = 100
"""Translations of a sentence by which scores and losses are compared."""


def match_scales(
    decoder: Translator, corpus: Sequence[Segment], document: PseudoDocument, *, hopes: bool
) -> None:
    """Multiply the weights so that scores vary as much within k-best lists as B, and fill the document.

    The best translations of all sentences stay the same. If no score or no B varies, so do the weights.

    Parameters
    ----------
    decoder : Translator
    corpus : sequence of Segment
        With references. Sentences that cannot be translated are left out.
    document : PseudoDocument
        What joins it is the best of the list by B (`hopes`), or else by the model.
    """
    B = model = 0.0
    for segment in corpus:
        try:
            translation = decoder.translate(segment)
        except (ParseFailed, InputError, MemoryError):
            continue  # the first pass tells of it
        best = SearchSpace(decoder, translation, segment, document).best(_LIST)
        B += float(np.var(best.B))
        model += float(np.var(best.model))
        document.update(best.statistics[int(np.argmax(best.B)) if hopes else 0], segment.length)
    if B > 0 and 0 < model < np.inf:
        decoder.weights.array[:] *= np.sqrt(B / model)

"""Metrics as additive statistics, the documents that tuners score in, and significance tests."""

from __future__ import annotations

from hopefear.metrics.base import Metric, PreparedReferences, Sentence, Statistics, TooLong
from hopefear.metrics.bleu import Bleu
from hopefear.metrics.bleu_plus_one import BleuPlusOne
from hopefear.metrics.cer import Cer
from hopefear.metrics.chrf import Chrf
from hopefear.metrics.nist import Nist
from hopefear.metrics.pseudo_document import PseudoDocument, PseudoDocumentState
from hopefear.metrics.randomisation import (
    Randomisation,
    Spread,
    approximate_randomisation,
    optimizer_spread,
)
from hopefear.metrics.significance import (
    ConfidenceInterval,
    PairedBootstrap,
    confidence_interval,
    paired_bootstrap,
)
from hopefear.metrics.ssk import Ssk
from hopefear.metrics.substituted_document import SubstitutedDocument
from hopefear.metrics.ter import Ter
from hopefear.metrics.wer import Wer

__all__ = [
    "Bleu",
    "BleuPlusOne",
    "Cer",
    "Chrf",
    "ConfidenceInterval",
    "Metric",
    "Nist",
    "PairedBootstrap",
    "PreparedReferences",
    "PseudoDocument",
    "PseudoDocumentState",
    "Randomisation",
    "Sentence",
    "Spread",
    "Ssk",
    "Statistics",
    "SubstitutedDocument",
    "Ter",
    "TooLong",
    "Wer",
    "approximate_randomisation",
    "confidence_interval",
    "optimizer_spread",
    "paired_bootstrap",
]

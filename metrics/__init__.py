"""Metrics as additive statistics, the pseudo-document of online training, and significance tests."""

from __future__ import annotations

from hopefear.metrics.base import Metric, PreparedReferences, Sentence, Statistics
from hopefear.metrics.bleu import Bleu
from hopefear.metrics.cer import Cer
from hopefear.metrics.pseudo_document import PseudoDocument, PseudoDocumentState
from hopefear.metrics.significance import (
    ConfidenceInterval,
    PairedBootstrap,
    confidence_interval,
    paired_bootstrap,
)
from hopefear.metrics.ssk import Ssk
from hopefear.metrics.ter import Ter

__all__ = [
    "Bleu",
    "Cer",
    "ConfidenceInterval",
    "Metric",
    "PairedBootstrap",
    "PreparedReferences",
    "PseudoDocument",
    "PseudoDocumentState",
    "Sentence",
    "Ssk",
    "Statistics",
    "Ter",
    "confidence_interval",
    "paired_bootstrap",
]

"""Metrics as additive statistics, the documents that tuners score in, and significance tests."""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .aer import Aer
from .base import (
    Metric,
    MetricError,
    PreparedReferences,
    Sentence,
    Statistics,
    Tokens,
    TooLong,
    WrongSentence,
)
from .bleu import Bleu
from .bleu_plus_one import BleuPlusOne
from .catalogue import create_metric
from .cer import Cer
from .character import CharacTer
from .checking import check_metric
from .chrf import Chrf
from .ksmr import Ksmr
from .meteor import Meteor
from .nist import Nist
from .pseudo_document import PseudoDocument
from .randomisation import (
    OverRuns,
    Randomisation,
    Spread,
    approximate_randomisation,
    holm,
    optimizer_spread,
    over_runs,
)
from .ribes import Ribes
from .significance import (
    ConfidenceInterval,
    PairedBootstrap,
    Resampled,
    compare_resampled,
    confidence_interval,
    paired_bootstrap,
    resample,
)
from .ssk import Ssk
from .substituted_document import SubstitutedDocument
from .ter import Ter
from .typing_work import Completer, TypingWork, typed_words, typing_work
from .wer import Wer

__all__ = [
    "Aer",
    "Bleu",
    "BleuPlusOne",
    "Cer",
    "CharacTer",
    "Chrf",
    "Completer",
    "ConfidenceInterval",
    "Ksmr",
    "Meteor",
    "Metric",
    "MetricError",
    "Nist",
    "OverRuns",
    "PairedBootstrap",
    "PreparedReferences",
    "PseudoDocument",
    "Randomisation",
    "Resampled",
    "Ribes",
    "Sentence",
    "Spread",
    "Ssk",
    "Statistics",
    "SubstitutedDocument",
    "Ter",
    "Tokens",
    "TooLong",
    "TypingWork",
    "Wer",
    "WrongSentence",
    "approximate_randomisation",
    "check_metric",
    "compare_resampled",
    "confidence_interval",
    "create_metric",
    "holm",
    "optimizer_spread",
    "over_runs",
    "paired_bootstrap",
    "resample",
    "typed_words",
    "typing_work",
]

check_exports(__name__)

"""The report of a tuning run: scores, weights and sentences in one page."""

from __future__ import annotations

from .page import REPORT, START, TuningRun, write_comparison, write_report
from .plots import plot_hypotheses, plot_learning
from .sentences import SENTENCES, read_sentences, sentence_records, write_sentences

__all__ = [
    "REPORT",
    "SENTENCES",
    "START",
    "TuningRun",
    "plot_hypotheses",
    "plot_learning",
    "read_sentences",
    "sentence_records",
    "write_comparison",
    "write_report",
    "write_sentences",
]

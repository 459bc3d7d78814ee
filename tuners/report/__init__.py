"""The report of a tuning run: scores, weights and sentences in one page."""

from __future__ import annotations

from .change import CHANGE, HELD_OUT, TUNING, Change, read_change, write_change
from .comparison import write_comparison
from .curves import score_chart, weight_charts
from .families import FAMILIES, FamilyWorth, family_table, rank_families, read_families, write_families
from .markup import number, table
from .page import REPORT, write_report
from .plots import plot_hypotheses, plot_learning
from .sentence_view import embedded, packed, sentence_view
from .sentences import SENTENCES, read_sentences, sentence_records, translate_again, write_sentences
from .tuning_run import START, TuningRun

__all__ = [
    "CHANGE",
    "FAMILIES",
    "HELD_OUT",
    "REPORT",
    "SENTENCES",
    "START",
    "TUNING",
    "Change",
    "FamilyWorth",
    "TuningRun",
    "embedded",
    "family_table",
    "number",
    "packed",
    "plot_hypotheses",
    "plot_learning",
    "rank_families",
    "read_change",
    "read_families",
    "read_sentences",
    "score_chart",
    "sentence_records",
    "sentence_view",
    "table",
    "translate_again",
    "weight_charts",
    "write_change",
    "write_comparison",
    "write_families",
    "write_report",
    "write_sentences",
]

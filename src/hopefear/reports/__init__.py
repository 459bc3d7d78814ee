"""Reports: pages, charts and tables of runs, experiments and translations, and what they are made from.

A chart in a page is SVG: it follows the light and the dark and needs no other file. A picture in a file is
PNG, which Markdown and notebooks show, too; pages of experiments embed these files.
"""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .change import CHANGE, HELD_OUT, TUNING, RunChange, read_change, write_change
from .comparison import differing_names, write_comparison
from .curves import colours_of, score_chart, weight_charts
from .experiment_page import experiment_page, picture_source
from .experiment_pictures import Panel, PanelLine, draw_panels
from .explanation_page import explanation_page
from .families import FAMILIES, FamilyWorth, family_table, rank_families, read_families, write_families
from .markdown import escaped, to_markdown
from .output_comparison import Output, OutputComparison, compare_outputs, translated_output
from .pages import number, packed, page, render
from .pictures import plot_hypotheses, plot_learning, plot_reliability
from .run_page import REPORT, write_report
from .sentences import SENTENCES, read_sentences, sentence_records, translate_again, write_sentences
from .tables import MISSING, NO_RUNS, BaselineTest, TableCell, TableData, TableRow
from .tables import TEST as SIGNIFICANCE_TEST
from .tuning_run import START, TuningRun, read_sessions

check_exports(__name__)

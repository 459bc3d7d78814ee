"""Options that several commands share, and what the options make."""

from __future__ import annotations

from .annotations import (
    Classes,
    Conllu,
    DevConllu,
    DevTags,
    DevTrees,
    Tags,
    Trees,
    annotated,
    read_development,
)
from .cluster import Cluster, Threads, open_executor
from .decoder import OWN, DecoderOption, start_cdec
from .grammars_under import GrammarsUnder
from .learning import DevReference, Force, ForgetOption, Resume, Setting
from .report import REPORTED, ReportSentences
from .selection import Allow, Deny, Freeze, HashBits, MinCount
from .skipped import ErrorsOption, MaxWords, OnError, OnErrorOption, Skipped, make_skipped
from .weights import WeightsOption

"""Options that several commands share, as dataclasses that know what their options make."""

from __future__ import annotations

from .annotations import AnnotationFiles, Development
from .consensus import ChosenConsensus
from .decoder import ChosenDecoder
from .failures import Failures
from .knowledge import Knowledge
from .limits import Limits
from .live import SETTING, LiveLearning, SavedLearning, adapting_kind
from .pieces import Pieces
from .run import REPORTED, RunOptions
from .selection import Selection, report_features
from .text_form import TextForm
from .texts import LEFT_OUT, Extraction, ParallelText, Symmetrisation
from .weights import CONFIG, GivenWeights, check_weights, checked
from .workers import Workers

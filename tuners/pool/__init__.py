"""Pools of k-best candidates, the error surface, and line search on them."""

from __future__ import annotations

from .batch_scorers import BatchScorer, create_scorer, scorers
from .candidates import Candidates, search_line
from .climbing import MIN_GAIN, Climber, Start
from .error_surface import MOST_FEATURES, ErrorSurface, Extend
from .gathering import Gathered, gather
from .kbest_files import read_candidates, read_kbest
from .kbest_task import KBestTask, Translate, k_best
from .line_search import Intervals, Optimum, WindowKind, cut_line, smooth
from .lines import PoolLines
from .new_features import FileOfValues, NewFeatures, ScoredFeatures, with_features
from .oracle_configuration import greedy_configuration, oracle_configuration
from .pool import Lines, Pool
from .sentence_scores import grounded_metric, sentence_scores
from .softmax_objective import SoftmaxObjective
from .spread import Squares

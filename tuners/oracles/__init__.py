"""Hope and fear: how the translations that a tuner learns from are chosen."""

from __future__ import annotations

from .catalogue import create_oracle
from .oracle_memory import MemorisedOracles, OracleMemory
from .oracles import ConsensusHope, Forced, ForestHopeFear, KBestLocal, LeastWork, MaxBleu
from .ramp_loss import ForestRamp, KBestRamp, SoftHypotheses, soft_ramp
from .search_space import Oracle, SearchSpace, check_searchable, describe, find_hypotheses, prepare_oracle

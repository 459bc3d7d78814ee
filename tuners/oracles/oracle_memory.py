"""The best translations of each sentence that a run has seen (Watanabe, Suzuki, Tsukada & Isozaki 2007)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Hypotheses, KBestList, ScoredList
from hopefear.metrics import Metric, SubstitutedDocument

from ..contract import array, fact, load_lines, save_lines
from .search_space import Oracle, SearchSpace


@dataclass(eq=False, repr=False)
class OracleMemory:
    """O of the paper: m oracle translations of each sentence, kept over all passes."""

    segments: list[int | str] = fact([])
    counts: Ints = array("i8", least=0)
    texts: NDArray[np.uint8] = array("u1")
    indptr: Ints = array("i8", least=0, copied=False)
    features: NDArray[np.int32] = array("i4", of_features=True, copied=False)
    values: Floats = array(copied=False)
    statistics: Floats = array(dimensions=2, copied=False)
    _oracles: dict[int | str, KBestList] = field(default_factory=dict, init=False)
    _statistics: dict[int | str, Floats] = field(default_factory=dict, init=False)

    def oracles(self, segment: int | str) -> KBestList | None:
        """Return O^t, best first; None where the sentence has none yet."""
        return self._oracles.get(segment)

    def size(self, segment: int | str) -> int:
        """Count the sentences of the document, this one included."""
        return len(self._oracles) + (segment not in self._oracles)

    def quality(self, segment: int | str, statistics: Floats, metric: Metric) -> Floats:
        """Score the document with each of some translations for a sentence's first oracle."""
        own = self._statistics.get(segment, np.zeros(metric.size))
        others = [row for key, row in self._statistics.items() if key != segment]
        return SubstitutedDocument(metric, np.stack([own, *others])).scores(0, statistics)

    def remember(self, segment: int | str, oracles: ScoredList) -> None:
        """Make these, best first, O^t of a sentence."""
        self._oracles[segment] = oracles.translations
        self._statistics[segment] = oracles.statistics[0]

    def saving(self) -> None:
        """Join the lists of all sentences."""
        empty = KBestList([], np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0))
        lists = list(self._oracles.values())
        together = KBestList.concatenate([empty, *lists])
        self.segments = list(self._oracles)
        self.counts = np.array([len(x) for x in lists], np.int64)
        self.texts = save_lines(together.texts)
        self.indptr, self.features, self.values = together.indptr, together.features, together.values
        self.statistics = np.array(list(self._statistics.values()) or np.zeros((0, 0)), np.float64)

    def restored(self) -> None:
        """Part the lists of the sentences again."""
        if (np.diff(self.indptr) < 0).any():
            raise ValueError("expected indptr that ascends")
        ends = np.cumsum(self.counts).tolist()
        texts = load_lines(self.texts) or [""] * (ends[-1:] == [1])  # one text that is empty
        together = KBestList(texts, self.indptr, self.features, self.values)
        places = zip(self.segments, [0, *ends], ends, strict=False)
        self._oracles = {key: together.take(range(begin, end)) for key, begin, end in places}
        self._statistics = dict(zip(self.segments, self.statistics, strict=True))
        expected = (len(self.segments), ends[-1] if ends else 0, int(together.indptr[-1]))
        if expected != (len(self._oracles), len(together), len(together.values)):
            raise ValueError("the number of oracles")


@dataclass(frozen=True, kw_only=True)
class MemorisedOracles(Oracle):
    """The oracle of the paper: hope are the m best of O^t and the n-best list, fear are the k best."""

    memory: OracleMemory
    m: int
    k: int
    nbest: int

    def prepare(self) -> None:
        """Check nothing: the tuner has."""

    def find(self, space: SearchSpace, /) -> Hypotheses:
        """Choose oracle_m(O^t ∪ C^t)."""
        nbest = candidates = space.best(self.nbest)
        remembered = self.memory.oracles(space.segment.id)
        if remembered is not None:
            # A string that is in both has the derivation that the model prefers now.
            known = set(nbest.texts)
            others = [row for row, text in enumerate(remembered.texts) if text not in known]
            candidates = space.scored(KBestList.concatenate([nbest.translations, remembered.take(others)]))
        quality = self.memory.quality(space.segment.id, candidates.statistics, space.document.metric)
        order = np.lexsort((-candidates.model, -quality))
        best = space.best(self.k)
        return Hypotheses(space.segment, best, candidates.take(order[: self.m]), best)

"""The best translations of each sentence that a run has seen (Watanabe, Suzuki, Tsukada & Isozaki 2007)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import Hypotheses, KBestList, ScoredList, Weights
from hopefear.metrics import Metric, SubstitutedDocument

from ..contract import State, load_features, load_lines, save_features, save_lines
from .search_space import Oracle, SearchSpace


class OracleMemory:
    """O of the paper: m oracle translations of each sentence, kept over all passes.

    The first of each sentence make up the document that a translation is judged in.
    """

    def __init__(self) -> None:
        self._oracles: dict[int | str, KBestList] = {}
        self._statistics: dict[int | str, NDArray[np.float64]] = {}

    def oracles(self, segment: int | str) -> KBestList | None:
        """Give O^t, best first; None where the sentence has none yet."""
        return self._oracles.get(segment)

    def size(self, segment: int | str) -> int:
        """Count the sentences of the document, this one included."""
        return len(self._oracles) + (segment not in self._oracles)

    def quality(
        self, segment: int | str, statistics: NDArray[np.float64], metric: Metric
    ) -> NDArray[np.float64]:
        """Score the document with each of some translations for a sentence's first oracle.

        Parameters
        ----------
        segment : int or str
            The id of the sentence; it may be new.
        statistics : array of float64, shape (k, metric.size)
            Of the translations.

        Returns
        -------
        array of float64, shape (k,)
            In per cent; for error rates their negative.
        """
        own = self._statistics.get(segment, np.zeros(metric.size))
        others = [row for key, row in self._statistics.items() if key != segment]
        return SubstitutedDocument(metric, np.stack([own, *others])).scores(0, statistics)

    def remember(self, segment: int | str, oracles: ScoredList) -> None:
        """Make these, best first, O^t of a sentence."""
        self._oracles[segment] = oracles.translations
        self._statistics[segment] = oracles.statistics[0]

    def get_state(self, weights: Weights) -> State:
        """Give the state: the ids, and the oracles with the features' names."""
        lists = list(self._oracles.values())
        empty = KBestList([], np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0))
        together = KBestList.concatenate([empty, *lists])
        features, columns = np.unique(together.features, return_inverse=True)
        statistics = list(self._statistics.values()) or np.zeros((0, 0))
        return {
            "facts": {"oracle_segments": list(self._oracles)},
            "arrays": {
                "oracle_counts": np.array([len(x) for x in lists], np.int64),
                "oracle_texts": save_lines(together.texts),
                "oracle_names": save_features(features, weights),
                "oracle_indptr": together.indptr,
                "oracle_columns": columns.astype(np.int64),
                "oracle_values": together.values,
                "oracle_statistics": np.array(statistics, np.float64),
            },
        }

    def set_state(self, state: State, weights: Weights) -> None:
        """Go back to a state.

        Raises
        ------
        InputError
            It has no oracles, or damaged ones.
        """
        try:
            segments, arrays = state["facts"]["oracle_segments"], state["arrays"]
            features = load_features(arrays["oracle_names"], weights)
            for name in ("oracle_counts", "oracle_columns", "oracle_indptr"):
                if (arrays[name] < 0).any():
                    raise ValueError(f"expected {name} of at least 0")
            if (np.diff(arrays["oracle_indptr"]) < 0).any():
                raise ValueError("expected oracle_indptr that ascends")
            ends = np.cumsum(arrays["oracle_counts"]).tolist()
            together = KBestList(
                load_lines(arrays["oracle_texts"]) or [""] * (ends[-1:] == [1]),  # one text that is empty
                arrays["oracle_indptr"],
                features.astype(np.int32)[arrays["oracle_columns"]],
                arrays["oracle_values"],
            )
            places = zip(segments, [0, *ends], ends, strict=False)
            oracles = {key: together.take(range(begin, end)) for key, begin, end in places}
            statistics = dict(zip(segments, arrays["oracle_statistics"], strict=True))
            expected = (len(segments), ends[-1] if ends else 0, int(together.indptr[-1]))
            if expected != (len(oracles), len(together), len(together.values)):
                raise ValueError("the number of oracles")
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise InputError(
                f"expected the state of a large-margin tuner; missing or wrong: {error}"
            ) from None
        self._oracles, self._statistics = oracles, statistics


@dataclass(frozen=True, kw_only=True)
class MemorisedOracles(Oracle):
    """The oracle of the paper: hope are the m best of O^t and the n-best list, fear are the k best.

    Best is what the metric says of the document; of equal ones the better by the model.

    Parameters
    ----------
    memory : OracleMemory
        It is read only.
    m, k, nbest : int
        Oracles; translations by the model as hypotheses, and to look for oracles among.
    """

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

"""The log probability of a translation by a Transformer, or by any model of CTranslate2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.neural import TranslationModel
from hopefear.plugins import FeatureTable, ListFeatures, NextSubword, PluginError, Segment

_KEPT = 1 << 18
"""Scores that are kept, for further passes over the same sentences."""


@dataclass(kw_only=True, eq=False)
class Transformer(ListFeatures):
    """The natural logarithm of the probability of a whole translation, given its source sentence.

    Parameters
    ----------
    model : Path
        A folder of `hopefear train-transformer`, or of another CTranslate2 model (`TranslationModel`) that
        reads and writes the tokens of the system.
    k : int
        How many of the best translations are scored.
    beam : int
        Of a search left to right over the whole forest for translations with a better score (Stahlberg et al.
        2016), which are listed too; 0 for none.
    search_weights : Path, optional
        Weights of the search that finds the list, tuned without this feature; see `ListFeatures`.
    prefix : str
        The begin of the feature's name.
    """

    fires: ClassVar[tuple[str, ...]] = ("Transformer",)
    model: Path
    k: int = 100
    beam: int = 0
    search_weights: Path | None = None
    prefix: str = ""

    def prepare(self) -> None:
        """Load the model."""
        super().prepare()
        if self.k < 1:
            raise PluginError(f"Transformer: k must be at least 1, got {self.k}")
        _ = self._scores

    def fire(self, translations: Sequence[str], segment: Segment) -> FeatureTable:
        """Score all translations that no earlier list had."""
        scores = self._scores.of(" ".join(segment.expect_tokens()), translations)
        return FeatureTable.from_dense(self._names, scores[:, None])

    def next_subword(self, segment: Segment) -> NextSubword:
        """Return the model's probabilities for the search left to right."""
        return self._scores.model.next_subword(" ".join(segment.expect_tokens()))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(f"{self.prefix}{name}" for name in self.fires)

    @cached_property
    def _scores(self) -> _Scores:
        return _Scores(self.model)


class _Scores:
    """A model and the scores that it gave."""

    def __init__(self, folder: Path) -> None:
        self.model = TranslationModel(folder)
        self._kept: dict[tuple[str, str], float] = {}
        self._lock = Lock()

    def of(self, source: str, translations: Sequence[str]) -> NDArray[np.float64]:
        """Return the score of each translation."""
        with self._lock:
            kept = {text: self._kept.get((source, text)) for text in translations}
        new = [text for text, score in kept.items() if score is None]
        found = dict(zip(new, self.model.scores([source] * len(new), new).tolist(), strict=True))
        with self._lock:
            if len(self._kept) + len(found) > _KEPT:
                self._kept.clear()
            self._kept.update({(source, text): score for text, score in found.items()})
        return np.array([found.get(text, kept[text]) for text in translations], np.float64)

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
    n_best : int
        How many of the translations that the model itself finds are listed too. Where the search has not
        found them, they have the features of the nearest translation that it has, but for those of their
        words, and ``TransformerEdits``, the number of words by which they differ.
    beam : int
        Of a search left to right over the whole forest for translations with a better score (Stahlberg et al.
        2016), which are listed too; 0 for none.
    search_weights : Path, optional
        Weights of the search that finds the list, tuned without this feature; see `ListFeatures`.
    prefix : str
        The begin of the feature's name.
    """

    fires: ClassVar[tuple[str, ...]] = ("Transformer", "TransformerEdits")
    model: Path
    k: int = 100
    n_best: int = 0
    beam: int = 0
    search_weights: Path | None = None
    prefix: str = ""

    def prepare(self) -> None:
        """Load the model."""
        super().prepare()
        for name, least in (("k", 1), ("n_best", 0)):
            if getattr(self, name) < least:
                raise PluginError(f"Transformer: {name} must be at least {least}, got {getattr(self, name)}")
        _ = self._scores

    def fire(self, translations: Sequence[str], segment: Segment) -> FeatureTable:
        """Score all translations that no earlier list had."""
        scores = self._scores.of(" ".join(segment.expect_tokens()), translations)
        return FeatureTable.from_dense(self._names, scores[:, None])

    def translations(self, segment: Segment) -> Sequence[str]:
        """Return the model's own translations."""
        if not self.n_best:
            return ()
        return self._scores.translations(" ".join(segment.expect_tokens()), self.n_best)

    def next_subword(self, segment: Segment) -> NextSubword:
        """Return the model's probabilities for the search left to right."""
        return self._scores.model.next_subword(" ".join(segment.expect_tokens()))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return (f"{self.prefix}{self.fires[0]}",)

    @cached_property
    def _scores(self) -> _Scores:
        return _Scores(self.model)


class _Scores:
    """A model and the scores that it gave."""

    def __init__(self, folder: Path) -> None:
        self.model = TranslationModel(folder)
        self._kept: dict[tuple[str, str], float] = {}
        self._found: dict[tuple[str, int], list[str]] = {}
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

    def translations(self, source: str, n: int) -> list[str]:
        """Return the n best translations of the model's own search."""
        with self._lock:
            texts = self._found.get((source, n))
        if texts is None:
            (found,) = self.model.translate([source], n_best=n)
            texts = [each.text for each in found]
            with self._lock:
                if len(self._found) * n > _KEPT:
                    self._found.clear()
                self._found[source, n] = texts
        return texts

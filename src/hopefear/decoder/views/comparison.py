"""What features contribute to a score, and to the difference of two scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from hopefear.base.tables import Cell, Table

from ..hypergraph import Derivation, Hypergraph
from ..hypotheses import KBestList, ScoredList
from ..weights import Weights

SAME = "No feature makes a difference."

_ROUNDING = 1e-10
"""A share of the greatest part: less is what the rounding of sums leaves."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """A feature's part of a score."""

    feature: str
    value: float
    weight: float

    @property
    def product(self) -> float:
        """w·f."""
        return self.value * self.weight

    def record(self) -> dict[str, Cell]:
        """Return the parts as JSON can hold them."""
        return {
            "feature": self.feature,
            "value": self.value,
            "weight": self.weight,
            "contribution": self.product,
        }


def contributions(features: Mapping[str, float], weights: Weights) -> tuple[Contribution, ...]:
    """Return the parts of features that are not 0, the greatest first."""
    parts = (Contribution(name, value, weights[name]) for name, value in features.items() if value)
    return tuple(sorted(parts, key=lambda part: (-abs(part.product), part.feature)))


def decisive(parts: Sequence[Contribution]) -> tuple[Contribution, ...]:
    """Leave out parts that change no score: of features without a weight, and what rounding leaves."""
    least = _ROUNDING * max((abs(part.product) for part in parts), default=0.0)
    return tuple(part for part in parts if abs(part.product) > least)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two translations, and the features that tell one from the other."""

    names: tuple[str, str]
    texts: tuple[str, str]
    scores: tuple[float, float]
    differences: tuple[Contribution, ...]
    values: Mapping[str, tuple[float, float]]

    @property
    def title(self) -> str:
        """Name both, such as ``Hope against fear``."""
        return f"{self.names[0].capitalize()} against {self.names[1]}"

    @property
    def difference(self) -> float:
        """The score of the first translation minus that of the second."""
        return self.scores[0] - self.scores[1]

    def table(self, most: int | None = None) -> Table:
        """Return the features that differ."""
        first, second = self.names
        rows: list[tuple[Cell, ...]] = [
            (part.feature, *self.values[part.feature], part.weight, part.product)
            for part in self.differences[:most]
        ]
        return Table(("feature", first, second, "weight", "contribution"), rows)

    def record(self) -> dict[str, object]:
        """Return the comparison as JSON can hold it."""
        sides = {
            name: {"text": text, "score": score}
            for name, text, score in zip(self.names, self.texts, self.scores, strict=True)
        }
        return sides | {"difference": self.difference, "features": self.table().records()}

    def __str__(self) -> str:
        return f"{self._heading()}\n{self.table() if self.differences else SAME}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        below = self.table()._repr_html_() if self.differences else f"<p>{SAME}</p>"
        return f"<pre>{escape(self._heading())}</pre>{below}"

    def _heading(self) -> str:
        width = max(map(len, self.names))
        lines = [
            f"{name.ljust(width)}  {score:.4f}  {text}"
            for name, text, score in zip(self.names, self.texts, self.scores, strict=True)
        ]
        return "\n".join(lines)


Translated = tuple[str, Mapping[str, float]]
"""The words and the features of a translation."""


def compare(
    forest: Hypergraph,
    first: Derivation | KBestList | ScoredList | Translated,
    second: Derivation | KBestList | ScoredList | Translated,
    *,
    names: tuple[str, str] = ("first", "second"),
    weights: Weights | None = None,
) -> Comparison:
    """Return the features in which two translations of a sentence differ, the greatest contribution first.

    Parameters
    ----------
    forest : Hypergraph
        The forest of the sentence.
    first, second : Derivation, KBestList, ScoredList or Translated
        A derivation of the forest; a list, such as hope or fear, whose first translation is meant; or words
        and features.
    names : (str, str)
        What the table calls the translations.
    weights : Weights, optional
        The weights by which the translations are scored; by default the forest's.
    """
    weights = forest.weights if weights is None else weights
    (text, features), (other_text, others) = (
        _translated(forest, translation) for translation in (first, second)
    )
    values = {
        name: (features.get(name, 0.0), others.get(name, 0.0))
        for name in sorted({*features, *others})
        if features.get(name, 0.0) != others.get(name, 0.0)
    }
    return Comparison(
        names=names,
        texts=(text, other_text),
        scores=(_score(features, weights), _score(others, weights)),
        differences=decisive(contributions({name: a - b for name, (a, b) in values.items()}, weights)),
        values=values,
    )


def _translated(
    forest: Hypergraph, translation: Derivation | KBestList | ScoredList | Translated
) -> Translated:
    if isinstance(translation, tuple):
        return translation
    if isinstance(translation, ScoredList):
        translation = translation.translations
    if isinstance(translation, KBestList):
        first = slice(0, int(translation.indptr[1]))
        names = map(forest.weights.name, translation.features[first].tolist())
        return translation.texts[0], dict(zip(names, translation.values[first].tolist(), strict=True))
    if len(translation) == 0:
        raise ValueError("expected the edges of a derivation, got none")
    return forest.text(np.asarray(translation, np.int32)), forest.features(translation)


def _score(features: Mapping[str, float], weights: Weights) -> float:
    return sum(value * weights[name] for name, value in features.items())

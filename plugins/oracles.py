"""Hooks for plugins to choose the translations that a tuner learns from, and the metric."""

from __future__ import annotations

import importlib
import inspect
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Protocol

from hopefear.decoder import Decoder, Hypergraph, Hypotheses, KBestList, ScoredList, Segment

from .catalogue import Catalogue


class SearchSpace(Protocol):
    """The input of an oracle: the translations of one sentence and their scores.

    Attributes
    ----------
    decoder : Decoder
        The decoder, with the current weights.
    forest : Hypergraph
        The decoder's forest for the segment.
    segment : Segment
        The segment, with references.
    references : hopefear.metrics.PreparedReferences
        The segment's references, compiled for the metric.
    document : hopefear.metrics.PseudoDocument
        O and O_f, and their metric.
    """

    @property
    def decoder(self) -> Decoder:
        """The decoder."""

    @property
    def forest(self) -> Hypergraph:
        """The forest."""

    @property
    def segment(self) -> Segment:
        """The sentence."""

    @property
    def references(self) -> Any:
        """The compiled references."""

    @property
    def document(self) -> Any:
        """The pseudo-document."""

    def best(self, k: int) -> ScoredList:
        """Find the k best translations by the model."""

    def search(self, mu: float, k: int, *, pop_limit: int = 0) -> ScoredList:
        """Find the forest's k best translations by B(e) - μ(B(e) - h(e)·w): μ = 0.5 for hope, ∞ for fear."""

    def scored(self, translations: KBestList) -> ScoredList:
        """Score translations from another source, such as ``best_translations(another_forest, k)``."""


class Oracle(ABC):
    """Chooses the translations of a sentence that a tuner learns from.

    The constructor must only store its parameters. If they are keyword-only and of simple types, a command
    line can set them: ``--oracle "package.module:Class --k 20"``. A run is not resumed with other parameters.
    """

    def prepare(self) -> None:  # noqa: B027  may stay empty
        """Check the parameters; called before the first sentence.

        Raises
        ------
        ValueError
            A parameter has an unusable value.
        """

    @abstractmethod
    def find(self, space: SearchSpace) -> Hypotheses | None:
        """Choose among the translations of a sentence.

        Returns
        -------
        Hypotheses or None
            At least one translation of each role: `best` by the model, `hope`, whose first is the oracle
            translation, and `fear`. None if nothing can be learned from the sentence; such sentences are
            counted.
        """


def _oracle_complaint(found: type) -> str:
    # The built-in oracles, of a room above this one, have the methods but not the base class.
    for method, parameters in {"prepare": (), "find": ("space",)}.items():
        wanted = f"must have {method}({', '.join(('self', *parameters))})"
        if not callable(getattr(found, method, None)):
            return f"{wanted}, has none"
        signature = inspect.signature(getattr(found, method))
        try:
            signature.bind("self", *parameters)
        except TypeError:
            return f"{wanted}, got {method}{signature}"
    return ""


def _metric_complaint(found: type) -> str:
    base = importlib.import_module("hopefear.metrics").Metric
    return "" if issubclass(found, base) else f"must be a subclass of hopefear.metrics.Metric, got {found!r}"


oracles = Catalogue("oracle", "hopefear.tuners.oracles.oracles", _oracle_complaint)
"""Oracles by name; installed packages add oracles in the entry point group ``hopefear.oracles``."""

metrics = Catalogue("metric", "hopefear.metrics", _metric_complaint)
"""Metrics by name; installed packages add metrics in the entry point group ``hopefear.metrics``."""


def known_oracles() -> list[str]:
    """List the names of oracles, sorted; module paths work too."""
    return oracles.known()


def create_oracle(line: str, *, base: Path | None = None) -> Oracle:
    """Make the oracle of a line ``NAME arguments``; see `Catalogue.create`.

    Examples
    --------
    >>> create_oracle("KBestLocal --k 100").k
    100
    """
    return oracles.create(line, base=base)  # type: ignore[no-any-return]


def known_metrics() -> list[str]:
    """List the names of metrics, sorted; module paths work too."""
    return metrics.known()


def create_metric(line: str, *, base: Path | None = None) -> Any:
    """Make the metric, a `hopefear.metrics.Metric`, of a line ``NAME arguments``; see `Catalogue.create`.

    Examples
    --------
    >>> create_metric("Bleu --smoothing add-one").smoothing
    'add-one'
    """
    return metrics.create(line, base=base)

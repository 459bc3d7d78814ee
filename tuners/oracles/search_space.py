"""Oracles and the search space that they choose from (Chiang, Marton & Resnik 2008, sections 2.3 and 2.4)."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from functools import cached_property

from hopefear.base import ForeignCode, InputError
from hopefear.base.signatures import Count
from hopefear.decoder import (
    BleuOracle,
    Hypergraph,
    Hypotheses,
    KBestList,
    ScoredList,
    Segment,
    Translation,
    Translator,
)
from hopefear.metrics import Bleu, Metric, PreparedReferences, PseudoDocument

from ..contract import TuningError, check_references, declared, measuring, no_finite_score


class SearchSpace:
    """The input of an oracle: the translations of one sentence and their scores.

    Attributes
    ----------
    decoder : Translator
        The decoder, with the current weights.
    translation : Translation
        The decoder's translation of the segment.
    segment : Segment
        The segment, with references.
    document : PseudoDocument
        O and O_f, and their metric.
    references : PreparedReferences
        The segment's references, prepared for the document's metric.

    Raises
    ------
    InputError
        The segment has no reference.
    """

    def __init__(
        self, decoder: Translator, translation: Translation, segment: Segment, document: PseudoDocument
    ) -> None:
        check_references([segment])
        self.decoder = decoder
        self.translation = translation
        self.segment = segment
        self.document = document
        with measuring(segment):
            self.references: PreparedReferences = document.metric.prepare(segment.references)
        self._best: tuple[int, ScoredList] | None = None

    @property
    def forest(self) -> Hypergraph:
        """The decoder's forest for the segment; an `InputError` if the decoder gives k-best lists only."""
        return self.translation.forest

    def scored(self, translations: KBestList) -> ScoredList:
        """Score translations, at least one: c(e), B(e) of equation 8, h(e)·w."""
        with measuring(self.segment):
            statistics = self.references.batch(translations.texts)
        B = self.document.B(statistics, self.translation.source_length)
        return ScoredList(translations, statistics, B, translations.scores(self.translation.weights.array))

    def best(self, k: Count) -> ScoredList:
        """Find the k best translations by the model.

        Raises
        ------
        TuningError
            No derivation has a score.
        """
        if self._best is None or self._best[0] < k:
            found = self.translation.best_translations(k)
            if not len(found):
                raise no_finite_score(self.segment)
            self._best = k, self.scored(found)
        best = self._best[1]
        return best if len(best) <= k else best.take(range(k))

    def search(self, mu: float, k: Count, *, pop_limit: int = 0) -> ScoredList:
        """Find the k best translations of the forest by equation 11.

        The forest is searched with unclipped counts, and what is found there then ranked with exact ones: at
        least 10 translations, 20 where B counts more than the model. The k best by the model take part,
        so the first is never worse than the 1-best.

        Parameters
        ----------
        mu : float
            μ: 0 for the highest BLEU, 0.5 for hope, ∞ for fear.
        pop_limit : int
            Candidates scored at a node; all of them where it is 0.

        Raises
        ------
        TuningError
            The metric is not BLEU of order 4; no derivation has a score.
        """
        best = self.best(k)
        ranked = max(k, 20 if mu < 0.5 else 10)
        found = self._bleu.rescore(self.forest, mu, pop_limit=pop_limit).best_translations(ranked)
        known = set(found.texts)
        others = [row for row, text in enumerate(best.texts) if text not in known]
        both = KBestList.concatenate([found, best.translations.take(others)])
        return self.scored(both).ranked(mu, k)

    def consensus(self, method: str, mu: float, k: Count, *, pop_limit: int = 0) -> ScoredList:
        """Find the translations of the forest that agree best with all that equation 11 likes.

        Parameters
        ----------
        method : str
            See `hopefear.decoder.create_consensus`; the scores by which it weighs translations are those of
            equation 11.
        mu : float
            μ: 1 for the model's scores alone, which need no BLEU.
        k : int
            Translations, the best first.
        pop_limit : int
            Candidates scored at a node; all of them where it is 0.

        Raises
        ------
        TuningError
            The metric is not BLEU of order 4, and μ is not 1; no derivation has a score.
        """
        self.best(1)
        forest = self.forest if mu == 1 else self._bleu.rescore(self.forest, mu, pop_limit=pop_limit)
        return self.scored(forest.consensus(method).best_translations(k))

    @cached_property
    def _bleu(self) -> BleuOracle:
        check_searchable(self.document.metric)
        return BleuOracle(
            self.segment.references,
            self.document.statistics,
            self.document.source_length,
            reference_length=float(self.best(1).statistics[0, 1]),
        )


def check_searchable(metric: Metric) -> None:
    """Refuse metrics by which a forest cannot be searched."""
    if not isinstance(metric, Bleu) or metric.order != 4:
        raise TuningError(
            f"a forest can be searched by BLEU of order 4 only, got {metric.signature()}: "
            "other metrics need a k-best list (oracle KBestLocal)"
        )


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
    def find(self, space: SearchSpace, /) -> Hypotheses | None:
        """Choose among the translations of a sentence.

        Returns
        -------
        Hypotheses or None
            At least one translation of each role: `best` by the model, `hope`, whose first is the oracle
            translation, and `fear`. None if nothing can be learned from the sentence; such sentences are
            counted.
        """


class OracleError(TuningError, ValueError):
    """An oracle failed, or cannot be prepared."""


def prepare_oracle(oracle: Oracle) -> None:
    """Let an oracle check its settings."""
    kind = type(oracle)

    def as_error(what: str) -> OracleError:
        return OracleError(f"oracle {kind.__name__}: cannot be prepared: {what}")

    with ForeignCode(kind, as_error, InputError, TuningError):
        try:
            oracle.prepare()
        except InputError:
            raise
        except ValueError as error:
            raise OracleError(f"oracle {kind.__name__}: {error}") from error


def find_hypotheses(oracle: Oracle, space: SearchSpace) -> Hypotheses | None:
    """Ask an oracle, and refuse what no tuner could use."""
    where = f"oracle {type(oracle).__name__}, sentence {space.segment.number}"
    with ForeignCode(type(oracle), lambda what: OracleError(f"{where}: {what}"), InputError, TuningError):
        found = oracle.find(space)
    if found is None:
        return None
    if not isinstance(found, Hypotheses):
        raise OracleError(f"{where}: find must return Hypotheses or None, got {type(found).__name__}")
    for role in ("best", "hope", "fear"):
        if not len(getattr(found, role)):
            raise OracleError(f"{where}: find must return at least one translation as {role}, got none")
    return found


def describe(oracle: Oracle) -> str:
    """Return an oracle's name and settings, without what it remembers, for comparing runs."""
    kind = type(oracle)
    values = {name: getattr(oracle, name, None) for name in inspect.signature(kind).parameters}
    settings = {name: value for name, value in values.items() if not declared(type(value))}
    return f"{kind.__module__}:{kind.__qualname__} {settings}"

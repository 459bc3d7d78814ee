"""Oracles: which translations of a sentence a tuner learns from (Chiang, Marton & Resnik 2008, section 2.3).

================  ==================================================  ==================================
oracle            hope                                                fear
================  ==================================================  ==================================
`ForestHopeFear`  equation 11 over the forest, μ = 0.5                equation 11 over the forest, μ = ∞
`LeastWork`       the same, where B is the mean of BLEU and -TER      the same
`MaxBleu`         the highest BLEU in the forest: μ = 0               the same
`KBestLocal`      the highest B among the k best by the model         these k best
`Forced`          the best derivation that yields a reference         the k best by the model
`ConsensusHope`   what agrees best with all that equation 11 likes    equation 11 over the forest, μ = ∞
================  ==================================================  ==================================

With ``loss_augmented``, the default where μ = ∞ stands, the negative examples are those of a search of the
forest (loss-augmented inference), without it the k best by the model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, get_args

from hopefear.base import PluginError
from hopefear.decoder import Hypotheses, KBestList, ScoredList, attempt, create_consensus
from hopefear.metrics import Ter

from ..contract import check_settings, measuring, setting
from .search_space import Oracle, SearchSpace

_TER = Ter()
_LARGE = 5_000
"""Edges of a forest from which two searches beside each other are worth a thread: it takes a millisecond."""


@dataclass(frozen=True, kw_only=True)
class _Oracle(Oracle):
    """What the built-in oracles share."""

    k: int = setting(10, least=1)
    loss_augmented: bool = False
    pop_limit: int = setting(0, least=0)

    def prepare(self) -> None:
        """Check the settings."""
        check_settings(self)

    @property
    def searches_forest(self) -> bool:
        """Whether it asks for the best of a whole forest by the metric, which must be BLEU then."""
        return self.loss_augmented

    def _fear(self, space: SearchSpace, best: ScoredList, mu: float = math.inf) -> ScoredList:
        return space.search(mu, self.k, pop_limit=self.pop_limit) if self.loss_augmented else best


@dataclass(frozen=True, kw_only=True)
class ForestHopeFear(_Oracle):
    """Hope and fear from the whole forest (Chiang, Marton & Resnik 2008).

    Parameters
    ----------
    k : int
        Hypotheses by each criterion: the model, hope, fear.
    hope_mu, fear_mu : float
        μ of equation 11.
    loss_augmented : bool
        Whether there are negative examples besides the k best by the model.
    pop_limit : int
        Candidates scored at a node when the forest is searched; all of them where it is 0.
    """

    loss_augmented: bool = True
    hope_mu: float = setting(0.5, least=0)
    fear_mu: float = setting(math.inf, least=0)

    @property
    def searches_forest(self) -> bool:
        """Always."""
        return True

    def find(self, space: SearchSpace, /) -> Hypotheses:
        """Choose by equation 11."""
        best = space.best(self.k)
        search = partial(space.search, self.hope_mu, self.k, pop_limit=self.pop_limit)
        if len(space.forest.edges) < _LARGE:
            return Hypotheses(space.segment, best, search(), self._fear(space, best, self.fear_mu))
        with ThreadPoolExecutor(1) as beside:  # C++ code searches, without the interpreter lock
            fear = beside.submit(self._fear, space, best, self.fear_mu)
            return Hypotheses(space.segment, best, search(), fear.result())


@dataclass(frozen=True, kw_only=True)
class LeastWork(ForestHopeFear):
    """Hope and fear by BLEU and TER together, among what `ForestHopeFear` finds.

    BLEU of a document that is too short asks for longer translations, also where their words are wrong, which
    a translator has to delete. So B is the mean of that of equation 8 and of ``-|f|`` times TER of the
    sentence; both are numbers of words. No forest can be searched for edits: what `ForestHopeFear` finds by
    its three criteria is ranked once more by each of them.
    """

    def find(self, space: SearchSpace, /) -> Hypotheses:
        """Choose by equation 11, with edits in B."""
        found = super().find(space)
        every = ScoredList.concatenate((found.best, found.hope, found.fear))
        every = every.take(_firsts(every.texts))
        with measuring(space.segment):
            edits = _TER.prepare(space.segment.references).batch(every.texts)
        of_ter = space.translation.source_length * _TER.quality(edits) / 100
        every = replace(every, B=(every.B + of_ter) / 2)
        hope, best, fear = (every.ranked(mu, self.k) for mu in (self.hope_mu, 1.0, self.fear_mu))
        return Hypotheses(space.segment, best, hope, fear)


def _firsts(texts: Sequence[str]) -> list[int]:
    """List where each text is for the first time."""
    return list({text: row for row, text in reversed([*enumerate(texts)])}.values())


@dataclass(frozen=True, kw_only=True)
class MaxBleu(ForestHopeFear):
    """The highest BLEU in the forest, whatever the model thinks of it (Tillmann & Zhang 2006).

    Of the derivations of one string, too: any may be found.
    """

    hope_mu: float = field(default=0.0, init=False)


@dataclass(frozen=True, kw_only=True)
class KBestLocal(_Oracle):
    """Local updating: the best by the metric among the k best by the model (Liang et al. 2006).

    Works with any metric, without `loss_augmented`.

    Parameters
    ----------
    k : int
        Length of the list.
    hope_mu : float
        μ of equation 11 within the list.
    loss_augmented : bool
        Whether the forest is searched for negative examples; else these are the list's.
    pop_limit : int
        Candidates scored at a node when the forest is searched; all of them where it is 0.
    """

    hope_mu: float = setting(0.0, least=0)

    def find(self, space: SearchSpace, /) -> Hypotheses:
        """Choose from the k-best list."""
        best = space.best(self.k)
        return Hypotheses(space.segment, best, best.ranked(self.hope_mu, 1), self._fear(space, best))


@dataclass(frozen=True, kw_only=True)
class ConsensusHope(_Oracle):
    """Hope by consensus: the greatest expected BLEU under p(e) ∝ exp(scale · equation 11).

    Not one translation that is near the references and likely by the model, but the one that agrees best with
    all of these.

    Parameters
    ----------
    k : int
        Hypotheses by each criterion.
    by : str
        How the consensus is found, see `hopefear.decoder.create_consensus`.
    hope_mu : float
        μ of equation 11. Where it is 1, the model alone says what is likely: the references do not count for
        hope, and the metric may be any if `loss_augmented` is off.
    loss_augmented : bool
        Whether the forest is searched for negative examples; else these are the k best by the model.
    pop_limit : int
        Candidates scored at a node when the forest is searched; all of them where it is 0.
    """

    loss_augmented: bool = True
    by: str = "linear"
    hope_mu: float = setting(0.5, least=0, finite=True)

    def prepare(self) -> None:
        """Check the settings.

        Raises
        ------
        ValueError
            One is out of range, or there is no such consensus.
        """
        super().prepare()
        try:
            create_consensus(self.by)
        except PluginError as error:
            raise ValueError(f"by: {error}") from None

    @property
    def searches_forest(self) -> bool:
        """Unless the model alone counts."""
        return self.loss_augmented or self.hope_mu != 1

    def find(self, space: SearchSpace, /) -> Hypotheses:
        """Choose by consensus."""
        best = space.best(self.k)
        hope = space.consensus(self.by, self.hope_mu, self.k, pop_limit=self.pop_limit)
        return Hypotheses(space.segment, best, hope, self._fear(space, best))


Fallback = Literal["skip", "local", "hope"]


@dataclass(frozen=True, kw_only=True)
class Forced(_Oracle):
    """Bold updating: the best derivation that yields a reference (Liang et al. 2006).

    The sentence is decoded once more, forced to yield each of its references. A grammar of this sentence must
    come with the segment.

    Parameters
    ----------
    k : int
        Hypotheses by the model.
    fallback : {"skip", "local", "hope"}
        Where no reference can be reached: learn nothing from the sentence, which is counted; take the best by
        the metric of the k best ("local", the hybrid of Liang et al.); or equation 11 over the forest with
        μ = 0.5.
    loss_augmented : bool
        Whether the forest is searched for negative examples; else these are the k best by the model.
    pop_limit : int
        Candidates scored at a node when the forest is searched; all of them where it is 0.
    """

    fallback: Fallback = setting("skip", choices=get_args(Fallback))

    @property
    def searches_forest(self) -> bool:
        """Where it is loss-augmented, or falls back to hope."""
        return self.loss_augmented or self.fallback == "hope"

    def find(self, space: SearchSpace, /) -> Hypotheses | None:
        """Choose what yields a reference."""
        best = space.best(self.k)
        hope = _yielding_references(space)
        if hope is None:
            if self.fallback == "skip":
                return None
            if self.fallback == "local":
                hope = best.ranked(0.0, 1)
            else:
                hope = space.search(0.5, self.k, pop_limit=self.pop_limit)
        return Hypotheses(space.segment, best, hope, self._fear(space, best))


def _yielding_references(space: SearchSpace) -> ScoredList | None:
    """Find the best derivation of each reference, the best by the model first; None where there is none."""
    found = []
    for reference in dict.fromkeys(space.segment.references):
        with attempt(space.decoder, space.segment):
            forest = space.decoder.translate(space.segment, reference=reference)
            found += [x for x in [forest.best_translations(1)] if len(x)]
    return space.scored(KBestList.concatenate(found)).ranked(1.0, len(found)) if found else None
